/* fuzz_status.c - see fuzz_status.h: a screen on a terminal, a plain line every few seconds elsewhere. */
#include "cli/fuzz_status.h"

#include <stdio.h>

#include "base/log.h"
#include "base/plain.h"
#include "cli/terminal.h"

#define PLAIN_SECONDS 10.0

static double rate(const struct fuzz_stats *f)
{
	return f->seconds > 0 ? (double)f->cases / f->seconds : 0;
}

static void draw(const struct fuzz_stats *f, struct terminal_screen *s)
{
	const struct coverage_figures *c = &f->coverage;
	FILE *out = plain_open(stderr);
	char time[128];

	terminal_screen_clear(s);
	if (!out)
		return;
	fprintf(out, "cases     %lld in %.0f s, %.0f a second; now %.40s\n", (long long)f->cases, f->seconds, rate(f),
		f->about);
	fprintf(out, "coverage  OLC %.1f %%: OTC %.1f, IDC %.1f, ODC %.1f, SEC %.1f, SPC %.1f; %lld cases raised it\n",
		100 * c->olc, 100 * c->otc, 100 * c->idc, 100 * c->odc, 100 * c->sec, 100 * c->spc,
		(long long)f->corpus);
	fprintf(out, "status    DCP %lld, DCF %lld, IF %lld, MCF %lld; unsupported %lld, flaky %lld, ours %lld\n",
		(long long)f->status[FUZZ_DCP], (long long)f->status[FUZZ_DCF], (long long)f->status[FUZZ_IF],
		(long long)f->status[FUZZ_MCF], (long long)f->status[FUZZ_UNSUPPORTED],
		(long long)f->status[FUZZ_FLAKY], (long long)f->status[FUZZ_OURS]);
	fuzz_triage_text(f, time, sizeof time);
	fprintf(out, "findings  %lld, stored %lld, new signatures %lld; %s\n", (long long)f->findings,
		(long long)f->stored, (long long)f->fresh, time);
	if (*f->last)
		fprintf(out, "last new  %.60s, %.0f s ago\n", f->last, f->seconds - f->last_fresh);
	else
		fprintf(out, "last new  none yet\n");
	s->lines = 5;
	fclose(out);
}

void fuzz_status_show(const struct fuzz_stats *f, void *arg)
{
	struct terminal_screen *s = arg;

	if (log_level() == LOG_ERROR)
		return;
	if (s->is_terminal) {
		draw(f, s);
		return;
	}
	if (f->seconds - s->drawn < PLAIN_SECONDS)
		return;
	s->drawn = f->seconds;
	fprintf(stderr, "%.0f s: %lld cases, %.0f a second, OLC %.1f %%, %lld findings, %lld new\n", f->seconds,
		(long long)f->cases, rate(f), 100 * f->coverage.olc, (long long)f->findings, (long long)f->fresh);
}
