/* test_delta.c - the fast path of the noisy mode, op->delta, against evaluating the operator on moved inputs.
 *
 * Every line of data/cases whose operator has a delta: the inputs move by random small amounts in several lanes, and
 * delta must give f(x + d) - f(x) for each of them, to the accuracy that op.h asks for. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/case.h"
#include "model/case_file.h"
#include "ops/op.h"

#define MAX_SLOTS 64
#define LANES 3
#define MOVE 1e-4 /* of the inputs, relative to max(1, |x|) */
#define TOL 2e-3  /* of the largest difference of an output */
#define TOL_BF16 2e-2

static size_t compared; /* calls that were not declined */

/* One call with its inputs and what belongs to it. */
struct trial {
	struct call c;
	struct arena tmp;
	struct type in_type[MAX_SLOTS], out_type[MAX_SLOTS];
	struct tensor *in[MAX_SLOTS], *out[MAX_SLOTS];
	struct value *in_value[MAX_SLOTS], *out_value[MAX_SLOTS];
	float *in_delta[MAX_SLOTS], *out_delta[MAX_SLOTS];
};

static struct tensor *value_of(const struct op_case *k, const struct wire *w, struct err *e)
{
	const struct graph *g = k->model->graph;

	for (size_t i = 0; i < g->inputs.n; i++)
		if (g->inputs.at[i] == w)
			return tensor_widen(k->inputs[i]->tensor, e);
	return tensor_widen(w->init, e);
}

static void trial_release(struct trial *t)
{
	for (int i = 0; i < MAX_SLOTS; i++) {
		tensor_unref(t->in[i]);
		tensor_unref(t->out[i]);
		value_unref(t->out_value[i]);
		mem_free(t->in_delta[i]);
		mem_free(t->out_delta[i]);
	}
	arena_release(&t->tmp);
}

/* Infers and evaluates the node of the case; inputs of t are set already. */
static int trial_eval(struct trial *t, const struct node *n, struct err *e)
{
	int rc;

	t->c = (struct call){.node = n, .op = n->op, .version = n->version, .err = e, .tmp = &t->tmp};
	t->c.n_in = n->n_in;
	t->c.n_out = n->n_out;
	t->c.in_type = t->in_type;
	t->c.out_type = t->out_type;
	t->c.in = t->in;
	t->c.out = t->out;
	t->c.in_value = t->in_value;
	t->c.out_value = t->out_value;
	for (int i = 0; i < n->n_in; i++) {
		t->in_type[i] = (struct type)TYPE_INIT;
		if (t->in[i])
			type_set(&t->in_type[i], t->in[i]->dtype, t->in[i]->rank, t->in[i]->dims);
	}
	rc = call_infer(&t->c);
	for (int i = 0; i < n->n_out && !rc && !(n->op->flags & OP_OWN_OUTPUTS); i++)
		if (n->out[i] &&
		    !(t->out[i] = tensor_new(t->out_type[i].dtype, t->out_type[i].rank, t->out_type[i].dims, e)))
			rc = e->code;
	return rc ? rc : n->op->eval(&t->c);
}

/* Random moves of the float inputs that a case varies; *moved: there are such inputs. */
static int make_deltas(struct trial *t, const struct node *n, int *moved)
{
	struct rng r;

	*moved = 0;
	rng_init(&r, 5);
	for (int i = 0; i < n->n_in; i++) {
		const struct tensor *x = t->in[i];

		if (!x || !dtype_is_float(x->dtype) || n->in[i]->init)
			continue;
		if (!(t->in_delta[i] = mem_array(x->count * LANES, sizeof(float))))
			return ERR_MEMORY;
		*moved = 1;
		for (size_t k = 0; k < x->count * LANES; k++)
			t->in_delta[i][k] =
				(float)(rng_uniform(&r, -MOVE, MOVE) * fmax(1, fabs(tensor_get(x, k / LANES))));
	}
	for (int i = 0; i < n->n_out; i++) {
		size_t count = t->out[i] ? t->out[i]->count * LANES : 0;

		if (!t->out[i])
			continue;
		if (!(t->out_delta[i] = mem_array(count, sizeof(float))))
			return ERR_MEMORY;
		for (size_t k = 0; k < count; k++) /* what is not written must show */
			t->out_delta[i][k] = NAN;
	}
	return 0;
}

/* The way from one value to another; an infinity that stays (the maximum of nothing) does not move. */
static double way(double from, double to)
{
	return from == to ? 0 : to - from;
}

static int compare_output(const struct tensor *y, const struct tensor *moved, const float *delta, double tol,
			  struct err *e)
{
	double largest = 1e-9;

	for (size_t k = 0; k < y->count; k++)
		largest = fmax(largest, fabs(way(y->f[k], moved->f[k])));
	for (size_t k = 0; k < y->count; k++) {
		double want = way(y->f[k], moved->f[k]);

		if (!(fabs((double)delta[k * LANES] - want) <= tol * largest))
			return err_set(e, ERR_INPUT, "element %zu moves by %g, delta says %g", k, want,
				       (double)delta[k * LANES]);
	}
	return 0;
}

