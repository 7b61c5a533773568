/* status.c - see status.h. */
#include "cli/status.h"

#include <string.h>

#include "base/plain.h"

#define MAX_SCREEN 65536
#define MAX_NAME 30 /* columns */

static void draw(const char *bar, void *arg)
{
	struct status_screen *s = arg;
	struct buf text;

	buf_init(&text, MAX_SCREEN);
	s->lines(&text, s->arg);
	buf_printf(&text, "%s\n", bar);
	terminal_screen_draw(&s->screen, &text);
	buf_release(&text);
}

void status_start(struct status_screen *s, const char *what, size_t total)
{
	terminal_screen_start(&s->screen);
	progress_start(&s->bar, what, total);
	if (s->screen.is_terminal)
		s->bar.shown = 0; /* the first step draws it at once */
	s->bar.draw = draw;
	s->bar.draw_arg = s;
	s->runs = 1;
}

void status_step(struct status_screen *s, size_t done, size_t total, const char *now)
{
	s->bar.total = total;
	progress_step(&s->bar, done, now);
}

void status_end(struct status_screen *s)
{
	if (!s->runs)
		return;
	progress_end(&s->bar);
	terminal_screen_end(&s->screen);
	s->runs = 0;
}

/* ---- lines that all screens have --------------------------------------------------------------------------------- */

void status_rate(struct buf *out, const char *what, size_t n, double seconds)
{
	double rate = seconds > 0 ? (double)n / seconds : 0;

	buf_printf(out, "%-9s %zu in %.0f s, %.*f a second", what, n, seconds, rate < 10 ? 1 : 0, rate);
}

void status_last(struct buf *out, const char *signature, double ago)
{
	if (*signature)
		buf_printf(out, "last new  %.60s, %.0f s ago\n", PLAIN(signature), ago);
	else
		buf_puts(out, "last new  none yet\n");
}

void status_stable(struct buf *out, const struct store_progress *p)
{
	if (p->repeats)
		buf_printf(out, "stable    %.1f %% of %lld repeats agree\n",
			   100 * (double)p->agreed / (double)p->repeats, (long long)p->repeats);
	else
		buf_puts(out, "stable    nothing was repeated yet\n");
}

void status_libraries(struct buf *out, const struct tally_row *rows, size_t n)
{
	size_t some = n < STATUS_LIBRARIES ? n : STATUS_LIBRARIES, width = 9;

	for (size_t i = 0; i < some; i++) {
		size_t length = strlen(rows[i].backend);

		width = length > width ? length : width;
	}
	width = width < MAX_NAME ? width : MAX_NAME;
	for (size_t i = 0; i < some; i++) {
		const struct tally *t = &rows[i].tally;

		buf_printf(out, "%-*.*s given %zu, ran %zu, judged %zu\n", (int)width, (int)width,
			   PLAIN(rows[i].backend), t->given, t->ran, t->judged);
	}
	if (n > some)
		buf_printf(out, "          and %zu more libraries\n", n - some);
}
