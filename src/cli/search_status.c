/* search_status.c - see search_status.h. */
#include "cli/search_status.h"

#include "base/clock.h"
#include "base/plain.h"

static void put_lines(struct buf *out, void *arg)
{
	const struct search_status *s = arg;
	const struct search_campaign *c = s->campaign;
	const struct search_keeper *k = &c->keeper;
	const struct store_progress progress = search_campaign_progress(c);
	struct tally_row rows[STATUS_LIBRARIES];
	size_t nan = (size_t)progress.coverage;
	double now = clock_now();

	status_rate(out, "cases", s->cases, now - s->start);
	buf_printf(out, "; model %zu of %zu, %s, %s level\n", json_array_size(c->models) + 1, c->n_models,
		   PLAIN(k->model), search_level_names[s->level]);
	buf_printf(out, "coverage  %zu kind%s of operators where NaN begins\n", nan, PLURAL(nan));
	buf_printf(out, "findings  failures %zu, confirmed %zu, stored %zu, new signatures %zu\n", k->seen,
		   k->confirmed, k->stored, k->fresh);
	status_last(out, k->last, now - k->last_at);
	status_stable(out, &progress);
	for (size_t i = 0; i < c->specs->n && i < STATUS_LIBRARIES; i++)
		rows[i] = (struct tally_row){c->specs->at[i].name, search_campaign_tally_now(c, i)};
	status_libraries(out, rows, c->specs->n);
}

void search_status_start(struct search_status *s, const struct search_campaign *c)
{
	*s = (struct search_status){.campaign = c, .start = clock_now(), .status = {.lines = put_lines, .arg = s}};
	status_start(&s->status, "cases", 0);
}

void search_status_case(struct search_status *s, enum search_level level, size_t done, size_t total)
{
	s->level = level;
	s->cases++;
	status_step(&s->status, done, total, s->campaign->keeper.model);
}

void search_status_clear(struct search_status *s)
{
	terminal_screen_end(&s->status.screen);
}

void search_status_end(struct search_status *s)
{
	status_end(&s->status);
}
