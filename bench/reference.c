/* reference.c - speed and memory of the reference beside ONNX Runtime, one thread each, in the same run.
 *
 *   light_resnet50   exact mode within 4x of ONNX Runtime, noisy mode (k = 8) within 12x, memory within 3x of the
 * float32 weights and live activations ten              a graph of ten nodes in under 200 microseconds
 *
 * Both run on one thread, so processor time is counted: it says the same on a busy machine.  Then the reference on
 * one thread and on more, by turns, in time that passes: on two it must be 1.8 times as fast, which says something on
 * a machine that does nothing else.  Prints one line a measurement with the bar beside it; the exit status is 1 when a
 * bar is missed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "backends/ort/ort.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "ops/op.h"
#include "reference/reference.h"
#include "support/bench.h"

static clockid_t watch = CLOCK_PROCESS_CPUTIME_ID;

static double now(void)
{
	struct timespec t;

	clock_gettime(watch, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
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
		bench_die(&e);
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
		bench_die(&e);
	ref_result_release(&out);
}

struct ort_job {
	struct ort_session *session;
	struct named_value in;
	const char *out;
};

static void run_ort(void *arg)
{
	struct ort_job *j = arg;
	struct value *out;
	struct err e = ERR_INIT;

	if (ort_session_run(j->session, &(struct backend_run){{&j->in, 1}, {&j->out, 1}}, &out, &e))
		bench_die(&e);
	value_unref(out);
}

static void start_ort(struct ort_job *j, struct ort *ort, struct model *m, struct tensor *input)
{
	struct err e = ERR_INIT;
	struct buf bytes;

	*j = (struct ort_job){.in = {m->graph->inputs.at[0]->name, value_tensor(tensor_ref(input), &e)},
			      .out = m->graph->outputs.at[0]->name};
	buf_init(&bytes, MODEL_MAX_FILE);
	if (!j->in.value || model_serialize(m, &bytes, &e) ||
	    ort_session_open(ort, &(struct backend_model){.bytes = bytes.data, .n = bytes.len},
			     &(struct ort_session_options){.level = 99, .threads = 1}, &j->session, &e))
		bench_die(&e);
	buf_release(&bytes);
}

/* Both by turns, so that what others do on the machine meets both; the fastest run of each counts. */
static void by_turns(struct ref_job *ref, struct ort_job *ort, int turns, double *ref_best, double *ort_best)
{
	*ref_best = *ort_best = INFINITY;
	for (int i = 0; i < turns; i++) {
		*ref_best = fmin(*ref_best, best_seconds(run_ref, ref, 2));
		*ort_best = fmin(*ort_best, best_seconds(run_ort, ort, 3));
	}
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
		bench_die(&e);
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

/* One thread and `threads` by turns. */
static double faster(struct ref_job *j, size_t threads, int turns, double *one)
{
	double many = INFINITY;

	*one = INFINITY;
	for (int i = 0; i < turns; i++) {
		parallel_set_threads(1);
		*one = fmin(*one, best_seconds(run_ref, j, 2));
		parallel_set_threads(threads);
		many = fmin(many, best_seconds(run_ref, j, 2));
	}
	parallel_set_threads(1);
	return *one / many;
}

/* Two threads, four, … up to all processors. */
static void bench_threads(struct ref_job *j, int with_bars)
{
	static const struct {
		enum ref_mode mode;
		const char *name;
	} modes[] = {{REF_EXACT, "exact"}, {REF_NOISY, "noisy"}};
	size_t most;

	parallel_set_threads(0);
	most = parallel_threads();
	watch = CLOCK_MONOTONIC;
	for (size_t threads = 2; threads <= most; threads *= 2)
		for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
			double one, ratio;
			char what[64];

			j->mode = modes[i].mode;
			ratio = faster(j, threads, threads == 2 ? 12 : 2, &one);
			printf("  %s, one thread %.1f ms, %zu threads %.1f ms\n", modes[i].name, 1e3 * one, threads,
			       1e3 * one / ratio);
			snprintf(what, sizeof what, "  %s, %zu threads", modes[i].name, threads);
			bench_at_least(what, ratio, "x", with_bars && threads == 2 ? 1.8 : 0);
		}
	watch = CLOCK_PROCESS_CPUTIME_ID;
}

