/* svg_curves.c - curves over time: axes with round numbers, one line a series, a legend above.
 *
 * The picture is as wide as a phone, so its text is readable there without scaling; a page puts several side by side.
 * Series differ by colour and by dashes. */
#include <math.h>
#include <stdlib.h>

#include "report/report.h"
#include "report/text.h"

#define WIDTH 360.0
#define HEIGHT 220.0
#define LEFT 46.0
#define RIGHT 12.0
#define BOTTOM 34.0
#define TITLE 18.0
#define LEGEND_LINE 15.0
#define LEGEND_ADVANCE 6.2 /* width of a character */
#define MAX_POINTS 400     /* of a line: more cannot be told apart */
#define TICKS 4

struct curve_axis {
	double lo, hi, step; /* of the data, in round numbers */
	double from, to;     /* of the picture */
};

struct plot {
	struct curve_axis x, y;
	double legend; /* height */
};

/* 1, 2 or 5 times a power of ten, at least x. */
static double round_step(double x)
{
	double power = pow(10, floor(log10(x))), digit = x / power;

	return power * (digit <= 1 ? 1 : digit <= 2 ? 2 : digit <= 5 ? 5 : 10);
}

static void axis_set(struct curve_axis *a, double lo, double hi)
{
	double span = hi - lo;

	if (!(span > 0) || !isfinite(span)) {
		hi = lo + 1;
		span = 1;
	}
	a->step = round_step(span / TICKS);
	a->lo = floor(lo / a->step) * a->step;
	a->hi = ceil(hi / a->step) * a->step;
}

static double place(const struct curve_axis *a, double v)
{
	return a->from + (v - a->lo) / (a->hi - a->lo) * (a->to - a->from);
}

static int is_point(const struct svg_series *s, size_t i)
{
	return isfinite(s->x[i]) && isfinite(s->y[i]);
}

static void find_ranges(struct plot *p, const struct svg_series *series, size_t n)
{
	double x_hi = 0, y_lo = 0, y_hi = 0;

	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < series[k].n; i++)
			if (is_point(&series[k], i)) {
				x_hi = fmax(x_hi, series[k].x[i]);
				y_lo = fmin(y_lo, series[k].y[i]);
				y_hi = fmax(y_hi, series[k].y[i]);
			}
	axis_set(&p->x, 0, x_hi);
	p->x.hi = x_hi > 0 ? x_hi : p->x.hi; /* time ends where it ends */
	axis_set(&p->y, y_lo, y_hi);
}

static void put_text(struct buf *out, double x, double y, const char *anchor, const char *text)
{
	buf_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"#666\">", x, y, anchor);
	text_put_short(out, text, 48);
	buf_puts(out, "</text>");
}

static void put_axes(struct buf *out, const struct plot *p, const char *x_label)
{
	char text[32];

	for (double v = p->y.lo; v <= p->y.hi + p->y.step / 2; v += p->y.step) {
		double y = place(&p->y, v);

		buf_printf(out, "<path class=\"grid\" stroke=\"#ddd\" d=\"M%.1f %.1fH%.1f\"/>", LEFT, y, WIDTH - RIGHT);
		put_text(out, LEFT - 6, y + 4, "end", text_number(fabs(v) < p->y.step / 1e6 ? 0 : v, text));
	}
	for (double v = p->x.lo; v <= p->x.hi * (1 + 1e-9); v += p->x.step)
		put_text(out, place(&p->x, v), HEIGHT + p->legend - BOTTOM + 15, "middle", text_number(v, text));
	put_text(out, WIDTH - RIGHT, HEIGHT + p->legend - 4, "end", x_label);
	buf_puts(out, "\n");
}

static void put_series(struct buf *out, const struct plot *p, const struct svg_series *s, size_t k)
{
	size_t every = s->n > MAX_POINTS ? (s->n + MAX_POINTS - 1) / MAX_POINTS : 1, drawn = 0;
	double x = 0, y = 0;

	buf_printf(out, "<path class=\"series s%zu\" fill=\"none\" stroke=\"#36c\" stroke-width=\"2\" d=\"", k % 8);
	for (size_t i = 0; i < s->n; i++) {
		if ((i % every && i + 1 < s->n) || !is_point(s, i))
			continue;
		x = place(&p->x, s->x[i]);
		y = place(&p->y, s->y[i]);
		buf_printf(out, "%s%.1f %.1f", drawn++ ? "L" : "M", x, y);
	}
	buf_puts(out, drawn ? "\"/>" : "M0 0\"/>");
	if (drawn)
		buf_printf(out, "<circle class=\"end s%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"#36c\"/>\n", k % 8,
			   x, y);
}

/* Names with a piece of their line, in as many lines as they need; returns the height.  out NULL: only measured. */
static double put_legend(struct buf *out, const struct svg_series *series, size_t n)
{
	double x = LEFT, y = TITLE + LEGEND_LINE;

	if (n < 2)
		return 0;
	for (size_t k = 0; k < n; k++) {
		double width = 30 + LEGEND_ADVANCE * (double)text_width(series[k].name, 24);

		if (x > LEFT && x + width > WIDTH - RIGHT) {
			x = LEFT;
			y += LEGEND_LINE;
		}
		if (out) {
			buf_printf(
				out,
				"<path class=\"series s%zu\" stroke=\"#36c\" stroke-width=\"2\" d=\"M%.1f %.1fh16\"/>"
				"<text x=\"%.1f\" y=\"%.1f\" fill=\"#666\">",
				k % 8, x, y - 4, x + 20, y);
			text_put_short(out, series[k].name, 24);
			buf_puts(out, "</text>\n");
		}
		x += width;
	}
	return y - TITLE;
}

int svg_curves(const char *title, const char *x_label, const struct svg_series *series, size_t n, struct buf *out,
	       struct err *e)
{
	struct plot p = {.legend = put_legend(NULL, series, n)};
	char number[32];

	p.x.from = LEFT;
	p.x.to = WIDTH - RIGHT;
	p.y.from = HEIGHT + p.legend - BOTTOM;
	p.y.to = TITLE + p.legend + 12;
	find_ranges(&p, series, n);
	buf_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"curves\" role=\"img\" width=\"%.0f\" "
		   "height=\"%.0f\" "
		   "viewBox=\"0 0 %.0f %.0f\" font-family=\"system-ui, sans-serif\" font-size=\"11\" aria-label=\"",
		   WIDTH, HEIGHT + p.legend, WIDTH, HEIGHT + p.legend);
	text_put(out, title);
	for (size_t k = 0; k < n; k++)
		if (series[k].n) {
			buf_puts(out, k ? ", " : ": ");
			text_put(out, series[k].name);
			buf_printf(out, " ends at %s", text_number(series[k].y[series[k].n - 1], number));
		}
	buf_printf(out, "\">\n<text class=\"title\" x=\"%.1f\" y=\"14\" font-weight=\"600\" fill=\"#222\">", LEFT);
	text_put_short(out, title, 44);
	buf_puts(out, "</text>\n");
	put_legend(out, series, n);
	put_axes(out, &p, x_label);
	for (size_t k = 0; k < n; k++)
		put_series(out, &p, &series[k], k);
	buf_puts(out, "</svg>\n");
	return buf_check(out, e);
}
