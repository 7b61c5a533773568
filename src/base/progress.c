/* progress.c - see progress.h. */
#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/plain.h"

#define BAR 24
#define REDRAW 0.1      /* seconds between two bars */
#define LINE_EVERY 5.0  /* seconds between two plain lines */
#define LINE_SIZE 512   /* bytes of a line at most */
#define SOME_COLUMNS 80 /* of a terminal that does not say */

void progress_start(struct progress *p, const char *what, size_t total)
{
	double now = clock_now();

	*p = (struct progress){.what = what, .total = total, .start = now, .shown = now};
	p->terminal = isatty(STDERR_FILENO);
	p->quiet = log_level() < LOG_WARNING;
}

void progress_bar(const struct progress *p, size_t done, const char *now, size_t columns, char *out, size_t size)
{
	size_t filled = p->total ? (size_t)((double)done / (double)p->total * BAR) : 0;
	char bar[BAR + 1], of[32] = "";

	memset(bar, ' ', BAR);
	memset(bar, '#', filled < BAR ? filled : BAR);
	bar[BAR] = '\0';
	if (p->total)
		snprintf(of, sizeof of, "/%zu", p->total);
	snprintf(out, size, "[%s] %zu%s %s%s%s", bar, done, of, p->what, now ? ", " : "", now ? now : "");
	if (columns < size && strlen(out) > columns)
		out[columns] = '\0';
}

static size_t columns_of_terminal(void)
{
	struct winsize w;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 1 ? (size_t)w.ws_col - 1 : SOME_COLUMNS - 1;
}

void progress_step(struct progress *p, size_t done, const char *now)
{
	double t = clock_now();
	char line[LINE_SIZE];
	struct buf plain;

	if (p->quiet || t - p->shown < (p->terminal ? REDRAW : LINE_EVERY))
		return;
	p->shown = t;
	if (!p->terminal) {
		if (p->total)
			log_print(LOG_WARNING, "%zu of %zu %s after %.0f s", done, p->total, p->what, t - p->start);
		else
			log_print(LOG_WARNING, "%zu %s after %.0f s", done, p->what, t - p->start);
		return;
	}
	progress_bar(p, done, now, columns_of_terminal(), line, sizeof line);
	buf_init(&plain, 8 * LINE_SIZE);
	plain_name(&plain, line);
	fprintf(stderr, "\r%s\033[K", plain.data ? plain.data : "");
	fflush(stderr);
	buf_release(&plain);
	p->drawn = 1;
}

void progress_end(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = 0;
}
