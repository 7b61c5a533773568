/* elementwise.h - what the families of elementwise operators share.
 *
 * An operator gives formulas; macros turn each into a loop over a row (so that no element costs an indirect call), and
 * drivers walk the rows.  In the formulas, x and y are the inputs' elements, a and b the values of the operator's float
 * attributes.  Wide integers are int64_t; uint64 keeps its bit pattern, so formulas that compare, divide or shift right
 * need a second form for it. */
#ifndef OPS_ELEMENTWISE_ELEMENTWISE_H
#define OPS_ELEMENTWISE_ELEMENTWISE_H

#include "base/clones.h"
#include "base/parallel.h"
#include "ops/call.h"
#include "ops/kit/broadcast.h"
#include "ops/noise/step.h"

/* As numpy's maximum and minimum, and unlike fmax(): NaN wins. */
static inline double nan_max(double x, double y)
{
	return x > y || x != x ? x : y;
}

static inline double nan_min(double x, double y)
{
	return x < y || x != x ? x : y;
}

/* ---- one input --------------------------------------------------------------------------------------------------- */

struct unary {
	void (*value)(const double *x, double *y, size_t n, double a, double b);
	void (*slope)(const double *x, const double *gy, double *gx, size_t n, double a,
		      double b); /* adds gy * dy/dx */
	void (*ints)(const int64_t *x, int64_t *y, size_t n, int is_u64);
	const char *attrs[2]; /* names of the attributes that are a and b */
};

void unary_attrs(const struct call *c, const struct unary *u, double *a, double *b);

/* A loop over the elements of input 0, which threads share. */
struct unary_loop {
	struct call *c;
	const struct unary *u;
	double a, b;
	double *s; /* scale: to be filled */
	int out;
};
void unary_share(struct unary_loop *l, parallel_fn *fn, double cost); /* sets a and b */
int unary_eval(struct call *c, const struct unary *u);
int unary_grad(struct call *c, const struct unary *u);

/* id_value() and id_slope() from y = value and dy/dx = slope.  A zero gradient stays zero at poles of the slope. */
#define UNARY_ROWS(id, value, slope)                                                                         \
	static void id##_value(const double *px, double *py, size_t n, double a, double b)                   \
	{                                                                                                    \
		(void)a, (void)b;                                                                            \
		for (size_t k = 0; k < n; k++) {                                                             \
			const double x = px[k];                                                              \
			py[k] = (value);                                                                     \
		}                                                                                            \
	}                                                                                                    \
	static void id##_slope(const double *px, const double *gy, double *gx, size_t n, double a, double b) \
	{                                                                                                    \
		(void)a, (void)b;                                                                            \
		for (size_t k = 0; k < n; k++) {                                                             \
			const double x = px[k];                                                              \
			(void)x;                                                                             \
			if (gy[k] != 0)                                                                      \
				gx[k] += gy[k] * (slope);                                                    \
		}                                                                                            \
	}

/* id_ints() from y = value; is_u64 tells that x is a uint64's bit pattern. */
#define UNARY_INTS(id, value)                                                       \
	static void id##_ints(const int64_t *px, int64_t *py, size_t n, int is_u64) \
	{                                                                           \
		(void)is_u64;                                                       \
		for (size_t k = 0; k < n; k++) {                                    \
			const int64_t x = px[k];                                    \
			py[k] = (value);                                            \
		}                                                                   \
	}

