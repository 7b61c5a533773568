/* workers.c - ONNX Runtime through its worker beside the same calls in this process.
 *
 *   ten              load, run and unload a graph of ten nodes: at least 85 % of the direct throughput
 *   light_resnet50   run: likewise
 *   small            what a round trip adds to a RUN of one small tensor: at most 30 microseconds
 *   group            a worker in a control group beside one in none: at most 5 % more for its start and a small RUN
 *   restart          from a crash to the first model loaded by the worker's successor: at most 10 milliseconds, of
 *                    TensorFlow 700 where it is installed
 *
 * Both kinds take turns and the fastest turn of each counts, by the clock on the wall: two processes share the work. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/ort/ort.h"
#include "base/clock.h"
#include "base/mem.h"
#include "support/bench.h"
#include "worker/guards.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

#define RESTARTS 25
#define STARTS 40
#define PAIRS 8 /* of workers: where a process lies in memory makes a third of a small run */
#define TURNS_OF_A_PAIR 2500
#define TURNS_OF_TEN 1500 /* the fastest of each settles within two per cent */

struct job {
	struct ort *ort;
	struct worker *worker;
	struct buf model;
	struct named_value in;
	const char *out;
	struct ort_session *session; /* loaded once, for runs alone */
	uint64_t worker_session;
};

static struct worker_report report;

static void must(enum worker_result r)
{
	if (r) {
		fprintf(stderr, "bench: %s: %s\n%s", worker_result_name(r), report.message, report.stderr_tail);
		exit(2);
	}
}

/* ---- one of each ------------------------------------------------------------------------------------------------- */

static struct ort_session *direct_load(struct job *j)
{
	struct ort_session *s;
	struct err e = ERR_INIT;

	if (ort_session_open(j->ort, &(struct backend_model){.bytes = j->model.data, .n = j->model.len},
			     &(struct ort_session_options){.level = 99, .threads = 1}, &s, &e))
		bench_die(&e);
	return s;
}

static void direct_run(struct job *j, struct ort_session *s)
{
	struct err e = ERR_INIT;
	struct value *y;

	if (ort_session_run(s, &(struct backend_run){{&j->in, 1}, {&j->out, 1}}, &y, &e))
		bench_die(&e);
	value_unref(y);
}

static uint64_t worker_load_job(struct job *j)
{
	uint64_t session;

	must(worker_load(j->worker, j->model.data, j->model.len, NULL, 0, &session, &report));
	return session;
}

static void worker_run_job(struct job *j, uint64_t session)
{
	struct named_value *out;
	size_t n;

	must(worker_run(j->worker, session, &(struct backend_run){.in = {&j->in, 1}}, &out, &n, &report));
	worker_values_free(out, n);
}

static void direct_all(struct job *j)
{
	struct ort_session *s = direct_load(j);

	direct_run(j, s);
	ort_session_close(s);
}

static void worker_all(struct job *j)
{
	uint64_t s = worker_load_job(j);

	worker_run_job(j, s);
	must(worker_unload(j->worker, s, &report));
}

static void direct_again(struct job *j)
{
	direct_run(j, j->session);
}

static void worker_again(struct job *j)
{
	worker_run_job(j, j->worker_session);
}

/* ---- measuring --------------------------------------------------------------------------------------------------- */

static double turn(struct job *j, void (*act)(struct job *), int n)
{
	double start = clock_now();

	for (int i = 0; i < n; i++)
		act(j);
	return (clock_now() - start) / n;
}

/* Seconds of one act, here and there: the fastest turn of `n` acts each. */
static void compare(struct job *j, void (*direct)(struct job *), void (*there)(struct job *), int turns, int n,
		    double *d, double *t)
{
	*d = *t = INFINITY;
	for (int i = 0; i < turns; i++) {
		*d = fmin(*d, turn(j, direct, n));
		*t = fmin(*t, turn(j, there, n));
	}
}

static void begin(struct job *j, struct model *m)
{
	struct err e = ERR_INIT;

	buf_init(&j->model, MODEL_MAX_FILE);
	if (model_serialize(m, &j->model, &e))
		bench_die(&e);
	j->in.name = m->graph->inputs.at[0]->name;
	j->in.value = value_tensor(bench_random_input(m->graph->inputs.at[0]), &e);
	j->out = m->graph->outputs.at[0]->name;
	j->session = direct_load(j);
	j->worker_session = worker_load_job(j);
}

