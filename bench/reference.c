/* reference.c - speed and memory of the reference beside ONNX Runtime, one thread each, in the same run.
 *
 *   light_resnet50   exact mode within 4x of ONNX Runtime, noisy mode (k = 8) within 12x, memory within 3x of the
 * float32 weights and live activations ten              a graph of ten nodes in under 200 microseconds
 *
 * Both run on one thread, so processor time is counted: it says the same on a busy machine.  Prints one line a
 * measurement with the bar beside it; the exit status is 1 when a bar is missed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "backends/ort/ort.h"
#include "base/mem.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "tensor/stats.h"

static int missed; /* bars */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void die(const struct err *e)
{
	fprintf(stderr, "bench: %s\n", e->msg);
	exit(2);
}

static void report(const char *what, double value, const char *unit, double bar)
{
	int ok = value <= bar;

	printf("%-44s %10.3f %-3s  bar %8.3f  %s\n", what, value, unit, bar, ok ? "ok" : "MISSED");
	missed |= !ok;
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

static struct wire *add(struct graph *g, const char *op, struct wire *const *in, int n, const char *out,
			struct node **node)
{
	struct err e = ERR_INIT;

	if (graph_add_node(g, g->nodes.n, op, "", in, n, &out, 1, node, &e))
		die(&e);
	return (*node)->out[0];
}

static struct wire *weights(struct graph *g, const char *name, int rank, const int64_t *dims, struct rng *rng)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, rank, dims, &e), *packed;
	struct wire *w;

	if (!t || tensor_fill_random(t, rng, 0.1, 0.5, &e) || !(packed = tensor_pack(t, &e)) ||
	    graph_add_init(g, name, packed, &w, &e))
		die(&e);
	tensor_unref(t);
	return w;
}

/* Conv BN Relu MaxPool Conv Sigmoid Add GlobalAveragePool Flatten Gemm on 1x3x32x32 */
static struct model *make_ten(void)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct type t = TYPE_INIT;
	struct rng rng;
	struct node *n;
	struct wire *x, *y, *z;

	rng_init(&rng, 1);
	if (model_new(13, &m, &e))
		die(&e);
	struct graph *g = m->graph;
	type_set(&t, DT_FLOAT, 4, (int64_t[]){1, 3, 32, 32});
	if (graph_add_input(g, "x", &t, &x, &e))
		die(&e);
	y = add(g, "Conv", (struct wire *[]){x, weights(g, "w1", 4, (int64_t[]){8, 3, 3, 3}, &rng)}, 2, "conv1", &n);
	if (node_set_ints(n, "pads", (int64_t[]){1, 1, 1, 1}, 4, &e))
		die(&e);
	y = add(g, "BatchNormalization",
		(struct wire *[]){y, weights(g, "s", 1, (int64_t[]){8}, &rng), weights(g, "b", 1, (int64_t[]){8}, &rng),
				  weights(g, "m", 1, (int64_t[]){8}, &rng), weights(g, "v", 1, (int64_t[]){8}, &rng)},
		5, "bn", &n);
	y = add(g, "Relu", &y, 1, "relu", &n);
	y = add(g, "MaxPool", &y, 1, "pool", &n);
	if (node_set_ints(n, "kernel_shape", (int64_t[]){2, 2}, 2, &e) ||
	    node_set_ints(n, "strides", (int64_t[]){2, 2}, 2, &e))
		die(&e);
	z = add(g, "Conv", (struct wire *[]){y, weights(g, "w2", 4, (int64_t[]){8, 8, 3, 3}, &rng)}, 2, "conv2", &n);
	if (node_set_ints(n, "pads", (int64_t[]){1, 1, 1, 1}, 4, &e))
		die(&e);
	z = add(g, "Sigmoid", &z, 1, "sigmoid", &n);
	y = add(g, "Add", (struct wire *[]){y, z}, 2, "add", &n);
	y = add(g, "GlobalAveragePool", &y, 1, "gap", &n);
	y = add(g, "Flatten", &y, 1, "flat", &n);
	y = add(g, "Gemm", (struct wire *[]){y, weights(g, "w3", 2, (int64_t[]){8, 10}, &rng)}, 2, "y", &n);
	if (graph_add_output(g, y, &e))
		die(&e);
	return m;
}

