/* trial.c - how many trials a second: a ten-node network made, its right answer computed, run on a library and judged.
 *
 *   bench_trial [BACKEND]    ort by default */
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

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "ort";
	struct err e = ERR_INIT;
	struct times sum = {0, 0, 0};
	struct party p;

	bench_must(party_open(&p, name, NULL, &e), &e);
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
