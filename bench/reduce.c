/* reduce.c - how small findings become, how many tries that takes, and how long.
 *
 *   networks   faults planted into trained networks of 323 to 860 nodes: one to three nodes, ten seconds of backend
 *              time
 *   pattern    thirty nodes around Pow → ReduceMean → Add → Sqrt → Div, which ONNX Runtime 1.20.1 fuses as if the
 *              exponent were 2: to that pattern, in half a second
 *   polygraphy the same model by `polygraphy debug reduce`, where $POLYGRAPHY names the program: the ratio of both
 *
 * scripts/bench-polygraphy makes an environment for the last and runs this bench with it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "support/bench.h"
#include "tensor/stats.h"
#include "triage/triage.h"

#define NETWORK_NODES 3
#define NETWORK_BACKEND_BAR 10.0
#define PATTERN_BAR 0.5
#define TURNS 3         /* the fastest counts, of both */
#define PATTERN_NODES 7 /* with the Mul by a scale that makes it RMSNorm */
#define SIDE 12         /* nodes before and after the pattern */

struct job {
	struct trial trial;
	struct party party;
	struct outcome outcome;
};

/* ---- cases ------------------------------------------------------------------------------------------------------- */

static struct tensor *random_tensor(int rank, const int64_t *dims, struct err *e)
{
	struct tensor *t = tensor_new(DT_FLOAT, rank, dims, e);
	struct rng rng;

	rng_init(&rng, 2);
	if (!t || tensor_fill_random(t, &rng, -1, 1, e))
		bench_die(e);
	return t;
}

static void start(struct job *j, struct model *m, int rank, const int64_t *dims, const char *backend)
{
	struct value **in = mem_array(m->graph->inputs.n, sizeof *in);
	struct err e = ERR_INIT;

	if (in)
		in[0] = value_tensor(random_tensor(rank, dims, &e), &e);
	if (!in || trial_init(&j->trial, m, in, 1, &e) || party_open(&j->party, backend, NULL, &e) ||
	    trial_judge(&j->trial, &j->party, NULL, &j->outcome, &e))
		bench_die(&e);
	if (!verdict_is_finding(j->outcome.verdict)) {
		err_set(&e, ERR_INTERNAL, "%s: no finding: %s %s", backend, verdict_name(j->outcome.verdict),
			j->outcome.reason);
		bench_die(&e);
	}
}

static void finish(struct job *j)
{
	outcome_release(&j->outcome);
	party_close(&j->party);
	trial_release(&j->trial);
}

static struct wire *chain(struct graph *g, const char *op, struct wire *a, struct wire *b, struct err *e)
{
	struct wire *in[2] = {a, b};
	struct node *n = NULL;
	char name[32];

	snprintf(name, sizeof name, "v%zu", g->nodes.n);
	if (graph_append_node(g, op, in, b ? 2 : 1, name, &n, e))
		bench_die(e);
	return n->out[0];
}

static struct wire *constant(struct graph *g, const char *name, enum dtype t, double x, int64_t n, struct err *e)
{
	struct tensor *value = tensor_new(t, n ? 1 : 0, &n, e);
	struct wire *w = NULL;

	for (size_t i = 0; value && i < value->count; i++)
		if (t == DT_INT64)
			value->i[i] = (int64_t)x;
		else
			value->f[i] = x + 0.125 * (double)i;
	if (!value || graph_add_init(g, name, value, &w, e))
		bench_die(e);
	return w;
}

static struct wire *side(struct graph *g, struct wire *w, struct err *e)
{
	static const char *const ops[] = {"Relu", "Tanh", "Sigmoid", "Softplus"};
	char name[32];

	for (int i = 0; i < SIDE; i++) {
		snprintf(name, sizeof name, "c%zu", g->nodes.n);
		w = i % 2 ? chain(g, "Add", w, constant(g, name, DT_FLOAT, 0.5, 8, e), e)
			  : chain(g, ops[i / 2 % 4], w, NULL, e);
	}
	return w;
}

static const int64_t pattern_dims[2] = {2, 8};

/* Pow(x, 3) → ReduceMean(-1) → Add → Sqrt → Div → Mul between two chains. */
static struct model *make_pattern(struct err *e)
{
	const int64_t last = -1;
	struct type t = TYPE_INIT;
	struct model *m = NULL;
	struct wire *x, *y;
	struct graph *g;

	if (model_new(17, &m, e))
		bench_die(e);
	m->ir_version = 8;
	g = m->graph;
	type_set(&t, DT_FLOAT, 2, pattern_dims);
	if (graph_add_input(g, "x", &t, &x, e))
		bench_die(e);
	x = side(g, x, e);
	y = chain(g, "Pow", x, constant(g, "exponent", DT_FLOAT, 3, 0, e), e);
	y = chain(g, "ReduceMean", y, NULL, e);
	if (node_set_ints(y->producer, "axes", &last, 1, e))
		bench_die(e);
	y = chain(g, "Add", y, constant(g, "epsilon", DT_FLOAT, 1e-5, 0, e), e);
	y = chain(g, "Div", x, chain(g, "Sqrt", y, NULL, e), e);
	y = chain(g, "Mul", y, constant(g, "scale", DT_FLOAT, 1, 8, e), e);
	y = side(g, y, e);
	if (graph_add_output(g, y, e))
		bench_die(e);
	return m;
}

