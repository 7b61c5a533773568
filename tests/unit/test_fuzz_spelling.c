/* test_fuzz_spelling.c - nodes that are spelled in another way mean the same, and each spelling occurs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "methods/fuzz/fuzz.h"
#include "methods/fuzz/spelling.h"
#include "reference/reference.h"

#define MODELS 250
#define NEW_NAMES 100000 /* none of the model's own wires has such a number */

/* How often nodes were written in a way that samplers and patterns hardly use, over all models. */
struct seen {
	int no_perm, zeros, opens, axes_turned, attrs_less, shapes;
};

static void run(struct model *m, struct value *const *inputs, const struct fuzz_case *c, struct ref_result *out)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref *ref;
	struct err e = ERR_INIT;

	if (ref_open(m, &ref, &e) || ref_run(ref, inputs, m->graph->inputs.n, &o, out, &e))
		fail_msg("case %lld (%s): %s", (long long)c->index, c->about, e.msg);
	ref_close(ref);
}

static void assert_same(const struct ref_result *a, const struct ref_result *b, const struct fuzz_case *c)
{
	assert_int_equal(a->n, b->n);
	for (size_t i = 0; i < a->n; i++) {
		const struct tensor *x = a->outputs[i].value->tensor, *y = b->outputs[i].value->tensor;

		if (x && y && !tensor_same_bits(x, y))
			fail_msg("case %lld (%s): output %zu differs", (long long)c->index, c->about, i);
	}
}

static void look(const struct node *was, const struct node *n, struct seen *s)
{
	s->attrs_less += n->n_attrs < was->n_attrs;
	s->no_perm += !strcmp(n->op_type, "Transpose") && !n->n_attrs;
	if (n->n_in > 3 && !strcmp(n->op_type, "Slice") && n->in[3] && n->in[3]->init)
		s->axes_turned += tensor_get(n->in[3]->init, 0) != tensor_get(was->in[3]->init, 0);
	if (strcmp(n->op_type, "Reshape") != 0 || !n->in[1]->init || !was->in[1]->init)
		return;
	for (size_t i = 0; i < n->in[1]->init->count; i++) {
		double to = tensor_get(n->in[1]->init, i), from = tensor_get(was->in[1]->init, i);

		s->zeros += to == 0 && from != 0;
		s->opens += to < 0 && from > 0;
	}
}

/* A copy of the case's model, its nodes spelled anew. */
static struct model *spelled(const struct fuzz_case *c, struct seen *s)
{
	struct maker m = {.names = NEW_NAMES, .opset = model_opset(c->model, "")};
	struct model *copy;
	struct err e = ERR_INIT;

	assert_int_equal(model_copy(c->model, &copy, &e), 0);
	assert_int_equal(ops_bind(copy, &e), 0);
	assert_int_equal(ops_infer(copy, &e), 0);
	rng_init(&m.rng, c->seed);
	m.b = (struct build){.model = copy, .graph = copy->graph, .err = &e};
	spelling_draw(&m, 0);
	if (m.b.rc)
		fail_msg("case %lld: %s", (long long)c->index, e.msg);
	for (size_t i = 0; i < copy->graph->nodes.n; i++) {
		const struct node *n = copy->graph->nodes.at[i];
		const struct wire *was = n->out[0] ? graph_wire(c->model->graph, n->out[0]->name) : NULL;

		if (was)
			look(was->producer, n, s);
		s->shapes += n->out[0] && !was; /* a node that was not there */
	}
	vec_release(&m.bounds);
	arena_release(&m.tmp);
	return copy;
}

static void spellings_mean_the_same(void **state)
{
	struct fuzz_options o = {.seed = 11, .blocks = 6};
	struct seen s = {0};
	struct corpus all;
	struct fuzzer *f;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(corpus_load("data/blocks-large.yaml", 1, &all, &e), 0);
	assert_int_equal(fuzzer_new(&all, &o, &f, &e), 0);
	for (int i = 0; i < MODELS; i++) {
		struct fuzz_case c = {0};
		struct ref_result one, other;
		struct model *copy;

		if (fuzzer_next(f, &c, &e))
			fail_msg("%s", e.msg);
		copy = spelled(&c, &s);
		run(c.model, c.inputs, &c, &one);
		run(copy, c.inputs, &c, &other);
		assert_same(&one, &other, &c);
		ref_result_release(&one);
		ref_result_release(&other);
		model_free(copy);
		fuzz_case_release(&c);
	}
	fuzzer_free(f);
	corpus_release(&all);
	assert_true(s.no_perm > 0 && s.zeros > 0 && s.opens > 0 && s.axes_turned > 0);
	assert_true(s.attrs_less > 10);
	assert_true(s.shapes > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(spellings_mean_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