static void end(struct job *j, struct model *m)
{
	ort_session_close(j->session);
	must(worker_unload(j->worker, j->worker_session, &report));
	value_unref(j->in.value);
	buf_release(&j->model);
	model_free(m);
}

static void bench_ten(struct job *j)
{
	struct model *m = bench_make_ten();
	double d, t;

	begin(j, m);
	compare(j, direct_all, worker_all, TURNS_OF_TEN, 1, &d, &t);
	printf("ten: load, run, unload: %.1f us direct, %.1f us through the worker\n", 1e6 * d, 1e6 * t);
	bench_at_least("  throughput kept", 100 * d / t, "%", 85);
	compare(j, direct_again, worker_again, 400, 5, &d, &t);
	printf("ten: run: %.1f us direct, %.1f us through the worker\n", 1e6 * d, 1e6 * t);
	end(j, m);
}

static void bench_file(struct job *j, const char *path)
{
	struct err e = ERR_INIT;
	struct model *m;
	double d, t;

	if (model_load(path, &m, &e))
		bench_die(&e);
	begin(j, m);
	compare(j, direct_again, worker_again, 21, 1, &d, &t);
	printf("light_resnet50: run: %.1f ms direct, %.1f ms through the worker\n", 1e3 * d, 1e3 * t);
	bench_at_least("  throughput kept", 100 * d / t, "%", 85);
	end(j, m);
}

static struct model *make_small(void)
{
	struct err e = ERR_INIT;
	struct type t = TYPE_INIT;
	struct model *m;
	struct node *n;
	struct wire *x;

	type_set(&t, DT_FLOAT, 1, (int64_t[]){16});
	if (model_new(13, &m, &e) || graph_add_input(m->graph, "x", &t, &x, &e) ||
	    graph_append_node(m->graph, "Relu", &x, 1, "y", &n, &e) || graph_add_output(m->graph, n->out[0], &e))
		bench_die(&e);
	return m;
}

static void bench_small(struct job *j)
{
	struct model *m = make_small();
	double d, t;

	begin(j, m);
	compare(j, direct_again, worker_again, 400, 10, &d, &t);
	printf("small: run: %.1f us direct, %.1f us through the worker\n", 1e6 * d, 1e6 * t);
	bench_at_most("  added", 1e6 * (t - d), "us", 30);
	end(j, m);
}

/* ---- with a control group and without ---------------------------------------------------------------------------- */

static struct worker *open_one(const struct worker_spec *spec, int in_group)
{
	const char *set = getenv("ASSAY_WORKER_CGROUP");
	char before[4096];
	struct err e = ERR_INIT;
	struct worker *w;

	snprintf(before, sizeof before, "%s", set ? set : "");
	if (!in_group)
		setenv("ASSAY_WORKER_CGROUP", "none", 1);
	if (worker_open(spec, NULL, &w, &report, &e))
		bench_die(&e);
	setenv("ASSAY_WORKER_CGROUP", before, 1);
	return w;
}

/* Seconds of the fastest start and of the fastest end, without a group and with one. */
static void compare_starts(const struct worker_spec *spec, double start[2], double end[2])
{
	for (int i = 0; i < 2 * STARTS; i++) {
		double begin = clock_now(), opened;
		struct worker *w = open_one(spec, i % 2);

		opened = clock_now();
		worker_close(w);
		start[i % 2] = fmin(start[i % 2], opened - begin);
		end[i % 2] = fmin(end[i % 2], clock_now() - opened);
	}
}

/* Keeps the fastest run of each kind of worker. */
static void compare_pair(const struct worker_spec *spec, struct ort *ort, double run[2])
{
	struct model *m[2] = {make_small(), make_small()};
	struct job j[2] = {{.ort = ort, .worker = open_one(spec, 0)}, {.ort = ort, .worker = open_one(spec, 1)}};

	for (int i = 0; i < 2; i++)
		begin(&j[i], m[i]);
	for (int i = 0; i < 2 * TURNS_OF_A_PAIR; i++)
		run[i % 2] = fmin(run[i % 2], turn(&j[i % 2], worker_again, 1));
	for (int i = 0; i < 2; i++) {
		end(&j[i], m[i]);
		worker_close(j[i].worker);
	}
}