/* id_eval() and id_grad() from the members of a struct unary. */
#define UNARY_DRIVERS(id, ...)                                \
	static const struct unary id##_unary = {__VA_ARGS__}; \
	static int id##_eval(struct call *c)                  \
	{                                                     \
		return unary_eval(c, &id##_unary);            \
	}                                                     \
	static int id##_grad(struct call *c)                  \
	{                                                     \
		return unary_grad(c, &id##_unary);            \
	}

/* id_scale() from how far rounding may move y, in unit roundoffs; x, y, a, b as above; absolute: as in struct call. */
#define UNARY_SCALE(id, scale)                                                                                        \
	static void id##_scale_piece(void *arg, size_t first, size_t end)                                             \
	{                                                                                                             \
		const struct unary_loop *loop = arg;                                                                  \
		const double *px = loop->c->in[0]->f, *py = loop->c->out[loop->out]->f;                               \
		const double absolute = loop->c->absolute, a = loop->a, b = loop->b;                                  \
                                                                                                                      \
		(void)absolute, (void)a, (void)b;                                                                     \
		for (size_t k = first; k < end; k++) {                                                                \
			const double x = px[k], y = py[k];                                                            \
			(void)x, (void)y;                                                                             \
			loop->s[k] = (scale);                                                                         \
		}                                                                                                     \
	}                                                                                                             \
	static int id##_scale(struct call *c, int out, double *s)                                                     \
	{                                                                                                             \
		unary_share(&(struct unary_loop){.c = c, .u = &id##_unary, .s = s, .out = out}, id##_scale_piece, 4); \
		return 0;                                                                                             \
	}

#define USUAL_LANES 8 /* hot loops are compiled for this many as well: they become one vector */

/* after - before, where equal infinities and NaNs have not moved.  Without branches: it stands in loops over lanes. */
static inline float moved_by(double after, double before)
{
	double d = after - before;
	int same = (after == before) | ((after != after) & (before != before));

	return (float)(same ? 0 : d);
}

/* id_delta() from value(x, a, b), which may be a macro: out_delta = value(x + d) - value(x) in all lanes. */
#define UNARY_DELTA(id, value)                                                                                       \
	static inline __attribute__((always_inline)) void id##_delta_loop(                                           \
		const double *px, const float *d, float *out, size_t count, size_t lanes, double a, double b)        \
	{                                                                                                            \
		(void)a;                                                                                             \
		(void)b;                                                                                             \
		for (size_t k = 0; k < count; k++, d += lanes, out += lanes) {                                       \
			double x = px[k], y = value(x, a, b);                                                        \
                                                                                                                     \
			for (size_t l = 0; l < lanes; l++)                                                           \
				out[l] = moved_by(value(x + (double)d[l], a, b), y);                                 \
		}                                                                                                    \
	}                                                                                                            \
	CLONES static void id##_delta_all(const double *x, const float *d, float *out, size_t count, size_t lanes,   \
					  double a, double b)                                                        \
	{                                                                                                            \
		if (lanes == USUAL_LANES)                                                                            \
			id##_delta_loop(x, d, out, count, USUAL_LANES, a, b);                                        \
		else                                                                                                 \
			id##_delta_loop(x, d, out, count, lanes, a, b);                                              \
	}                                                                                                            \
	static void id##_delta_piece(void *arg, size_t first, size_t end)                                            \
	{                                                                                                            \
		const struct unary_loop *loop = arg;                                                                 \
		const struct call *c = loop->c;                                                                      \
		size_t lanes = (size_t)c->lanes;                                                                     \
                                                                                                                     \
		id##_delta_all(c->in[0]->f + first, c->in_delta[0] + first * lanes, c->out_delta[0] + first * lanes, \
			       end - first, lanes, loop->a, loop->b);                                                \
	}                                                                                                            \
	static enum delta_result id##_delta(struct call *c)                                                          \
	{                                                                                                            \
		unary_share(&(struct unary_loop){.c = c, .u = &id##_unary}, id##_delta_piece, 2 * (double)c->lanes); \
		return DELTA_DONE;                                                                                   \
	}

/* The bounds that Clip has as attributes, before version 11; infinite: none. */
void clip_attributes(const struct node *n, double *low, double *high);

/* ---- two inputs -------------------------------------------------------------------------------------------------- */

typedef void row_ff(const double *x, size_t sx, const double *y, size_t sy, double *z, size_t n);
typedef void row_fi(const double *x, size_t sx, const double *y, size_t sy, int64_t *z, size_t n);
typedef void row_ii(const int64_t *x, size_t sx, const int64_t *y, size_t sy, int64_t *z, size_t n);

/* A row function from z = value, one loop for each pair of strides. */
#define BINARY_ROW(name, in_type, out_type, value)                                                                     \
	static inline __attribute__((always_inline)) void name##_loop(const in_type *px, size_t sx, const in_type *py, \
								      size_t sy, out_type *pz, size_t n)               \
	{                                                                                                              \
		for (size_t k = 0; k < n; k++) {                                                                       \
			const in_type x = px[k * sx], y = py[k * sy];                                                  \
			pz[k] = (value);                                                                               \
		}                                                                                                      \
	}                                                                                                              \
	static void name(const in_type *px, size_t sx, const in_type *py, size_t sy, out_type *pz, size_t n)           \
	{                                                                                                              \
		if (sx && sy)                                                                                          \
			name##_loop(px, 1, py, 1, pz, n);                                                              \
		else if (sx)                                                                                           \
			name##_loop(px, 1, py, 0, pz, n);                                                              \
		else if (sy)                                                                                           \
			name##_loop(px, 0, py, 1, pz, n);                                                              \
		else                                                                                                   \
			name##_loop(px, 0, py, 0, pz, n);                                                              \
	}

struct binary {
	row_ff *floats;
	row_fi *test; /* instead of floats: the output is bool */
	row_ii *ints; /* also bool */
	row_ii *u64;  /* NULL: as ints */
};

/* A row of two inputs on the way back. */
struct grad_row {
	const double *x, *y, *g; /* both inputs, and the gradient of the output */
	size_t sx, sy;           /* strides of x and y: 1, or 0 where one element is for the whole row */
	double *gx, *gy;         /* their gradients are added here, with their strides; NULL: not wanted */
	size_t n;
};
typedef void row_grad(const struct grad_row *row);

#define BINARY_GRAD_ROW(name, dx, dy)                                      \
	static void name(const struct grad_row *row)                       \
	{                                                                  \
		const struct grad_row r = *row;                            \
		for (size_t k = 0; k < r.n; k++) {                         \
			const double x = r.x[k * r.sx], y = r.y[k * r.sy]; \
			(void)x, (void)y;                                  \
			if (r.g[k] == 0)                                   \
				continue;                                  \
			if (r.gx)                                          \
				r.gx[k * r.sx] += r.g[k] * (dx);           \
			if (r.gy)                                          \
				r.gy[k * r.sy] += r.g[k] * (dy);           \
		}                                                          \
	}

/* Plans inputs 0 and 1 of a node, also by the `broadcast` and `axis` attributes of opsets below 7. */
void binary_plan(const struct call *c, struct bcast *b);

int binary_infer(struct call *c);      /* dtype as preset */
int binary_bool_infer(struct call *c); /* bool */
int binary_eval(struct call *c, const struct binary *f);
int binary_grad(struct call *c, row_grad *row);
/* The same by another plan; the output has a gradient. */
void binary_grad_rows(struct call *c, struct bcast *b, row_grad *row);

/* delta of y = Σ coefficient_i * input_i, broadcast; coefficient may be NULL: all `otherwise`. */
enum delta_result linear_delta(struct call *c, const double *coefficient, double otherwise);

/* x + y of the same shape as a step: Add, and Sum of two inputs. */
extern const struct op_step add_step;

#endif
