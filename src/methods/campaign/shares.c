/* shares.c - see shares.h. */
#include "methods/campaign/shares.h"

#define FAILURES 2 /* in a row, after which a line gets no more tasks */

static void add(const struct ledger_task *t, struct shares_line *line)
{
	line->seconds[0] += t->seconds - t->finds_seconds;
	line->seconds[1] += t->finds_seconds;
	if (t->state == LEDGER_RUNNING)
		line->seconds[t->by_finds != 0] += t->slice;
	line->tasks++;
	line->over += t->state > LEDGER_OPEN;
	line->open += t->state == LEDGER_OPEN;
	line->failed = t->state > LEDGER_DONE ? line->failed + 1 : t->state > LEDGER_RUNNING ? 0 : line->failed;
	line->added += t->added;
	line->clusters += t->clusters;
	store_join_progress(&line->progress, &t->progress);
}

static int is_resting(const struct campaign_order *o, const struct shares_line *lines, size_t i)
{
	return (lines[i].tasks >= order_tasks(o, i) && !lines[i].open) || lines[i].failed >= FAILURES;
}

void shares_count(const struct ledger *l, const struct campaign_order *o, struct shares_line *lines)
{
	for (size_t i = 0; i < o->n; i++)
		lines[i] = (struct shares_line){.progress = STORE_NO_PROGRESS};
	for (size_t i = 0; i < l->tasks.n; i++)
		add(&l->tasks.at[i], &lines[l->tasks.at[i].line]);
	for (size_t i = 0; i < o->n; i++)
		lines[i].resting = is_resting(o, lines, i);
}

void shares_add_last(const struct ledger *l, const struct campaign_order *o, struct shares_line *lines)
{
	const struct ledger_task *t = &l->tasks.at[l->tasks.n - 1];

	add(t, &lines[t->line]);
	lines[t->line].resting = is_resting(o, lines, t->line);
}

/* New clusters a second, as far as one can tell. */
static double rate(const struct campaign_order *o, const struct shares_line *lines, size_t i)
{
	return (double)(lines[i].clusters + 1) / (lines[i].seconds[0] + lines[i].seconds[1] + o->lines[i].slice);
}

enum shares_choice shares_next(const struct campaign_order *o, const struct shares_line *lines, size_t *line,
			       int *by_finds)
{
	double given[2] = {0, 0}, least = 0;
	enum shares_choice found = SHARES_NONE;

	for (size_t i = 0; i < o->n; i++)
		for (int k = 0; k < 2; k++)
			given[k] += lines[i].seconds[k];
	*by_finds = given[1] < given[0];
	for (size_t i = 0; i < o->n; i++) {
		double due = *by_finds ? rate(o, lines, i) : o->lines[i].share;
		double behind = lines[i].seconds[*by_finds] / due;

		if (lines[i].resting || (found == SHARES_CHOSEN && behind >= least))
			continue;
		found = SHARES_CHOSEN;
		least = behind;
		*line = i;
	}
	return found;
}
