/* test_libraries.c - what is known of libraries by the names of their backends, and which pairs and scripts
 * `assay equiv` makes of it: no library is opened, and none needs to be installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "methods/equiv/equiv.h"
#include "worker/parent/internal_spec.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

static void names_lead_to_libraries(void **state)
{
	static const struct {
		const char *backend;
		const struct library *library;
	} rows[] = {
		{"torch", &library_torch},
		{"torch-cuda", &library_torch},
		{"torch-cuda@2.15.0:jit+threads=2", &library_torch},
		{"tf", &library_tf},
		{"tf@2.12.0", &library_tf},
		{"tf:graph", &library_tf},
		{"tflite", &library_tflite},
		{"jax-cuda", &library_jax},
		{"reference", NULL},
		{"exec:torch", NULL},
		{"fault:relu_zero", NULL},
		{"torchapi@2.15.0:vmap", &library_torchapi},
		{"kerasapi:jax", &library_kerasapi},
		{"mxapi:hybrid", &library_mxapi},
		{"ortapi:only=GeluFusionL2", &library_ortapi},
		{"torchx", NULL},
		{"t", NULL},
		{"", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_ptr_equal(library_find(rows[i].backend), rows[i].library);
	assert_ptr_equal(library_dialect("exec:torch"), &dialect_onnx);
}

static int is_library(const struct spec_backend *b)
{
	return spec_is_library(b);
}

static void every_library_that_can_be_started_is_known(void **state)
{
	(void)state;
	for (const struct spec_backend *b = spec_backends; b->name; b++)
		if (!library_find(b->name) != !is_library(b))
			fail_msg("%s", b->name);
	for (const struct library *const *l = library_list; *l; l++) {
		assert_non_null((*l)->dialect);
		if (!spec_find((*l)->name))
			fail_msg("%s has no row in backends.def", (*l)->name);
	}
}

/* ---- option sets ------------------------------------------------------------------------------------------------- */

/* Each backend of the library has the set, or the option with that value. */
static void check_set(const struct library *l, const char *set)
{
	for (const struct spec_backend *b = spec_backends; b->name && set; b++) {
		const struct spec_option_set *o = spec_option_sets;
		struct err e = ERR_INIT;

		if (library_find(b->name) != l)
			continue;
		if (strchr(set, '=')) {
			if (spec_check_option(b->name, set, &e))
				fail_msg("%s", e.msg);
			continue;
		}
		while (o->name && (strcmp(o->backend, b->name) != 0 || strcmp(o->name, set) != 0))
			o++;
		if (!o->name)
			fail_msg("%s has no option set '%s'", b->name, set);
	}
}

static void option_sets_are_there(void **state)
{
	(void)state;
	for (const struct library *const *l = library_list; *l; l++) {
		for (const struct library_switch *s = (*l)->switches; s && s->setting; s++)
			check_set(*l, s->setting);
		for (const struct library_pair *p = (*l)->pairs; p && p->kind != PAIR_NONE; p++) {
			check_set(*l, p->a);
			check_set(*l, p->b);
		}
	}
}

/* ---- rules ------------------------------------------------------------------------------------------------------- */

/* Two operations, of which one writes into its argument: all that rules over a registry tell apart. */
static struct backend_parameter input = {.name = "x", .type = "Tensor", .is_input = 1};
static struct backend_operation operations[] = {
	{.name = "aten::relu", .parameters = &input, .n_parameters = 1, .n_outputs = 1},
	{.name = "aten::relu_", .parameters = &input, .n_parameters = 1, .n_outputs = 1},
};

/* The pairs of a rule over these two. */
static size_t count_pairs_against(const char *backend, const char *rule, const char *against)
{
	struct equiv_options o = {.rule = rule, .api = "aten::*", .against = against};
	struct api apis[2] = {{.op = &operations[0]}, {.op = &operations[1]}};
	struct err e = ERR_INIT;
	struct equiv q = {.arena = ARENA_INIT};
	size_t n;

	registry_init(&q.registry, backend);
	q.registry.apis = apis;
	q.registry.n = 2;
	for (size_t i = 0; i < 2; i++)
		apis[i].kinds[0] = PARAMETER_TENSOR;
	if (equiv_gather(&q, "data/equiv", &o, &e))
		fail_msg("%s", e.msg);
	n = q.n;
	equiv_release(&q);
	return n;
}

static size_t count_pairs(const char *backend, const char *rule)
{
	return count_pairs_against(backend, rule, NULL);
}

static void versions_are_compared_when_one_is_named(void **state)
{
	char name[EQUIV_NAME];

	(void)state;
	assert_int_equal(count_pairs("torch", "27"), 0);
	assert_int_equal(count_pairs_against("torch", "27", "torch@2.11.0"), 2);
	assert_int_equal(count_pairs_against("torch", NULL, "torch@2.11.0"), 2); /* and no other rule */
	assert_int_equal(count_pairs_against("exec", "27", "torch@2.11.0"), 0);
	equiv_name_side("torch@2.15.0", "torch@2.11.0", name);
	assert_string_equal(name, "torch@2.11.0");
	equiv_name_side("torch@2.15.0", "jit", name);
	assert_string_equal(name, "torch@2.15.0:jit");
}