/* Evaluates lane l the slow way and compares. */
static int check_lane(const struct trial *t, const struct node *n, int l, double tol, struct err *e)
{
	struct trial slow = {0};
	int rc = 0;

	for (int i = 0; i < n->n_in && !rc; i++) {
		if (!t->in[i])
			continue;
		if (!(slow.in[i] = tensor_copy(t->in[i], e)))
			rc = e->code;
		for (size_t k = 0; !rc && t->in_delta[i] && k < slow.in[i]->count; k++)
			slow.in[i]->f[k] += (double)t->in_delta[i][k * LANES + (size_t)l];
	}
	if (!rc)
		rc = trial_eval(&slow, n, e);
	for (int i = 0; i < n->n_out && !rc; i++)
		if (t->out[i] && dtype_is_float(t->out[i]->dtype))
			rc = compare_output(t->out[i], slow.out[i], t->out_delta[i] + l, tol, e);
	trial_release(&slow);
	return rc;
}

/* Weights as the reference keeps them: float32, and the same in all lanes. */
static int pack_weights(struct tensor **w, struct err *e)
{
	struct tensor *packed = tensor_pack(*w, e);

	tensor_unref(*w);
	*w = packed;
	return packed ? 0 : e->code;
}

/* packed: input 1 is a packed constant, and differences may be those of bfloat16. */
static int check_case(const struct op_case *k, int packed, struct err *e)
{
	const struct node *n = k->model->graph->nodes.at[0];
	struct trial t = {0};
	enum delta_result result = DELTA_DECLINED;
	int rc = ops_bind(k->model, e), moved = 0;

	if (rc || !n->op || !n->op->delta || n->n_in > MAX_SLOTS || n->n_out > MAX_SLOTS)
		return rc;
	for (int i = 0; i < n->n_in && !rc; i++)
		if (n->in[i] && !(t.in[i] = value_of(k, n->in[i], e)))
			rc = e->code;
	if (!rc && packed)
		rc = pack_weights(&t.in[1], e);
	if (!rc)
		rc = trial_eval(&t, n, e);
	if (!rc)
		rc = make_deltas(&t, n, &moved);
	if (!rc && packed) {
		mem_free(t.in_delta[1]);
		t.in_delta[1] = NULL;
	}
	if (!rc && moved) {
		t.c.lanes = LANES;
		t.c.in_delta = (const float *const *)t.in_delta;
		t.c.out_delta = t.out_delta;
		result = n->op->delta(&t.c);
		compared += result == DELTA_DONE;
		rc = result == DELTA_FAILED ? e->code : 0;
	}
	for (int l = 0; l < LANES && !rc && result == DELTA_DONE; l++)
		rc = check_lane(&t, n, l, packed ? TOL_BF16 : TOL, e);
	trial_release(&t);
	return rc;
}

static int check_line(const struct case_line *line)
{
	struct err e = ERR_INIT;
	struct op_case k;
	int rc = case_parse(line->text, 1, &k, &e);

	if (!rc) {
		rc = check_case(&k, 0, &e);
		case_release(&k);
	}
	if (rc)
		print_error("%s:%d: %s\n    %s\n", line->file, line->number, line->text, e.msg);
	return rc != 0;
}

static void test_delta_is_the_difference(void **state)
{
	struct err e = ERR_INIT;
	struct case_lines lines;
	int failures = 0;

	(void)state;
	assert_int_equal(case_lines_read("data/cases", &lines, &e), 0);
	for (size_t i = 0; i < lines.all.n; i++)
		failures += check_line(&lines.all.at[i]);
	case_lines_release(&lines);
	print_message("%zu calls have a delta that agrees with evaluating them\n", compared);
	assert_int_equal(failures, 0);
	assert_true(compared >= 50);
}

/* Convolutions large enough for the tiles of a processor that has them, on every way there. */
static void test_packed_weights(void **state)
{
	const char *const lines[] = {
		"Conv-11 f32[1,64,7,9] f32[40,64,3,3] pads=[1,1,1,1]",
		"Conv-11 f32[2,64,12,11] f32[80,32,3,2] group=2 pads=[0,1,2,0] strides=[1,2] dilations=[2,1]",
		"Conv-11 f32[1,96,9] f32[33,96,1] strides=[2]",
		"Conv-11 f32[1,32,4,3,4] f32[32,32,2,2,3] pads=[1,0,0,0,1,1]",
		"Conv-11 f32[1,64,30,31] f32[32,64,5,5] pads=[2,2,2,2]",
		"Conv-11 f32[1,37,8,8] f32[35,37,3,3]",
		"Conv-11 f32[1,64,6,6] f32[32,64,1,1]",
		"Conv-11 f32[1,4,8,8] f32[8,4,3,3]",
	};

	(void)state;
	compared = 0;
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		struct err e = ERR_INIT;
		struct op_case k;

		assert_int_equal(case_parse(lines[i], 1, &k, &e), 0);
		if (check_case(&k, 1, &e))
			fail_msg("%s: %s", lines[i], e.msg);
		case_release(&k);
	}
	assert_int_equal(compared, sizeof lines / sizeof *lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_delta_is_the_difference),
		cmocka_unit_test(test_packed_weights),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