static void bench_group(const struct worker_spec *spec, struct ort *ort)
{
	double start[2] = {INFINITY, INFINITY}, end[2] = {INFINITY, INFINITY}, run[2] = {INFINITY, INFINITY};
	struct worker *w = open_one(spec, 1);
	unsigned guards = worker_guards(w);

	worker_close(w);
	if (!(guards & GUARD_BIT(GUARD_GROUP))) {
		printf("group: skipped: no control group can be made here\n");
		return;
	}
	compare_starts(spec, start, end);
	for (int i = 0; i < PAIRS; i++)
		compare_pair(spec, ort, run);
	printf("group: start %.2f ms, end %.2f ms, run %.1f us; without %.2f ms, %.2f ms, %.1f us\n", 1e3 * start[1],
	       1e3 * end[1], 1e6 * run[1], 1e3 * start[0], 1e3 * end[0], 1e6 * run[0]);
	bench_at_most("  start", 100 * start[1] / start[0], "%", 105);
	bench_at_most("  run", 100 * run[1] / run[0], "%", 105);
}

/* ---- restart ----------------------------------------------------------------------------------------------------- */

/* A process's newest child; 0 when there is none. */
static pid_t find_child(pid_t parent)
{
	char path[64], text[256] = "", *at = text, *end;
	pid_t pid = 0;
	FILE *f;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent, (long)parent);
	f = fopen(path, "r");
	if (f && fgets(text, sizeof text, f))
		for (long n = strtol(at, &end, 10); end != at; n = strtol(at, &end, 10)) {
			pid = (pid_t)n;
			at = end;
		}
	if (f)
		fclose(f);
	return pid;
}

/* The one that serves: the newest below the supervisor, which is our own child. */
static pid_t find_worker(void)
{
	pid_t pid = find_child(find_child(getpid()));

	if (!pid) {
		fprintf(stderr, "bench: cannot find the worker's process\n");
		exit(2);
	}
	return pid;
}

/* From the request that finds the worker dead to the first model that its successor has loaded. */
static double restart_seconds(struct job *j)
{
	uint64_t session = worker_load_job(j);
	double start;

	kill(find_worker(), SIGSEGV);
	start = clock_now();
	if (worker_unload(j->worker, session, &report) != WORKER_CRASH)
		must(WORKER_PROTOCOL);
	worker_load_job(j);
	return clock_now() - start;
}

static void bench_restart(struct job *j, const char *what, int times, double bar_ms)
{
	struct model *m = make_small();
	double best = INFINITY, sum = 0;
	struct err e = ERR_INIT;

	buf_init(&j->model, MODEL_MAX_FILE);
	if (model_serialize(m, &j->model, &e))
		bench_die(&e);
	for (int i = 0; i < times; i++) {
		double s = restart_seconds(j);

		best = fmin(best, s);
		sum += s;
	}
	printf("restart of %s: %.2f ms on average\n", what, 1e3 * sum / times);
	bench_at_most("  after a crash", 1e3 * best, "ms", bar_ms);
	buf_release(&j->model);
	model_free(m);
}

/* TensorFlow is one install away, so it may not be here. */
static void bench_tensorflow(void)
{
	struct worker_spec spec;
	struct job j = {0};
	struct err e = ERR_INIT;

	if (spec_make("tf", &spec, &e)) {
		printf("restart of tensorflow: skipped: %s\n", e.msg);
		return;
	}
	if (worker_open(&spec, NULL, &j.worker, &report, &e))
		bench_die(&e);
	bench_restart(&j, "tensorflow", 5, 700);
	worker_close(j.worker);
	spec_release(&spec);
}

int main(void)
{
	const char *deps = getenv("ASSAY_DEPS") ? getenv("ASSAY_DEPS") : ".deps";
	struct worker_spec spec;
	struct err e = ERR_INIT;
	struct job j = {0};
	char path[4096];

	if (spec_make("ort", &spec, &e))
		bench_die(&e);
	snprintf(path, sizeof path, "%s/lib/libonnxruntime.so", spec.folder);
	if (ort_open(path, &j.ort, &e) || worker_open(&spec, NULL, &j.worker, &report, &e))
		bench_die(&e);
	printf("onnxruntime %s, the worker started in %.1f ms\n", worker_version(j.worker), 1e3 * report.seconds);
	snprintf(path, sizeof path, "%s/onnx-tests/light/light_resnet50.onnx", deps);
	bench_small(&j);
	bench_ten(&j);
	bench_file(&j, path);
	bench_restart(&j, "onnxruntime", RESTARTS, 10);
	worker_close(j.worker);
	bench_group(&spec, j.ort);
	bench_tensorflow();
	ort_close(j.ort);
	spec_release(&spec);
	return bench_missed;
}