static void bench_model(struct ort *ort, const char *path, int with_bars)
{
	struct err e = ERR_INIT;
	struct model *m;
	struct ref_job job;
	struct ort_job peer;
	struct tensor *input;
	double before = resident_bytes(), exact, noisy, ort_s, again, exact_peak, noisy_peak, floor;

	if (model_load(path, &m, &e))
		bench_die(&e);
	input = bench_random_input(m->graph->inputs.at[0]);
	start_job(&job, m, input);
	run_ref(&job); /* memory first, while the other library holds none */
	exact_peak = resident_bytes() - before;
	job.mode = REF_NOISY;
	run_ref(&job);
	noisy_peak = resident_bytes() - before;
	floor = float32_bytes(&job);
	start_ort(&peer, ort, m, input);
	job.mode = REF_EXACT;
	by_turns(&job, &peer, 6, &exact, &ort_s);
	job.mode = REF_NOISY;
	by_turns(&job, &peer, 5, &noisy, &again);
	ort_s = fmin(ort_s, again);
	ort_session_close(peer.session);
	value_unref(peer.in.value);
	printf("%s: onnxruntime %s %.1f ms, exact %.1f ms, noisy (k = 8) %.1f ms\n", path, ort_version(ort),
	       1e3 * ort_s, 1e3 * exact, 1e3 * noisy);
	bench_at_most("  exact / onnxruntime", exact / ort_s, "x", with_bars ? 4 : INFINITY);
	bench_at_most("  noisy / onnxruntime", noisy / ort_s, "x", with_bars ? 12 : INFINITY);
	printf("  float32 weights and live activations %.1f MB, resident growth %.1f MB exact, %.1f MB noisy\n",
	       1e-6 * floor, 1e-6 * exact_peak, 1e-6 * noisy_peak);
	bench_at_most("  memory, exact / float32", exact_peak / floor, "x", with_bars ? 3 : INFINITY);
	bench_at_most("  memory, noisy / float32", noisy_peak / floor, "x", with_bars ? 3 : INFINITY);
	bench_threads(&job, with_bars);
	tensor_unref(input);
	end_job(&job);
}

static void bench_ten(struct ort *ort)
{
	struct model *m = bench_make_ten();
	struct ref_job job;
	struct ort_job peer;
	struct tensor *input = bench_random_input(m->graph->inputs.at[0]);
	double exact, ort_s;

	start_job(&job, m, input);
	start_ort(&peer, ort, m, input);
	by_turns(&job, &peer, 500, &exact, &ort_s);
	ort_session_close(peer.session);
	value_unref(peer.in.value);
	printf("ten: onnxruntime %.1f us, exact %.1f us\n", 1e6 * ort_s, 1e6 * exact);
	bench_at_most("  exact", 1e6 * exact, "us", 200);
	tensor_unref(input);
	end_job(&job);
}

int main(int argc, char **argv)
{
	const char *deps = getenv("ASSAY_DEPS") ? getenv("ASSAY_DEPS") : ".deps";
	char library[4096], model[4096];
	struct err e = ERR_INIT;
	struct ort *ort;

	mem_keep_large(); /* as the program does */
	snprintf(library, sizeof library, "%s/onnxruntime/libonnxruntime.so", deps);
	snprintf(model, sizeof model, "%s/onnx-tests/light/light_resnet50.onnx", deps);
	if (ort_open(library, &ort, &e))
		bench_die(&e);
	bench_model(ort, model, 1);
	for (int i = 1; i < argc; i++)
		bench_model(ort, argv[i], 0);
	bench_ten(ort);
	ort_close(ort);
	return bench_missed;
}
