/* swap.c - the tables of the paper on meta operators, operator by library, and what mixed execution costs.
 *
 *   bench_swap                         tables from TensorFlow to PyTorch, TFLite and MXNet, then the speed bars
 *   bench_swap BASE LIBRARY…           the same with other libraries; those that are not installed are left out
 *
 * Inputs differ from element to element.  A cell is δ (the mean absolute deviation between both libraries); a cell that
 * the reference finds wrong says so, and in which library. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/session.h"
#include "methods/swap/swap.h"
#include "model/case.h"
#include "support/bench.h"
#include "zoo/zoo.h"

#define MAX_LIBRARIES 8
#define RUNS 200 /* the least of so many: one run varies fivefold on a busy machine */

/* The paper's twenty operators. */
static const struct {
	const char *name, *line;
} operators[] = {
	{"add", "Add-14 f32[1,100] f32[1,100]"},
	{"multiply", "Mul-14 f32[1,100] f32[1,100]"},
	{"matmul", "MatMul-13 f32[1,100] f32[100,1]"},
	{"sigmoid", "Sigmoid-13 f32[1,100]"},
	{"log", "Log-13 f32[1,100]@0.1:3"},
	{"exp", "Exp-13 f32[1,100]"},
	{"negative", "Neg-13 f32[1,100]"},
	{"inv", "Reciprocal-13 f32[1,100]@0.5:3"},
	{"div", "Div-14 f32[1,100] f32[1,100]@0.5:3"},
	{"square", "Pow-15 f32[1,100]@0.5:3 f32{2}[]"},
	{"transpose", "Transpose-13 f32[1,100] perm=[1,0]"},
	{"reshape", "Reshape-14 f32[1,100] i64{10,10}"},
	{"reduce_sum", "ReduceSum-13 f32[1,100] i64{1}"},
	{"reduce_mean", "ReduceMean-13 f32[1,100] axes=[1]"},
	{"softmax", "Softmax-13 f32[1,100]"},
	{"ReLU", "Relu-14 f32[1,100]"},
	{"BatchNorm", "BatchNormalization-15 f32[1,100,2,2] f32[100] f32[100] f32[100] f32[100]@0.5:2"},
	{"Conv2D", "Conv-11 f32[1,3,10,10] f32[4,3,3,3]"},
	{"einsum", "Einsum-12 f32[1,1,5,3] f32[1,1,3,2] equation=\"bnij,bnjc->bnic\""},
	{"Dropout", "Dropout-13 f32[1,100]"},
};
#define OPERATORS (sizeof operators / sizeof *operators)

struct cell {
	double c, g;
	enum verdict verdict;
	int gradient, base;
};

