/* fuzz_status.c - see fuzz_status.h: a screen on a terminal, a plain line every few seconds elsewhere. */
#include "cli/fuzz_status.h"

#include <stdio.h>

#include "base/log.h"
#include "cli/status.h"

#define MAX_SCREEN 65536
#define PLAIN_SECONDS 10.0

static void put_lines(const struct fuzz_stats *f, const struct spec_list *specs, struct buf *out)
{
	const struct coverage_figures *c = &f->coverage;
	const struct store_progress progress = fuzz_progress(f);
	struct tally_row rows[FUZZ_MAX_BACKENDS];
	char time[192];

	status_rate(out, "cases", (size_t)f->cases, f->seconds);
	buf_printf(out, "; now %.40s\n", f->about);
	buf_printf(out,
		   "coverage  OLC %.1f %%: OTC %.1f, IDC %.1f, ODC %.1f, SEC %.1f, SPC %.1f; %lld cases raised it\n",
		   100 * c->olc, 100 * c->otc, 100 * c->idc, 100 * c->odc, 100 * c->sec, 100 * c->spc,
		   (long long)f->corpus);
	buf_printf(out,
		   "status    right %lld, wrong %lld, not run %lld, not loaded %lld; unsupported %lld, flaky %lld, "
		   "ours %lld\n",
		   (long long)f->status[FUZZ_DCP], (long long)f->status[FUZZ_DCF], (long long)f->status[FUZZ_IF],
		   (long long)f->status[FUZZ_MCF], (long long)f->status[FUZZ_UNSUPPORTED],
		   (long long)f->status[FUZZ_FLAKY], (long long)f->status[FUZZ_OURS]);
	fuzz_triage_text(f, time, sizeof time);
	buf_printf(out, "findings  %lld, stored %lld, new %lld; %s\n", (long long)f->findings, (long long)f->stored,
		   (long long)f->fresh, time);
	status_last(out, f->last, f->seconds - f->last_fresh);
	status_stable(out, &progress);
	for (size_t i = 0; i < specs->n; i++)
		rows[i] = (struct tally_row){specs->at[i].name, f->all.tallies[i]};
	status_libraries(out, rows, specs->n);
}

static void draw(const struct fuzz_stats *f, struct fuzz_screen *s)
{
	struct buf text;

	buf_init(&text, MAX_SCREEN);
	put_lines(f, s->specs, &text);
	terminal_screen_draw(&s->screen, &text);
	buf_release(&text);
}

void fuzz_status_show(const struct fuzz_stats *f, void *arg)
{
	struct fuzz_screen *s = arg;

	if (log_level() == LOG_ERROR)
		return;
	if (s->screen.is_terminal) {
		draw(f, s);
		return;
	}
	if (f->seconds - s->screen.drawn < PLAIN_SECONDS)
		return;
	s->screen.drawn = f->seconds;
	fprintf(stderr, "%.0f s: %lld cases, %.0f a second, OLC %.1f %%, %lld finding%s, %lld new", f->seconds,
		(long long)f->cases, f->seconds > 0 ? (double)f->cases / f->seconds : 0, 100 * f->coverage.olc,
		(long long)f->findings, PLURAL(f->findings), (long long)f->fresh);
	if (f->grace > 0)
		fprintf(stderr, "; the time is over, and triage is cut off in %.0f s", f->grace);
	fprintf(stderr, "\n");
}