static void backends_get_the_rules_of_their_library(void **state)
{
	static const struct {
		const char *rule;
		size_t torch, tf, mxnet, ort, openvino, tract, exec;
	} rows[] = {
		{"1", 2, 6, 2, 8, 0, 0, 0},  {"11", 0, 2, 0, 0, 0, 0, 0}, {"12", 2, 2, 2, 2, 2, 2, 2},
		{"16", 2, 2, 2, 2, 2, 0, 0}, {"17", 1, 0, 0, 0, 0, 0, 0}, {"18", 2, 0, 2, 0, 0, 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_int_equal(count_pairs("torch", rows[i].rule), rows[i].torch);
		assert_int_equal(count_pairs("torch-cuda", rows[i].rule), rows[i].torch);
		assert_int_equal(count_pairs("torch-cuda@2.15.0:jit", rows[i].rule), rows[i].torch);
		assert_int_equal(count_pairs("tf", rows[i].rule), rows[i].tf);
		assert_int_equal(count_pairs("tf@2.12.0", rows[i].rule), rows[i].tf);
		assert_int_equal(count_pairs("mxnet", rows[i].rule), rows[i].mxnet);
		assert_int_equal(count_pairs("ort", rows[i].rule), rows[i].ort);
		assert_int_equal(count_pairs("openvino", rows[i].rule), rows[i].openvino);
		assert_int_equal(count_pairs("tract", rows[i].rule), rows[i].tract);
		assert_int_equal(count_pairs("exec", rows[i].rule), rows[i].exec);
	}
}

/* ---- scripts ----------------------------------------------------------------------------------------------------- */

static char *make_script(const char *backend, const char *set)
{
	struct equiv_pair p = {.rule = &rule_optimized, .name = "f", .sets = {NULL, set}};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct equiv_input in = {0};
	struct registry r;
	struct expr *x;
	char *script;

	assert_int_equal(expr_parse("f()", &arena, &x, &e), 0);
	in.a = in.b = x;
	registry_init(&r, backend);
	script = equiv_script(&r, "title", &p, &in);
	arena_release(&arena);
	return script;
}

static void check_script(const char *backend, const char *set, const char *part)
{
	char *script = make_script(backend, set);

	assert_non_null(script);
	if (!strstr(script, part))
		fail_msg("%s: no %s", backend, part);
	mem_free(script);
}

static void scripts_know_devices_and_variables(void **state)
{
	(void)state;
	check_script("torch", "jit", "DEVICE = \"\" ");
	check_script("torch-cuda", "jit", "DEVICE = \"cuda\" ");
	check_script("tf", "graph", "ENVIRONMENT = {\"a\": {}, \"b\": {}}");
	check_script("tf", "onednn0", "ENVIRONMENT = {\"a\": {}, \"b\": {\"TF_ENABLE_ONEDNN_OPTS\": \"0\"}}");
	check_script("tfapi", "onednn0", "ENVIRONMENT = {\"a\": {}, \"b\": {\"TF_ENABLE_ONEDNN_OPTS\": \"0\"}}");
	check_script("ort", "O0", "Needs numpy and onnx and onnxruntime alone.");
	assert_null(make_script("tflite", NULL));
	assert_null(make_script("exec", NULL));
}

/* Words of `promised` are whole option sets, each of a pair that there is. */
static void promises_are_of_pairs(void **state)
{
	static const struct library_pair other = {PAIR_OPTIMIZED, NULL, "induct", 0};
	size_t promised = 0;

	(void)state;
	for (const struct library_pair *p = library_torchapi.pairs; p->kind != PAIR_NONE; p++)
		promised += (size_t)library_promises(&library_torchapi, p);
	assert_int_equal(promised, 2);
	assert_false(library_promises(&library_torchapi, &other));
	assert_false(library_promises(&library_torch, library_torch.pairs));
	for (promised = 0; library_tfapi.pairs[promised].kind != PAIR_NONE;)
		promised++;
	assert_true(library_promises(&library_tfapi, &library_tfapi.pairs[0]));
	assert_false(library_promises(&library_tfapi, &library_tfapi.pairs[promised - 1]));
	assert_true(library_checks(&library_tfapi, &library_tfapi.pairs[0]));
	assert_false(library_checks(&library_torchapi, library_torchapi.pairs));
	assert_false(library_needs_object(&library_torchapi, library_torchapi.pairs)); /* a function is traced, too */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_lead_to_libraries),
		cmocka_unit_test(every_library_that_can_be_started_is_known),
		cmocka_unit_test(option_sets_are_there),
		cmocka_unit_test(backends_get_the_rules_of_their_library),
		cmocka_unit_test(versions_are_compared_when_one_is_named),
		cmocka_unit_test(scripts_know_devices_and_variables),
		cmocka_unit_test(promises_are_of_pairs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
