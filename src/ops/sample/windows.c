/* windows.c - see windows.h. */
#include "ops/sample/windows.h"

/* Equations 9 to 13: as many positions out as in, paddings between 0 and the filter's size, at both ends not always
 * the same; n positions in and (n + p - d (f - 1) - 1) / s + 1 out.  With parameters mutated, any padding for which a
 * window fits. */
void make_window(struct maker *m, int64_t n, int dilates, struct window *w)
{
	int64_t reach, pads;

	w->filter = make_between(m, 1, m->wide ? 5 : 3);
	w->stride = make_chance(m, 0.6) ? 1 : make_between(m, 1, 3);
	w->dilation = dilates && make_chance(m, 0.3) ? make_between(m, 1, 3) : 1;
	if (m->wide && make_chance(m, 0.1))
		w->filter = n + 1 < 8 ? n + 1 : 8;
	reach = w->dilation * (w->filter - 1) + 1;
	pads = (n - 1) * w->stride + reach - n;
	if (m->wide && make_chance(m, 0.5)) {
		w->before = make_between(m, 0, w->filter - 1);
		w->after = make_between(m, 0, w->filter - 1);
		pads = w->before + w->after;
	} else {
		if (pads > 2 * (w->filter - 1)) {
			w->stride = 1;
			pads = reach - 1;
		}
		if (pads > 2 * (w->filter - 1)) {
			w->dilation = 1;
			reach = w->filter;
			pads = reach - 1;
		}
		w->before = pads / 2 + (m->wide && pads % 2 && make_chance(m, 0.5));
		w->after = pads - w->before;
	}
	if (n + pads < reach) { /* no window fits */
		w->dilation = 1;
		w->filter = n + pads < w->filter ? n : w->filter;
		w->before = w->before < w->filter ? w->before : w->filter - 1;
		w->after = w->after < w->filter ? w->after : w->filter - 1;
	}
}

struct wire *make_picture(struct maker *m, struct wire *x, double limit)
{
	int rank = make_chance(m, 0.8) ? 4 : make_chance(m, 0.5) ? 3 : 5;

	return make_calm(m, make_rank(m, x, m->wide ? rank : 4), limit);
}

void make_windows(struct maker *m, const struct wire *x, int dilates, struct windows *w)
{
	w->n = x->type.rank - 2;
	for (int i = 0; i < w->n; i++)
		make_window(m, x->type.dims[2 + i], dilates, &w->at[i]);
}

/* SAME asks for paddings that let all positions have a window; where windows jump over positions it would be less than
 * none, and the specification does not say what then. */
void make_fit_same(struct windows *all, const struct wire *x)
{
	for (int i = 0; i < all->n; i++) {
		struct window *w = &all->at[i];
		int64_t n = x->type.dims[2 + i], out = (n + w->stride - 1) / w->stride;

		w->dilation = 1;
		if ((out - 1) * w->stride + w->filter < n)
			w->stride = 1;
	}
}

void make_set_windows(struct maker *m, const struct windows *w, int auto_pad)
{
	static const char *const words[] = {"SAME_UPPER", "SAME_LOWER"};
	int64_t kernel[MAKE_MAX_SPACE], strides[MAKE_MAX_SPACE], pads[2 * MAKE_MAX_SPACE];

	for (int i = 0; i < w->n; i++) {
		kernel[i] = w->at[i].filter;
		strides[i] = w->at[i].stride;
		pads[i] = w->at[i].before;
		pads[w->n + i] = w->at[i].after;
	}
	build_ints(&m->b, "kernel_shape", kernel, (size_t)w->n);
	build_ints(&m->b, "strides", strides, (size_t)w->n);
	if (auto_pad >= 0)
		build_string(&m->b, "auto_pad", words[auto_pad]);
	else
		build_ints(&m->b, "pads", pads, 2 * (size_t)w->n);
}

void make_set_dilations(struct maker *m, const struct windows *w)
{
	int64_t dilations[MAKE_MAX_SPACE];

	for (int i = 0; i < w->n; i++)
		dilations[i] = w->at[i].dilation;
	build_ints(&m->b, "dilations", dilations, (size_t)w->n);
}

int make_auto_pad(struct maker *m)
{
	return m->wide && make_chance(m, 0.15) ? (int)make_between(m, 0, 1) : -1;
}
