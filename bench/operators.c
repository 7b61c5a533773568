/* operators.c - what a meta operator costs: time and memory of an operator in a mixed run against the library's own,
 * the figures 5 to 8 of the paper on meta operators.
 *
 *     build/bench_operators [--backends LIST] [--runs 101]      (default: tf,torch,mxnet,tflite)
 *
 * Each of the paper's twenty operators is a network of one node.  Its own run is one request to the library's worker;
 * the mixed run goes through the plan of segments as in `assay swap`.  Both are done in turn, so that they see the same
 * load, and the least of all runs is told, which is the one that was not interrupted: milliseconds of the own run, and
 * how much more the mixed run takes.  Gradients are timed alone, behind a forward run.  Memory is that of
 * the bench and the worker together: what they hold after the first mixed runs beyond what they held after as many own
 * ones.  A library without gradients, or without the operator, has "–". */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/session.h"
#include "methods/swap/mixed.h"
#include "model/case.h"
#include "support/bench.h"
#include "support/meta_operators.h"
#include "worker/parent/usage.h"

#define MOST_OPERATORS 64
#define WARM 3 /* runs before anything is told: they load */

struct cost {
	double own, mixed; /* milliseconds, the least of all runs */
	double memory;     /* KiB beyond the own run's */
};

struct totals {
	double times[2][MOST_OPERATORS], most[2], memory[2];
	size_t n[2];
};

static double milliseconds(double since)
{
	return 1000 * (clock_now() - since);
}

/* KiB of this process and all below it. */
static double held(void)
{
	const struct usage_tree below = {.root = getpid()};
	unsigned long total = 0, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (!f || fscanf(f, "%lu %lu", &total, &resident) != 2)
		resident = 0;
	if (f)
		fclose(f);
	return ((double)resident * (double)sysconf(_SC_PAGESIZE) + (double)usage_memory(&below, 0)) / 1024;
}

/* ---- one operator ------------------------------------------------------------------------------------------------ */

struct pair {
	struct trial t;
	struct party *p;
	struct mixed *mixed;
	uint64_t session;
	int gradients;
};

/* Milliseconds of one own run; NAN: the library does not do it. */
static double run_own(struct pair *x)
{
	struct err e = ERR_INIT;
	struct outcome o = {0};
	double start = clock_now(), took;

	bench_must(session_run(x->p, &x->t, x->session, &o, &e), &e);
	if (x->gradients && o.report.result == WORKER_OK) {
		outcome_release(&o);
		start = clock_now();
		bench_must(session_backward(x->p, &x->t, x->session, &o, &e), &e);
	}
	took = o.report.result == WORKER_OK ? milliseconds(start) : (double)NAN;
	outcome_release(&o);
	return took;
}

/* The same through the mix. */
static double run_mixed(struct pair *x)
{
	struct mixed_run run = {0};
	struct err e = ERR_INIT;
	double start = clock_now(), took = (double)NAN;

	bench_must(mixed_forward(x->mixed, &run, &e), &e);
	if (x->gradients && run.report.result == WORKER_OK) {
		start = clock_now();
		bench_must(mixed_backward(x->mixed, &run, &e), &e);
	}
	if (run.report.result == WORKER_OK)
		took = milliseconds(start);
	mixed_run_release(&run);
	return took;
}

static int measure(struct pair *x, int runs, struct cost *out)
{
	double before;

	for (int i = 0; i < WARM; i++)
		if (isnan(run_own(x)))
			return 0;
	before = held();
	for (int i = 0; i < WARM; i++)
		if (isnan(run_mixed(x)))
			return 0;
	out->memory = held() - before;
	out->own = out->mixed = (double)INFINITY;
	for (int i = 0; i < runs; i++) {
		out->own = fmin(out->own, run_own(x));
		out->mixed = fmin(out->mixed, run_mixed(x));
	}
	return 1;
}

/* 0: the library does not have it. */
static int measure_operator(const char *line, struct party *p, int gradients, int runs, struct cost *out)
{
	struct pair x = {.p = p, .gradients = gradients};
	size_t binding[] = {0};
	struct outcome loaded = {0};
	struct err e = ERR_INIT;
	struct op_case c;
	int done = 0;

	bench_must(case_parse(line, 1, &c, &e), &e);
	bench_must(trial_init(&x.t, c.model, c.inputs, 1, &e), &e);
	if (gradients)
		bench_must(trial_truth_gradients(&x.t, &e), &e);
	session_load(p, &x.t, &x.session, &loaded);
	if (loaded.report.result == WORKER_OK) {
		bench_must(mixed_open(&x.t, &p, 1, binding, gradients, &x.mixed, &e), &e);
		done = measure(&x, runs, out);
		mixed_close(x.mixed);
		session_unload(p, x.session);
	}
	outcome_release(&loaded);
	trial_release(&x.t);
	return done;
}

/* ---- a library --------------------------------------------------------------------------------------------------- */

static void print_cost(const struct cost *c, int there)
{
	if (there)
		printf(" %.3f | %+.3f | %+.0f |", c->own, c->mixed - c->own, c->memory);
	else
		printf(" – | – | – |");
}

static void add_cost(struct totals *t, int gradients, const struct cost *c)
{
	if (t->n[gradients] < MOST_OPERATORS)
		t->times[gradients][t->n[gradients]++] = c->mixed / c->own;
	t->most[gradients] = fmax(t->most[gradients], c->mixed - c->own);
	t->memory[gradients] = fmax(t->memory[gradients], c->memory);
}

static void run_library(struct party *p, int runs)
{
	static const char *const ways[] = {"forward", "gradients"};
	int backward = p->worker && worker_can(p->worker, "backward");
	struct totals totals = {0};

	printf("\n%s %s:\n\n| operator | own, ms | more, ms | more, KiB | gradients: own, ms | more, ms | more, KiB |\n"
	       "|---|---|---|---|---|---|---|\n",
	       p->spec.name, party_version(p));
	for (size_t k = 0; k < meta_operators_n; k++) {
		printf("| %s |", meta_operators[k].name);
		for (int gradients = 0; gradients < 2; gradients++) {
			struct cost c = {0};
			int there = (backward || !gradients) &&
				    measure_operator(meta_operators[k].line, p, gradients, runs, &c);

			print_cost(&c, there);
			if (there)
				add_cost(&totals, gradients, &c);
		}
		printf("\n");
		fflush(stdout);
	}
	printf("\n");
	for (int g = 0; g < 2; g++)
		if (totals.n[g])
			printf("* %s, %zu operators: %.2f times the own time in the median; at most %.3f ms and %.0f "
			       "KiB "
			       "more\n",
			       ways[g], totals.n[g], bench_median(totals.times[g], totals.n[g]), totals.most[g],
			       totals.memory[g]);
}

int main(int argc, char **argv)
{
	const char *backends = "tf,torch,mxnet,tflite";
	int runs = 101;
	const struct bench_option rows[] = {
		{.name = "--backends", .text = &backends}, {.name = "--runs", .number = &runs}, {0}};
	char list[256], *rest = list, *name;

	bench_options(argc, argv, rows, "[--backends LIST] [--runs N]");
	if (runs < 1) {
		fprintf(stderr, "bench: --runs takes 1 or more\n");
		return 2;
	}
	snprintf(list, sizeof list, "%s", backends);
	while ((name = strsep(&rest, ","))) {
		struct err e = ERR_INIT;
		struct party p;

		if (party_open(&p, name, NULL, &e)) {
			fprintf(stderr, "%s is left out: %s\n", name, e.msg);
			continue;
		}
		run_library(&p, runs);
		party_close(&p);
	}
	return 0;
}
