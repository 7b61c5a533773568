/* test_fusion.c - what a library made of models: names that are new, and those that were seen before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "methods/fuzz/fusion.h"
#include "model/build.h"

static struct model *make(const char *const *ops)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct build b;
	struct wire *x;
	char name[8] = "a";

	build_begin(&b, 17, 1, &e);
	x = build_input(&b, "x", DT_FLOAT, 1, (int64_t[]){2});
	for (; *ops; ops++, ++*name)
		x = build_op(&b, *ops, name, x, NULL);
	build_output(&b, x);
	assert_int_equal(build_end(&b, &m), 0);
	return m;
}

/* As the worker does, after the library has optimized a model. */
static void save(const struct fusion *f, const char *const *ops)
{
	struct model *m = make(ops);
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, 1 << 20);
	assert_int_equal(model_serialize(m, &b, &e), 0);
	assert_int_equal(buf_write_file(b.data, b.len, f->paths[0], &e), 0);
	buf_release(&b);
	model_free(m);
}

/* The files lie where $TMPDIR says. */
static void test_temporary(void **state)
{
	struct worker_spec spec = {.name = (char[]){"ort"}, .backend = (char[]){"ort"}};
	const char *before = getenv("TMPDIR");
	char folder[PLACE_PATH], *kept = before ? strdup(before) : NULL;
	struct fusion f = {.n = 0};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(place_temporary_folder(folder, "test", &e), 0);
	setenv("TMPDIR", folder, 1);
	if (fusion_open(&f, &spec, 1, 0, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(strncmp(f.paths[0], folder, strlen(folder)), 0);
	assert_int_equal(access(f.paths[0], F_OK), 0);
	fusion_close(&f);
	if (kept)
		setenv("TMPDIR", kept, 1);
	else
		unsetenv("TMPDIR");
	free(kept);
	assert_int_equal(rmdir(folder), 0);
}

static void names_are_told(void **state)
{
	static const char *const given[] = {"Exp", "Log", NULL}, *const first[] = {"Relu", "Exp", "Relu", NULL},
				 *const second[] = {"Tanh", "Relu", NULL};
	struct worker_spec spec = {.name = (char[]){"ort"}, .backend = (char[]){"ort"}};
	struct model *m = make(given);
	struct fusion f = {.n = 0};
	struct err e = ERR_INIT;
	char names[FUSION_NAMES];
	int n;

	(void)state;
	if (fusion_open(&f, &spec, 1, 0, &e))
		fail_msg("%s", e.msg);
	save(&f, first);
	assert_int_equal(fusion_note(&f, m, names, &n, &e), 0);
	assert_string_equal(names, "Relu"); /* once for a model */
	assert_int_equal(n, 1);
	save(&f, second);
	assert_int_equal(fusion_note(&f, m, names, &n, &e), 0);
	assert_string_equal(names, "Tanh =Relu");
	assert_int_equal(n, 1);
	assert_int_equal(fusion_note(&f, m, names, &n, &e), 0); /* it saved none */
	assert_string_equal(names, "");
	save(&f, second);
	assert_int_equal(fusion_note(&f, m, names, &n, &e), 0);
	assert_string_equal(names, "=Tanh =Relu");
	assert_int_equal(n, 0);
	fusion_close(&f);
	model_free(m);
}

/* As a worker in Python does. */
static void reach(const struct fusion *f, const char *lines)
{
	struct err e = ERR_INIT;

	assert_int_equal(buf_write_file(lines, strlen(lines), f->paths[0], &e), 0);
}

static void lines_are_counted_once(void **state)
{
	static const char *const given[] = {"Exp", NULL};
	struct worker_spec spec = {.name = (char[]){"onnxscript"}, .backend = (char[]){"onnxscript"}};
	struct worker_spec other = {.name = (char[]){"ort"}, .backend = (char[]){"ort"}};
	struct model *m = make(given);
	struct fusion f = {.n = 0};
	struct err e = ERR_INIT;
	char names[FUSION_NAMES];
	int n;

	(void)state;
	assert_int_equal(fusion_open(&f, &spec, 1, 1, &e), 0);
	reach(&f, "onnxscript/a.py:1\nonnxscript/a.py:12\n");
	assert_int_equal(fusion_note(&f, m, names, &n, &e), 0);
	assert_string_equal(names, "");
	assert_int_equal(n, 2);
	reach(&f, "onnxscript/a.py:12\nonnxscript/b.py:1\nonnxscript/b.py:1\n"); /* of another process */
	assert_int_equal(fusion_note(&f, m, names, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(fusion_note(&f, m, names, &n, &e), 0); /* it reached none, and wrote nothing */
	assert_int_equal(n, 0);
	fusion_close(&f);
	assert_int_equal(fusion_open(&f, &other, 1, 1, &e), ERR_USAGE);
	fusion_close(&f);
	err_clear(&e);
	model_free(m);
}

static void length_of_what_is_new(void **state)
{
	(void)state;
	assert_int_equal(fusion_new(""), 0);
	assert_int_equal(fusion_new("Gelu FusedConv"), 14);
	assert_int_equal(fusion_new("Gelu =FusedConv =Gemm"), 4);
	assert_int_equal(fusion_new("=FusedConv"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_temporary),
		cmocka_unit_test(names_are_told),
		cmocka_unit_test(lines_are_counted_once),
		cmocka_unit_test(length_of_what_is_new),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
