/* fuzz_jobs.c - how assay fuzz gets on with many jobs, on a machine that need not have as many processors.
 *
 *     build/bench_fuzz_jobs [blocks [models]]       (default: 4 blocks, 38400 models)
 *
 *   make    the jobs make their shares in turn in this process, each as far as it gets without the others: processor
 *           time of each.  What jobs tell each other is read and learnt by all of them, and counts
 *   rest    what else a case takes a job and its worker, by a campaign of one job on ONNX Runtime
 *   boss    processor time of the process that counts, a case, in a campaign that has as many jobs
 *
 * A job is as long as its cases; a campaign as long as its longest job, or as its boss.  Efficiency is the time of one
 * job over that of N, times N: at least 90 % with 64. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "methods/fuzz/campaign.h"
#include "support/bench.h"
#include "worker/parent/spec.h"

#define SEED 1
#define BOSS_MODELS 1280 /* of the shorter of two campaigns that show what the boss takes */
#define REST_MODELS 1000

struct jobs_bench {
	struct corpus corpus;
	int blocks, models;
	double rest; /* seconds a case */
};

/* Of this thread: what others do meanwhile does not count. */
static double cpu_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of this process, or of all that it started and that have ended. */
static double cpu_of(int whose)
{
	struct rusage u;

	getrusage(whose, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

/* One job's share. */
struct share {
	struct fuzzer *fuzzer;
	double make; /* seconds */
	int n;
};

/* As far as it gets. */
static void make_cases(struct share *s, int models)
{
	struct err e = ERR_INIT;
	double start = cpu_now();

	for (; fuzzer_index(s->fuzzer) < models && fuzzer_is_ready(s->fuzzer); s->n++) {
		struct fuzz_case c = {0};

		bench_must(fuzzer_next(s->fuzzer, &c, &e), &e);
		fuzz_case_release(&c);
	}
	s->make += cpu_now() - start;
}

/* Sets what each of the jobs takes to make its cases. */
static void make_all(const struct jobs_bench *b, int jobs, struct share *shares)
{
	struct fuzz_exchange *x;
	struct err e = ERR_INIT;
	int left = b->models;

	bench_must(exchange_new(jobs, &x, &e), &e);
	for (int i = 0; i < jobs; i++) {
		struct fuzz_options o = {.seed = SEED,
					 .blocks = b->blocks,
					 .shards = FUZZ_SHARDS,
					 .job = i,
					 .jobs = jobs,
					 .exchange = x};

		shares[i] = (struct share){0};
		bench_must(fuzzer_new(&b->corpus, &o, &shares[i].fuzzer, &e), &e);
	}
	while (left) {
		left = b->models;
		for (int i = 0; i < jobs; i++) {
			make_cases(&shares[i], b->models);
			left -= shares[i].n;
		}
	}
	for (int i = 0; i < jobs; i++)
		fuzzer_free(shares[i].fuzzer);
	exchange_free(x);
}

/* Processor time of a campaign, of this process or of the others. */
static double run_campaign(const struct jobs_bench *b, const char *backend, int jobs, int models, int whose)
{
	struct worker_spec spec;
	struct fuzz_stats stats;
	struct err e = ERR_INIT;
	double start;
	struct campaign_options o = {.fuzz = {.seed = SEED, .blocks = b->blocks},
				     .corpus = &b->corpus,
				     .specs = &spec,
				     .n_specs = 1,
				     .command = "",
				     .jobs = jobs,
				     .models = models};

	bench_must(spec_make(backend, &spec, &e), &e);
	start = cpu_of(whose);
	bench_must(campaign_run(&o, &stats, &e), &e);
	spec_release(&spec);
	return cpu_of(whose) - start;
}

/* Seconds a case; to start processes is not counted. */
static double measure_boss(const struct jobs_bench *b, int jobs)
{
	double few = run_campaign(b, "reference", jobs, BOSS_MODELS, RUSAGE_SELF);

	return (run_campaign(b, "reference", jobs, 3 * BOSS_MODELS, RUSAGE_SELF) - few) / (2 * BOSS_MODELS);
}

struct times {
	double make, all; /* seconds of the longest job; of the campaign */
};

static struct times measure(const struct jobs_bench *b, int jobs)
{
	struct share shares[FUZZ_MAX_JOBS];
	struct times t = {0};
	double total = 0, boss;

	make_all(b, jobs, shares);
	boss = b->models * measure_boss(b, jobs);
	for (int i = 0; i < jobs; i++) {
		double job = shares[i].make + b->rest * shares[i].n;

		total += shares[i].make;
		t.make = shares[i].make > t.make ? shares[i].make : t.make;
		t.all = job > t.all ? job : t.all;
	}
	printf("%d jobs: making takes %.1f us a case, the longest job %.3f s; the boss %.1f us a case, %.3f s\n", jobs,
	       1e6 * total / b->models, t.all, 1e6 * boss / b->models, boss);
	t.all = boss > t.all ? boss : t.all;
	return t;
}

/* What a case takes one job, without the making. */
static double measure_rest(const struct jobs_bench *b)
{
	double whole = run_campaign(b, "ort", 1, REST_MODELS, RUSAGE_CHILDREN) / REST_MODELS;
	struct share all;

	make_all(b, 1, &all);
	printf("%d models of %d blocks: a case takes one job %.0f us, %.0f of them to make it\n", b->models, b->blocks,
	       1e6 * whole, 1e6 * all.make / b->models);
	return whole - all.make / b->models;
}

int main(int argc, char **argv)
{
	static const int counts[] = {2, 8, 64};
	struct jobs_bench b = {.blocks = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 4,
			       .models = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 38400};
	struct err e = ERR_INIT;
	struct times one;

	if (b.blocks < 1 || b.blocks > FUZZ_MAX_NODES || b.models < FUZZ_SHARDS) {
		fprintf(stderr, "usage: bench_fuzz_jobs [blocks [models]]\n");
		return 2;
	}
	bench_must(corpus_load("data/blocks-paper.yaml", 0, &b.corpus, &e), &e);
	b.rest = measure_rest(&b);
	one = measure(&b, 1);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct times t = measure(&b, counts[i]);
		char what[64];

		snprintf(what, sizeof what, "efficiency of %d jobs, making alone", counts[i]);
		bench_at_least(what, 100 * one.make / (counts[i] * t.make), "%", 0);
		snprintf(what, sizeof what, "efficiency of %d jobs", counts[i]);
		bench_at_least(what, 100 * one.all / (counts[i] * t.all), "%", 90);
	}
	corpus_release(&b.corpus);
	return bench_missed;
}