static void must(int rc, const struct err *e)
{
	if (rc)
		bench_die(e);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static struct cell measure(const char *line, struct party *base, struct party *test)
{
	struct swap_options o = {.gradients = 1, .no_verify = 1};
	struct cell cell = {(double)NAN, (double)NAN, VERDICT_UNSUPPORTED, 0, 0};
	struct swap_result r = {0};
	struct err e = ERR_INIT;
	struct op_case c;
	struct trial t;

	must(case_parse(line, 1, &c, &e), &e);
	must(trial_init(&t, c.model, c.inputs, 1, &e), &e);
	if (!swap_run(&t, base, test, &o, &r, &e))
		cell = (struct cell){r.ops[0].delta_c, r.ops[0].delta_g, r.ops[0].verdict, r.ops[0].gradient,
				     r.ops[0].side == SWAP_BASE};
	swap_result_release(&r);
	trial_release(&t);
	return cell;
}

static void print_cell(const struct cell *c, int gradient)
{
	double x = gradient ? c->g : c->c;
	int wrong = verdict_is_finding(c->verdict) && c->gradient == gradient;

	if (isnan(x))
		printf(" %22s", c->verdict == VERDICT_UNSUPPORTED ? "-" : wrong ? verdict_name(c->verdict) : "-");
	else
		printf(" %9.2e%-13s", x, wrong ? c->base ? " base wrong" : " wrong" : "");
}

static void print_table(const char *title, struct cell (*cells)[MAX_LIBRARIES], const struct party *p, size_t n,
			int gradient)
{
	printf("\n%s, %s against\n%-12s", title, p[0].spec.name, "operator");
	for (size_t i = 1; i < n; i++)
		printf(" %-22s", p[i].spec.name);
	putchar('\n');
	for (size_t k = 0; k < OPERATORS; k++) {
		printf("%-12s", operators[k].name);
		for (size_t i = 1; i < n; i++)
			print_cell(&cells[k][i], gradient);
		putchar('\n');
	}
}

static void tables(struct party *p, size_t n)
{
	struct cell cells[OPERATORS][MAX_LIBRARIES] = {0};

	for (size_t k = 0; k < OPERATORS; k++)
		for (size_t i = 1; i < n; i++)
			cells[k][i] = measure(operators[k].line, &p[0], &p[i]);
	print_table("Table 2: outputs", cells, p, n, 0);
	print_table("Table 3: gradients", cells, p, n, 1);
	putchar('\n');
}

/* ---- speed ------------------------------------------------------------------------------------------------------- */

static struct trial network(const char *name)
{
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct trial t;

	must(zoo_build(zoo_find(name), 1, 1, NULL, &m, &e), &e);
	in[0] = value_tensor(bench_random_input(m->graph->inputs.at[0]), &e);
	must(trial_init(&t, m, in, 1, &e), &e);
	return t;
}

/* Least seconds of a whole-graph run and of a mixed run with all nodes on one library; in turns, so that both see the
 * same load of the machine. */
static double overhead(struct trial *t, struct party *p)
{
	size_t *binding = mem_array(t->model->graph->nodes.n, sizeof *binding);
	double own = (double)INFINITY, mixed = (double)INFINITY;
	struct party *parties[] = {p};
	struct err e = ERR_INIT;
	struct outcome loaded = {0};
	struct mixed *m = NULL;
	uint64_t session;

	must(mixed_open(t, parties, 1, binding, 0, &m, &e), &e);
	session_load(p, t, &session, &loaded);
	for (int i = 0; i < RUNS; i++) {
		struct mixed_run run = {0};
		struct outcome o = {0};
		double start = clock_now(), then;

		must(session_run(p, t, session, &o, &e), &e);
		then = clock_now();
		must(mixed_forward(m, &run, &e), &e);
		own = fmin(own, then - start);
		mixed = i ? fmin(mixed, clock_now() - then) : mixed; /* the first one loads */
		outcome_release(&o);
		mixed_run_release(&run);
	}
	session_unload(p, session);
	mixed_close(m);
	mem_free(binding);
	return mixed / own;
}

static void speed(struct party *p, size_t n)
{
	struct swap_options o = {.gradients = 1};
	struct trial t = network("resnet20");
	struct swap_result r = {0};
	struct err e = ERR_INIT;
	char what[128];

	for (size_t i = 0; i < n; i++) {
		snprintf(what, sizeof what, "resnet20 mixed, all on %.40s, against its own run", p[i].spec.name);
		bench_at_most(what, overhead(&t, &p[i]), "times", 1.15);
	}
	for (size_t i = 1; i < n; i++) {
		must(swap_run(&t, &p[0], &p[i], &o, &r, &e), &e);
		snprintf(what, sizeof what, "resnet20 swapped, %.40s to %.40s%s", p[0].spec.name, p[i].spec.name,
			 r.gradients ? "" : ", outputs alone");
		bench_at_most(what, r.seconds, "s", 30);
		swap_result_release(&r);
	}
	trial_release(&t);
}

int main(int argc, char **argv)
{
	static const char *const usual[] = {"tf", "torch", "tflite", "mxnet@1.6.0", "mxnet@1.9.1"};
	struct party p[MAX_LIBRARIES];
	size_t n = 0, given = argc > 1 ? (size_t)argc - 1 : sizeof usual / sizeof *usual;

	for (size_t i = 0; i < given && n < MAX_LIBRARIES; i++) {
		const char *name = argc > 1 ? argv[i + 1] : usual[i];
		struct err e = ERR_INIT;

		if (party_open(&p[n], name, NULL, &e))
			printf("%s is left out: %s\n", name, e.msg);
		else
			n++;
	}
	if (n < 2) {
		printf("nothing to swap: two libraries are needed\n");
		return 0;
	}
	tables(p, n);
	speed(p, n);
	for (size_t i = 0; i < n; i++)
		party_close(&p[i]);
	return bench_missed;
}
