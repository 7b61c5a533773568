/* trial.c - how many trials a second: a ten-node network made, its right answer computed, run on a library and judged.
 *
 *   bench_trial [BACKEND]          ort by default
 *   bench_trial BACKEND FOLDER…    cases (model.onnx, inputs.npz), loaded and run by its worker and nothing else: the
 *                                  library's own rate, for bench/fuzz-rates */
#include <stdio.h>

#include "base/clock.h"
#include "base/mem.h"
#include "judge/trial.h"
#include "support/bench.h"

#define TRIALS 300

struct times {
	double init, truth, judge;
};

/* A small image: what fuzzing makes, not what is deployed. */
static struct trial make(struct err *e)
{
	struct model *m = bench_make_ten();
	struct value **in = mem_array(1, sizeof *in);
	struct trial t;

	m->graph->inputs.at[0]->type.dims[2] = m->graph->inputs.at[0]->type.dims[3] = 8;
	in[0] = value_tensor(bench_random_input(m->graph->inputs.at[0]), e);
	bench_must(trial_init(&t, m, in, 1, e), e);
	return t;
}

static void once(struct party *p, struct times *sum)
{
	struct err e = ERR_INIT;
	double start = clock_now(), then;
	struct trial t = make(&e);
	struct outcome o;

	then = clock_now();
	sum->init += then - start;
	bench_must(trial_truth(&t, &e), &e);
	start = clock_now();
	sum->truth += start - then;
	bench_must(trial_judge(&t, p, NULL, &o, &e), &e);
	sum->judge += clock_now() - start;
	if (verdict_is_finding(o.verdict)) {
		err_set(&e, ERR_INTERNAL, "%s: %s", verdict_name(o.verdict), o.reason);
		bench_die(&e);
	}
	outcome_release(&o);
	trial_release(&t);
}

/* Seconds that the cases take, once; refusals and deaths take their time, too. */
static double run_cases(struct party *p, struct trial *cases, int n)
{
	const struct judge_options run_only = {.no_truth = 1};
	struct err e = ERR_INIT;
	double start = clock_now();

	for (int i = 0; i < n; i++) {
		struct outcome o;

		bench_must(trial_judge(&cases[i], p, &run_only, &o, &e), &e);
		outcome_release(&o);
	}
	return clock_now() - start;
}

/* The second time counts: what is made at the first call is no part of the rate. */
static void own_rate(struct party *p, char **folders, int n)
{
	struct trial *cases = mem_array((size_t)n, sizeof *cases);
	struct err e = ERR_INIT;

	for (int i = 0; i < n; i++)
		bench_must(trial_load(folders[i], 1, &cases[i], &e), &e);
	run_cases(p, cases, n);
	printf("%s %s: %d cases, %.2f a second\n", p->spec.name, party_version(p), n, n / run_cases(p, cases, n));
	for (int i = 0; i < n; i++)
		trial_release(&cases[i]);
	mem_free(cases);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "ort";
	struct err e = ERR_INIT;
	struct times sum = {0, 0, 0};
	struct party p;

	bench_must(party_open(&p, name, NULL, &e), &e);
	if (argc > 2) {
		own_rate(&p, argv + 2, argc - 2);
		party_close(&p);
		return 0;
	}
	once(&p, &sum);
	sum = (struct times){0, 0, 0};
	for (int i = 0; i < TRIALS; i++)
		once(&p, &sum);
	printf("%s %s: %.0f us to make the case, %.0f us for the right answer, %.0f us to run and judge; %.0f a "
	       "second\n",
	       name, party_version(&p), 1e6 * sum.init / TRIALS, 1e6 * sum.truth / TRIALS, 1e6 * sum.judge / TRIALS,
	       TRIALS / (sum.init + sum.truth + sum.judge));
	party_close(&p);
	return 0;
}