static struct tensor *random_input(const struct wire *w)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_FLOAT, w->type.rank, w->type.dims, &e), *packed;
	struct rng rng;

	rng_init(&rng, 2);
	if (!t || tensor_fill_random(t, &rng, -1, 1, &e) || !(packed = tensor_pack(t, &e)))
		die(&e);
	tensor_unref(t);
	return packed;
}

/* ---- measurements ------------------------------------------------------------------------------------------------ */

/* The fastest of `runs` runs after one to warm up: what others do on the machine only ever adds. */
static double best_seconds(void (*once)(void *), void *arg, int runs)
{
	double best = INFINITY;

	once(arg);
	for (int i = 0; i < runs; i++) {
		double start = now(), took;

		once(arg);
		took = now() - start;
		best = took < best ? took : best;
	}
	return best;
}

struct ref_job {
	struct ref *ref;
	struct model *model;
	struct value **inputs; /* the first is given; others have initializers */
	enum ref_mode mode;
};

static void start_job(struct ref_job *j, struct model *m, struct tensor *input)
{
	struct err e = ERR_INIT;

	*j = (struct ref_job){.model = m, .inputs = mem_array(m->graph->inputs.n, sizeof *j->inputs)};
	if (!j->inputs || ref_open(m, &j->ref, &e) || !(j->inputs[0] = value_tensor(tensor_ref(input), &e)))
		die(&e);
}

static void end_job(struct ref_job *j)
{
	value_unref(j->inputs[0]);
	mem_free(j->inputs);
	ref_close(j->ref);
	model_free(j->model);
}

static void run_ref(void *arg)
{
	struct ref_job *j = arg;
	struct ref_options o = {.mode = j->mode};
	struct ref_result out;
	struct err e = ERR_INIT;

	if (ref_run(j->ref, j->inputs, j->model->graph->inputs.n, &o, &out, &e))
		die(&e);
	ref_result_release(&out);
}

struct ort_job {
	struct ort_session *session;
	struct tensor *input;
	const char *in, *out;
};

static void run_ort(void *arg)
{
	struct ort_job *j = arg;
	struct tensor *out;
	struct err e = ERR_INIT;

	if (ort_session_run(j->session, &j->in, &j->input, 1, &j->out, &out, 1, &e))
		die(&e);
	tensor_unref(out);
}

static double ort_seconds(struct ort *ort, struct model *m, struct tensor *input, int runs)
{
	struct ort_job j = {.input = input, .in = m->graph->inputs.at[0]->name, .out = m->graph->outputs.at[0]->name};
	struct err e = ERR_INIT;
	struct buf bytes;
	double s;

	buf_init(&bytes, MODEL_MAX_FILE);
	if (model_serialize(m, &bytes, &e) ||
	    ort_session_open(ort, bytes.data, bytes.len, &(struct ort_session_options){99, 1}, &j.session, &e))
		die(&e);
	s = best_seconds(run_ort, &j, runs);
	ort_session_close(j.session);
	buf_release(&bytes);
	return s;
}

/* Float32 bytes of all weights and of the most activations that are alive at once. */
struct footprint {
	double weights, live, peak;
	int *last_use;
	double *bytes; /* by wire: of an activation that is alive */
};

static int weigh(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		 void *arg)
{
	struct footprint *f = arg;
	double bytes = 4.0 * (double)v->tensor->count;

	(void)out;
	(void)noise;
	if (!strcmp(n->op_type, "ConstantOfShape")) { /* how the light models spell their weights */
		f->weights += bytes;
		return 0;
	}
	f->bytes[w->id] = bytes;
	f->live += bytes;
	f->peak = f->live > f->peak ? f->live : f->peak;
	for (int i = 0; i < n->n_in; i++)
		if (n->in[i] && f->last_use[n->in[i]->id] == n->index) {
			f->live -= f->bytes[n->in[i]->id];
			f->bytes[n->in[i]->id] = 0;
		}
	return 0;
}

