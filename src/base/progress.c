/* progress.c - see progress.h. */
#include "base/progress.h"

#include <stdio.h>
#include <stdlib.h>
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

static _Thread_local struct progress *current; /* the bar of this thread */

int progress_is_terminal(int fd)
{
	const char *terminal = getenv("TERM");

	return isatty(fd) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

void progress_start(struct progress *p, const char *what, size_t total)
{
	double now = clock_now();

	*p = (struct progress){.what = what, .total = total, .start = now, .shown = now, .outer = current};
	p->terminal = progress_is_terminal(STDERR_FILENO);
	p->quiet = log_level() < LOG_WARNING;
	current = p;
}

/* "40/100 cases", "localizing node 12/40", "judging". */
static void counted(const struct progress *p, size_t done, char *out, size_t size)
{
	char of[32] = "";

	if (p->total)
		snprintf(of, sizeof of, "/%zu", p->total);
	if (!p->phase)
		snprintf(out, size, "%zu%s %s", done, of, p->what);
	else if (done || p->total)
		snprintf(out, size, "%s %zu%s", p->phase, done, of);
	else
		snprintf(out, size, "%s", p->phase);
}

void progress_bar(const struct progress *p, size_t done, const char *now, size_t columns, char *out, size_t size)
{
	size_t filled = p->total ? (size_t)((double)done / (double)p->total * BAR) : 0;
	char bar[BAR + 1], count[128];

	memset(bar, ' ', BAR);
	memset(bar, '#', filled < BAR ? filled : BAR);
	bar[BAR] = '\0';
	counted(p, done, count, sizeof count);
	snprintf(out, size, "[%s] %s%s%s", bar, count, now ? ", " : "", now ? now : "");
	if (columns < size && strlen(out) > columns)
		out[columns] = '\0';
}

size_t progress_columns(void)
{
	struct winsize w;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &w) && w.ws_col > 1 ? (size_t)w.ws_col - 1 : SOME_COLUMNS - 1;
}

static void show(struct progress *p, size_t done, const char *now, int at_once)
{
	double t = clock_now();
	char line[LINE_SIZE];
	struct buf plain;

	if (p->quiet || (t - p->shown < (p->terminal ? REDRAW : LINE_EVERY) && !(at_once && p->terminal)))
		return;
	p->shown = t;
	if (!p->terminal) {
		counted(p, done, line, sizeof line);
		log_print(LOG_WARNING, "%s after %.0f s", line, t - p->start);
		return;
	}
	progress_bar(p, done, now, progress_columns(), line, sizeof line);
	if (p->draw) {
		p->draw(line, p->draw_arg);
		return;
	}
	buf_init(&plain, 8 * LINE_SIZE);
	plain_name(&plain, line);
	fprintf(stderr, "\r%s\033[K", plain.data ? plain.data : "");
	fflush(stderr);
	buf_release(&plain);
	p->drawn = 1;
}

void progress_step(struct progress *p, size_t done, const char *now)
{
	p->phase = NULL;
	show(p, done, now, 0);
}

void progress_phase(const char *phase, size_t done, size_t total, const char *now)
{
	struct progress *p = current;
	int is_new = p && p->phase != phase;

	if (!p)
		return;
	p->phase = phase;
	p->total = total;
	show(p, done, now, is_new);
}

void progress_end(struct progress *p)
{
	if (p->drawn)
		fputs("\r\033[K", stderr);
	p->drawn = 0;
	if (current == p)
		current = p->outer;
}