/* ---- measurements ------------------------------------------------------------------------------------------------ */

static void print_nodes(const struct model *m)
{
	printf("    ");
	for (size_t i = 0; i < m->graph->nodes.n; i++)
		printf("%s%s", i ? " → " : "", m->graph->nodes.at[i]->op_type);
	printf("\n");
}

static void reduce_one(struct job *j, const char *what, const char *op, int jobs, struct reduce_result *out)
{
	/* Nodes that are left must not hang on what else the machine does: no reduction is cut off by the clock. */
	struct reduce_options o = {.jobs = jobs, .seconds = 3600};
	struct err e = ERR_INIT;

	if (reduce_trial(&j->trial, &j->party, &j->outcome, op, &o, out, &e))
		bench_die(&e);
	printf("%s: %zu nodes to %zu in %.2f s (backend %.2f s), %zu tries, %zu kept%s%s\n", what, out->nodes_before,
	       out->nodes_after, out->seconds, out->backend_seconds, out->tries, out->kept,
	       *out->switches.words ? ", right without: " : "", out->switches.words);
	print_nodes(out->trial.model);
}

static const struct network {
	const char *name;
	int64_t dims[4];
	const char *fault, *op;
} networks[] = {
	{"ppocr-v4-det", {1, 3, 64, 96}, "kernel_mirrored", "Conv"},
	{"ppocr-v4-rec", {1, 3, 48, 96}, "matmul_tail", "MatMul"},
	{"ppocr-v4-rec", {1, 3, 48, 96}, "softmax_axis", "Softmax"},
	{"ppocr-v2-cls", {1, 3, 48, 192}, "bn_no_sqrt", "BatchNormalization"},
	{"nudenet", {1, 3, 160, 160}, "sigmoid_hard", "Sigmoid"},
};

static void measure_network(const struct network *n, const char *folder)
{
	struct model *m = NULL;
	struct job j = {0};
	struct reduce_result r = {0};
	struct err e = ERR_INIT;
	char path[4096], name[80];

	snprintf(path, sizeof path, "%s/models/%s.onnx", folder, n->name);
	if (model_load(path, &m, &e))
		bench_die(&e);
	snprintf(name, sizeof name, "fault:%s", n->fault);
	start(&j, m, 4, n->dims, name);
	snprintf(name, sizeof name, "%s, %s", n->name, n->fault);
	reduce_one(&j, name, n->op, 1, &r);
	bench_at_most("network, nodes", (double)r.nodes_after, "", NETWORK_NODES);
	bench_at_most("network, backend time", r.backend_seconds, "s", NETWORK_BACKEND_BAR);
	reduce_result_release(&r);
	finish(&j);
}

/* Seconds of `polygraphy debug reduce` on the same model; NAN without the program. */
static double measure_polygraphy(const struct job *j)
{
	const char *program = getenv("POLYGRAPHY"), *check = getenv("POLYGRAPHY_CHECK");
	char folder[] = "/tmp/assay-reduce-XXXXXX", path[64], command[4096];
	struct err e = ERR_INIT;
	FILE *run;
	double begin, best = INFINITY;
	int status;

	if (!program || !check || !mkdtemp(folder))
		return NAN;
	snprintf(path, sizeof path, "%s/model.onnx", folder);
	if (buf_write_file(j->trial.bytes.data, j->trial.bytes.len, path, &e))
		bench_die(&e);
	snprintf(command, sizeof command,
		 "cd %s && %s debug reduce model.onnx -o reduced.onnx --mode=bisect --model-input-shapes x:[2,8] "
		 "--check %s polygraphy_debug.onnx >log 2>&1",
		 folder, program, check);
	for (int i = 0; i < TURNS; i++) {
		begin = clock_now();
		run = popen(command, "r");
		status = run ? pclose(run) : -1;
		if (status) {
			fprintf(stderr, "bench: polygraphy failed with status %d; see %s/log\n", status, folder);
			return NAN;
		}
		best = fmin(best, clock_now() - begin);
	}
	return best;
}

static void measure_pattern(const char *backend)
{
	struct err e = ERR_INIT;
	struct job j = {0};
	struct reduce_result r = {0};
	double other, best = INFINITY;

	start(&j, make_pattern(&e), 2, pattern_dims, backend);
	for (int i = 0; i < TURNS; i++) {
		reduce_result_release(&r);
		reduce_one(&j, backend, NULL, 1, &r);
		best = fmin(best, r.seconds);
	}
	bench_at_most("pattern, nodes", (double)r.nodes_after, "", PATTERN_NODES);
	bench_at_most("pattern, time", best, "s", PATTERN_BAR);
	other = measure_polygraphy(&j);
	if (isnan(other))
		printf("polygraphy: not measured, $POLYGRAPHY does not name it\n");
	else
		printf("polygraphy: %.2f s, %.1f times as long\n", other, other / best);
	reduce_result_release(&r);
	finish(&j);
}

int main(int argc, char **argv)
{
	const char *deps = getenv("ASSAY_DEPS");

	measure_pattern(argc > 1 ? argv[1] : "ort@1.20.1");
	for (size_t i = 0; i < sizeof networks / sizeof *networks; i++)
		measure_network(&networks[i], deps ? deps : ".deps");
	return bench_missed;
}