static double float32_bytes(struct ref_job *j)
{
	struct model *m = j->model;
	struct footprint f = {.last_use = mem_array(m->graph->wires.n, sizeof *f.last_use),
			      .bytes = mem_array(m->graph->wires.n, sizeof *f.bytes)};
	struct ref_options o = {.mode = REF_EXACT, .observe = weigh, .observe_arg = &f};
	struct ref_result out;
	struct err e = ERR_INIT;

	for (size_t i = 0; i < m->graph->nodes.n; i++)
		for (int k = 0; k < m->graph->nodes.at[i]->n_in; k++)
			if (m->graph->nodes.at[i]->in[k])
				f.last_use[m->graph->nodes.at[i]->in[k]->id] = (int)i;
	for (size_t i = 0; i < m->graph->wires.n; i++)
		f.weights += m->graph->wires.at[i]->init ? 4.0 * (double)m->graph->wires.at[i]->init->count : 0;
	if (ref_run(j->ref, j->inputs, m->graph->inputs.n, &o, &out, &e))
		die(&e);
	ref_result_release(&out);
	mem_free(f.last_use);
	mem_free(f.bytes);
	return f.weights + f.peak;
}

static double resident_bytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return 1024.0 * (double)u.ru_maxrss;
}

static void bench_model(struct ort *ort, const char *path, int with_bars)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct ref_job job;
	struct tensor *input;
	double before = resident_bytes(), exact, noisy, ort_s, exact_peak, noisy_peak, floor;

	if (model_load(path, &m, &e))
		die(&e);
	input = random_input(m->graph->inputs.at[0]);
	start_job(&job, m, input);
	exact = best_seconds(run_ref, &job, 9);
	exact_peak = resident_bytes() - before;
	job.mode = REF_NOISY;
	noisy = best_seconds(run_ref, &job, 5);
	noisy_peak = resident_bytes() - before;
	floor = float32_bytes(&job);
	ort_s = ort_seconds(ort, m, input, 15);
	printf("%s: onnxruntime %s %.1f ms, exact %.1f ms, noisy (k = 8) %.1f ms\n", path, ort_version(ort),
	       1e3 * ort_s, 1e3 * exact, 1e3 * noisy);
	report("  exact / onnxruntime", exact / ort_s, "x", with_bars ? 4 : INFINITY);
	report("  noisy / onnxruntime", noisy / ort_s, "x", with_bars ? 12 : INFINITY);
	printf("  float32 weights and live activations %.1f MB, resident growth %.1f MB exact, %.1f MB noisy\n",
	       1e-6 * floor, 1e-6 * exact_peak, 1e-6 * noisy_peak);
	report("  memory, exact / float32", exact_peak / floor, "x", with_bars ? 3 : INFINITY);
	report("  memory, noisy / float32", noisy_peak / floor, "x", with_bars ? 3 : INFINITY);
	tensor_unref(input);
	end_job(&job);
}

static void bench_ten(struct ort *ort)
{
	struct model *m = make_ten();
	struct ref_job job;
	struct tensor *input = random_input(m->graph->inputs.at[0]);
	double exact, ort_s;

	start_job(&job, m, input);
	exact = best_seconds(run_ref, &job, 1001);
	ort_s = ort_seconds(ort, m, input, 1001);
	printf("ten: onnxruntime %.1f us, exact %.1f us\n", 1e6 * ort_s, 1e6 * exact);
	report("  exact", 1e6 * exact, "us", 200);
	tensor_unref(input);
	end_job(&job);
}

int main(int argc, char **argv)
{
	const char *deps = getenv("ASSAY_DEPS") ? getenv("ASSAY_DEPS") : ".deps";
	char library[4096], model[4096];
	struct err e = ERR_INIT;
	struct ort *ort;

	snprintf(library, sizeof library, "%s/onnxruntime/libonnxruntime.so", deps);
	snprintf(model, sizeof model, "%s/onnx-tests/light/light_resnet50.onnx", deps);
	if (ort_open(library, &ort, &e))
		die(&e);
	bench_model(ort, model, 1);
	for (int i = 1; i < argc; i++)
		bench_model(ort, argv[i], 0);
	bench_ten(ort);
	ort_close(ort);
	return missed;
}
