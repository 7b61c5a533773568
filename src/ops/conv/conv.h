/* conv.h - the plan of a convolution, shared by Conv and those built on it. */
#ifndef OPS_CONV_CONV_H
#define OPS_CONV_CONV_H

#include "ops/call.h"
#include "ops/kit/spatial.h"

struct conv_plan {
	struct spatial spatial;
	size_t batch, channels, filters, groups;
	size_t group_in, group_out; /* channels and filters of one group */
	size_t in_size, out_size, kernel_size;
	size_t tile;   /* output positions handled at once */
	int pointwise; /* 1x1, stride 1, no padding: X itself is the column matrix */
};

/* Infers a convolution's output shape: X is input x, W input w, bias input b (may be absent); sets output 0. */
int conv_infer_at(struct call *c, int x, int w, int b);

/* Plan with everything known. */
int conv_plan_init(struct call *c, struct conv_plan *p, int x, int w);

/* Chooses p->tile once the sizes are there. */
void conv_plan_tile(struct conv_plan *p);

/* One sample, without bias; col has room for group_in * kernel_size * tile numbers. */
void conv_sample(const struct conv_plan *p, const double *x, const double *w, double *col, double *y);

/* One sample and group: gx += Wᵀ gy laid back over the windows, gw += gy · (windows of x)ᵀ; either may be NULL. */
void conv_grad_group(const struct conv_plan *p, const double *x, const double *w, const double *gy, double *col,
		     double *gx, double *gw);

/* Numbers of the column matrix of one tile. */
size_t conv_column_count(const struct conv_plan *p);

/* conv_grad.c */
int conv_grad(struct call *c);

/* conv_noise.c */
int conv_scale(struct call *c, int out, double *s);
enum delta_result conv_delta(struct call *c);

/* The next kernel offset in row-major order. */
void conv_next_offset(const struct spatial *s, int64_t *k);

#endif
