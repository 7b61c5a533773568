/* equiv_status.c - see equiv_status.h. */
#include "cli/equiv_status.h"

#include <stdio.h>

#include "base/clock.h"

static void put_lines(struct buf *out, void *arg)
{
	const struct equiv_status *s = arg;
	const struct equiv *q = s->equiv;
	const struct equiv_totals t = equiv_totals(q);
	const struct store_progress progress = equiv_progress(q, &t);
	const struct tally_row row = {q->spec.name, equiv_tally(q)};
	char last[256] = "";
	double now = clock_now();

	if (t.last)
		snprintf(last, sizeof last, "rule %d, %s", t.last->rule->number, t.last->name);
	status_rate(out, "pairs", t.run, now - s->start);
	buf_printf(out, "; %zu of %zu run, %zu inputs\n", t.run, t.pairs, t.inputs);
	buf_printf(out, "coverage  %zu of %zu operations tried, %zu with a valid call; calls %zu, run %zu\n", t.apis,
		   q->registry.n, t.reached, t.calls, t.valid);
	buf_printf(out, "inputs    agree %zu, rounding %zu, random %zu, one side refused %zu\n", t.equal, t.rounding,
		   t.random, t.one_sided);
	buf_printf(out, "findings  %zu", t.findings);
	if (t.inner)
		buf_printf(out, ", and %zu of inner operations", t.inner);
	buf_puts(out, "\n");
	status_last(out, last, now - t.last_at);
	status_stable(out, &progress);
	status_libraries(out, &row, 1);
}

static void step(size_t done, size_t total, const char *name, void *arg)
{
	struct equiv_status *s = arg;

	status_step(&s->status, done, total, name);
}

void equiv_status_start(struct equiv_status *s, const struct equiv *q, struct equiv_options *o)
{
	*s = (struct equiv_status){.equiv = q, .start = clock_now(), .status = {.lines = put_lines, .arg = s}};
	status_start(&s->status, o->seconds > 0 ? "rounds of pairs" : "pairs", q->n);
	o->progress = step;
	o->progress_arg = s;
}

void equiv_status_end(struct equiv_status *s)
{
	status_end(&s->status);
}
