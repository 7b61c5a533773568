/* windows.h - windows of convolutions and poolings over one to three spatial axes, mostly two. */
#ifndef OPS_SAMPLE_WINDOWS_H
#define OPS_SAMPLE_WINDOWS_H

#include "ops/sample/maker.h"

#define MAKE_MAX_SPACE 3
#define MAKE_MODEST 1000 /* values that go into a sum of products */

/* Begin and end of a window of filter f, dilation d and stride s over n positions. */
struct window {
	int64_t filter, stride, dilation, before, after;
};

struct windows {
	int n;
	struct window at[MAKE_MAX_SPACE];
};

/* Batch, channels and the spatial axes, calmed to `limit`. */
struct wire *make_picture(struct maker *m, struct wire *x, double limit);

void make_window(struct maker *m, int64_t n, int dilates, struct window *w);
void make_windows(struct maker *m, const struct wire *x, int dilates, struct windows *w);

/* A way to pad by itself, or -1: paddings are given.  SAME keeps sizes whatever the window. */
int make_auto_pad(struct maker *m);
/* Windows that SAME has a meaning for. */
void make_fit_same(struct windows *all, const struct wire *x);

/* Attributes of the node at hand. */
void make_set_windows(struct maker *m, const struct windows *w, int auto_pad);
void make_set_dilations(struct maker *m, const struct windows *w);

#endif
