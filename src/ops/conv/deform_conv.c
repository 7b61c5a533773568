/* deform_conv.c - DeformConv: a convolution whose windows sample the image at places moved by `offset`.
 *
 *     place(k, l)   = l * stride - pad + k * dilation + offset[n, g, k, :, l]     k: kernel element, l: output place
 *     column[c,k,l] = linear interpolation of X[n, c] at the place, times mask[n, g, k, l]   (zero outside)
 *     Y[n, o, l]    = Σ_{c, k} W[o, c, k] * column[c, k, l] + B[o]                c over the channels of o's group
 *
 * g is the offset group of channel c.  Columns are made for one image at a time; forward, noise and gradient all go
 * through them. */
#include <math.h>
#include <string.h>

#include "ops/call.h"
#include "ops/conv/samplers.h"
#include "ops/kit/interp.h"

enum { IN_X, IN_W, IN_OFFSET, IN_B, IN_MASK };

struct deform {
	struct spatial s;
	size_t batch, channels, out_channels, group, offset_group;
	size_t image, block, places; /* elements of an image plane, of the kernel, of an output plane */
};

static int check_groups(struct call *c, int64_t channels, const char *what, const char *attr)
{
	int64_t group = attr_int(c->node, attr);

	if (group < 1)
		return call_bad(c, "attribute '%s' is %lld, wanted at least 1", attr, (long long)group);
	if (channels >= 0 && channels % group)
		return call_bad(c, "%lld %s cannot be parted into %lld groups", (long long)channels, what,
				(long long)group);
	return 0;
}

/* Checks input i, when its shape is known, against [batch, per_element * offset_group * |kernel|, out…]. */
static int check_field(struct call *c, int i, const struct spatial *s, int64_t batch, int64_t per_element)
{
	const struct type *t = call_shape(c, i);
	int64_t want = per_element * attr_int(c->node, "offset_group");

	if (!t)
		return 0;
	if (t->rank != s->n + 2)
		return call_bad(c, "input %d has rank %d, wanted %d", i, t->rank, s->n + 2);
	for (int a = 0; a < s->n; a++) {
		want = want < 0 || s->kernel[a] < 0 || __builtin_mul_overflow(want, s->kernel[a], &want) ? DIM_UNKNOWN
													 : want;
		if (t->dims[2 + a] >= 0 && s->out[a] >= 0 && t->dims[2 + a] != s->out[a])
			return call_bad(c, "input %d has %lld along axis %d, wanted %lld", i, (long long)t->dims[2 + a],
					2 + a, (long long)s->out[a]);
	}
	if ((t->dims[1] >= 0 && want >= 0 && t->dims[1] != want) ||
	    (t->dims[0] >= 0 && batch >= 0 && t->dims[0] != batch))
		return call_bad(c, "input %d has shape [%lld, %lld, …], wanted [%lld, %lld, …]", i,
				(long long)t->dims[0], (long long)t->dims[1], (long long)batch, (long long)want);
	return 0;
}

static int deform_conv_infer(struct call *c)
{
	const struct type *x = call_shape(c, IN_X), *w = call_shape(c, IN_W), *b = call_shape(c, IN_B);
	int64_t dims[TENSOR_MAX_RANK], group = attr_int(c->node, "group"), unknown[SPATIAL_MAX];
	struct spatial s;
	int rc;

	if (!x || !w) {
		call_out_rank(c, 0, c->in_type[IN_X].dtype, x ? x->rank : w ? w->rank : -1);
		return 0;
	}
	if (x->rank < 3 || x->rank != w->rank)
		return call_bad(c, "X has rank %d and W has rank %d", x->rank, w->rank);
	for (int i = 0; i < SPATIAL_MAX; i++)
		unknown[i] = DIM_UNKNOWN;
	rc = spatial_init(c, &s, x->rank - 2, x->dims + 2, w->rank - 2 <= SPATIAL_MAX ? w->dims + 2 : unknown, 0);
	if (!rc)
		rc = check_groups(c, x->dims[1], "channels", "group");
	if (!rc)
		rc = check_groups(c, w->dims[0], "output channels", "group");
	if (!rc)
		rc = check_groups(c, x->dims[1], "channels", "offset_group");
	if (!rc)
		rc = check_field(c, IN_OFFSET, &s, x->dims[0], s.n);
	if (!rc)
		rc = check_field(c, IN_MASK, &s, x->dims[0], 1);
	if (rc)
		return rc;
	if (w->dims[1] >= 0 && x->dims[1] >= 0 && w->dims[1] != x->dims[1] / group)
		return call_bad(c, "W has %lld channels a group, X has %lld", (long long)w->dims[1],
				(long long)(x->dims[1] / group));
	if (b && (b->rank != 1 || (b->dims[0] >= 0 && w->dims[0] >= 0 && b->dims[0] != w->dims[0])))
		return call_bad(c, "bias does not have one number for each output channel");
	dims[0] = x->dims[0];
	dims[1] = w->dims[0];
	memcpy(dims + 2, s.out, (size_t)s.n * sizeof *dims);
	call_out(c, 0, x->dtype, x->rank, dims);
	return 0;
}

static int prepare(struct call *c, struct deform *d)
{
	const struct tensor *x = c->in[IN_X], *w = c->in[IN_W];

	d->batch = (size_t)x->dims[0];
	d->channels = (size_t)x->dims[1];
	d->out_channels = (size_t)w->dims[0];
	d->group = (size_t)attr_int(c->node, "group");
	d->offset_group = (size_t)attr_int(c->node, "offset_group");
	d->image = dims_product(x->dims, 2, x->rank);
	d->block = dims_product(w->dims, 2, w->rank);
	d->places = dims_product(c->out[0]->dims, 2, x->rank);
	return spatial_init(c, &d->s, x->rank - 2, x->dims + 2, w->dims + 2, 0);
}

/* Where an image is sampled. */
struct place {
	size_t g, k, l;            /* offset group, kernel element, output place */
	size_t offset, mask;       /* in the fields: offset of axis a is at offset + a * places */
	double coord[SPATIAL_MAX]; /* in the image */
	struct interp t;
};

static size_t count_places(const struct deform *d)
{
	return d->offset_group * d->block * d->places;
}

/* Place i of image n. */
static void place_at(const struct call *c, const struct deform *d, size_t n, size_t i, struct place *p)
{
	const struct spatial *s = &d->s;
	size_t element = n * d->offset_group * d->block + i / d->places, kk, ll;

	p->g = i / (d->block * d->places);
	p->k = kk = i / d->places % d->block;
	p->l = ll = i % d->places;
	p->mask = element * d->places + p->l;
	p->offset = element * (size_t)s->n * d->places + p->l;
	for (int a = s->n - 1; a >= 0; a--) {
		int64_t o = (int64_t)(ll % (size_t)s->out[a]), e = (int64_t)(kk % (size_t)s->kernel[a]);

		p->coord[a] = (double)(o * s->stride[a] - s->pad_begin[a] + e * s->dilation[a]) +
			      c->in[IN_OFFSET]->f[p->offset + (size_t)a * d->places];
		ll /= (size_t)s->out[a];
		kk /= (size_t)s->kernel[a];
	}
	interp_linear(&p->t, s->n, s->in, p->coord);
}

static double mask_at(const struct call *c, size_t i)
{
	return call_has(c, IN_MASK) ? c->in[IN_MASK]->f[i] : 1;
}

/* What columns hold: values; or what rounding may move them by, in two parts. */
enum column {
	COLUMN_VALUE,
	COLUMN_SIZE, /* Σ w |x|: the sum of the interpolation */
	COLUMN_PLACE /* the rounded place times the slope, squared: places are off independently of each other */
};

static double sample(enum column what, const struct place *p, const double *x)
{
	const struct interp *t = &p->t;
	double sum = 0;

	if (what == COLUMN_VALUE)
		return interp_value(t, x);
	for (size_t i = 0; what == COLUMN_SIZE && i < t->n; i++)
		sum += t->w[i] * fabs(x[t->at[i]]);
	for (int a = 0; what == COLUMN_PLACE && a < t->axes && t->n; a++)
		sum += (1 + fabs(p->coord[a])) * fabs(interp_slope(t, a, x));
	return what == COLUMN_PLACE ? sum * sum : sum;
}

static double masked(enum column what, double value, double mask)
{
	return value * (what == COLUMN_VALUE ? mask : what == COLUMN_SIZE ? fabs(mask) : mask * mask);
}

/* columns[(c * block + k) * places + l] of image n */
static void make_columns(const struct call *c, const struct deform *d, size_t n, enum column what, double *columns)
{
	size_t each = d->channels / d->offset_group;
	struct place p;

	for (size_t i = 0; i < count_places(d); i++) {
		place_at(c, d, n, i, &p);
		for (size_t ch = p.g * each; ch < (p.g + 1) * each; ch++) {
			const double *x = c->in[IN_X]->f + (n * d->channels + ch) * d->image;

			columns[(ch * d->block + p.k) * d->places + p.l] =
				masked(what, sample(what, &p, x), mask_at(c, p.mask));
		}
	}
}

/* The two ends of every product W[o, c, k] * column[c, k, :]: fn(row of Y, weight, row of columns). */
typedef void product_fn(double *y, double *w, double *column, size_t places);

static void multiply_add(double *y, double *w, double *column, size_t places)
{
	for (size_t l = 0; l < places; l++)
		y[l] += *w * column[l];
}

static void multiply_abs(double *y, double *w, double *column, size_t places)
{
	for (size_t l = 0; l < places; l++)
		y[l] += fabs(*w) * column[l];
}

static void multiply_squares(double *y, double *w, double *column, size_t places)
{
	for (size_t l = 0; l < places; l++)
		y[l] += *w * *w * column[l];
}

static void weight_grad(double *gy, double *gw, double *column, size_t places)
{
	for (size_t l = 0; l < places; l++)
		*gw += gy[l] * column[l];
}

static void column_grad(double *gy, double *w, double *gcolumn, size_t places)
{
	for (size_t l = 0; l < places; l++)
		gcolumn[l] += *w * gy[l];
}

static void for_each_product(const struct deform *d, double *y, double *w, double *columns, product_fn *fn)
{
	size_t per_in = d->channels / d->group, per_out = d->out_channels / d->group, row = per_in * d->block;

	for (size_t o = 0; o < d->out_channels; o++)
		for (size_t i = 0; i < row; i++)
			fn(y + o * d->places, w + o * row + i, columns + (o / per_out * row + i) * d->places,
			   d->places);
}

/* Fills one image of y with b, which may be NULL, and adds the products with its columns. */
static void add_products(const struct call *c, const struct deform *d, size_t n, enum column what, const double *b,
			 double *columns, double *y)
{
	static product_fn *const products[] = {
		[COLUMN_VALUE] = multiply_add, [COLUMN_SIZE] = multiply_abs, [COLUMN_PLACE] = multiply_squares};

	for (size_t i = 0; i < d->out_channels * d->places; i++)
		y[i] = b ? b[i / d->places] : 0;
	make_columns(c, d, n, what, columns);
	for_each_product(d, y, c->in[IN_W]->f, columns, products[what]);
}

static double *new_columns(struct call *c, const struct deform *d)
{
	return call_scratch(c, d->channels * d->block * d->places, sizeof(double));
}

static int deform_conv_eval(struct call *c)
{
	const double *b = call_has(c, IN_B) ? c->in[IN_B]->f : NULL;
	double *columns;
	struct deform d;
	int rc = prepare(c, &d);

	if (rc)
		return rc;
	columns = new_columns(c, &d);
	for (size_t n = 0; columns && n < d.batch; n++)
		add_products(c, &d, n, COLUMN_VALUE, b, columns, c->out[0]->f + n * d.out_channels * d.places);
	return columns ? 0 : ERR_MEMORY;
}

/* (Σ |w| |m| Σ|x| + |b|) · growth, and the places of all terms together */
static int deform_conv_scale(struct call *c, int out, double *s)
{
	double *columns, *places, growth;
	struct deform d;
	int rc = prepare(c, &d);

	(void)out;
	if (rc)
		return rc;
	columns = new_columns(c, &d);
	places = call_scratch(c, d.out_channels * d.places, sizeof *places);
	if (!columns || !places)
		return ERR_MEMORY;
	growth = noise_growth((double)(d.channels / d.group * d.block));
	for (size_t n = 0; n < d.batch; n++, s += d.out_channels * d.places) {
		add_products(c, &d, n, COLUMN_SIZE, NULL, columns, s);
		add_products(c, &d, n, COLUMN_PLACE, NULL, columns, places);
		for (size_t i = 0; i < d.out_channels * d.places; i++) {
			double b = call_has(c, IN_B) ? fabs(c->in[IN_B]->f[i / d.places]) : 0;

			s[i] = (s[i] + b) * growth + sqrt(places[i]);
		}
	}
	return 0;
}

static double *wanted(const struct call *c, int i)
{
	return call_has(c, i) && c->in_grad[i] ? c->in_grad[i]->f : NULL;
}

/* Carries the gradient of image n's columns on to X, offset and mask. */
static void sample_grad(const struct call *c, const struct deform *d, size_t n, const double *gcolumns)
{
	size_t each = d->channels / d->offset_group;
	double *gx = wanted(c, IN_X), *go = wanted(c, IN_OFFSET), *gm = wanted(c, IN_MASK);
	struct place p;

	for (size_t i = 0; i < count_places(d); i++) {
		double m;

		place_at(c, d, n, i, &p);
		m = mask_at(c, p.mask);
		for (size_t ch = p.g * each; ch < (p.g + 1) * each; ch++) {
			size_t plane = (n * d->channels + ch) * d->image;
			const double *x = c->in[IN_X]->f + plane;
			double grad = gcolumns[(ch * d->block + p.k) * d->places + p.l];

			if (gx)
				interp_scatter(&p.t, grad * m, gx + plane);
			if (gm)
				gm[p.mask] += grad * interp_value(&p.t, x);
			for (int a = 0; go && a < d->s.n && p.t.n; a++)
				go[p.offset + (size_t)a * d->places] += grad * m * interp_slope(&p.t, a, x);
		}
	}
}

static int deform_conv_grad(struct call *c)
{
	struct deform d;
	double *columns, *gcolumns, *gw = wanted(c, IN_W), *gb = wanted(c, IN_B);
	size_t size;
	int rc = prepare(c, &d);

	if (rc || !c->out_grad[0])
		return rc;
	size = d.channels * d.block * d.places;
	columns = call_scratch(c, size, sizeof *columns);
	gcolumns = call_scratch(c, size, sizeof *gcolumns);
	if (!columns || !gcolumns)
		return ERR_MEMORY;
	for (size_t n = 0; n < d.batch; n++) {
		double *gy = c->out_grad[0]->f + n * d.out_channels * d.places;

		for (size_t i = 0; gb && i < d.out_channels * d.places; i++)
			gb[i / d.places] += gy[i];
		if (gw) {
			make_columns(c, &d, n, 0, columns);
			for_each_product(&d, gy, gw, columns, weight_grad);
		}
		memset(gcolumns, 0, size * sizeof *gcolumns);
		for_each_product(&d, gy, c->in[IN_W]->f, gcolumns, column_grad);
		sample_grad(c, &d, n, gcolumns);
	}
	return 0;
}

static const struct op_attr deform_conv_attrs[] = {
	OP_INTS("dilations", 1),
	OP_INT("group", 1),
	OP_ATTR("kernel_shape", ATTR_INTS),
	OP_INT("offset_group", 1),
	OP_INTS("pads", 0),
	OP_INTS("strides", 1),
	{0},
};

const struct op op_deform_conv = {
	.samples = SAMPLES({.by = &sampler_deform_conv}),
	.in = {{"X", T_FLOAT, 'T', 0},
	       {"W", T_FLOAT, 'T', 0},
	       {"offset", T_FLOAT, 'T', 0},
	       {"B", T_FLOAT, 'T', PORT_OPTIONAL},
	       {"mask", T_FLOAT, 'T', PORT_OPTIONAL}},
	.out = {{"Y", T_FLOAT, 'T', 0}},
	.attrs = deform_conv_attrs,
	.flags = OP_PRODUCTS,
	.infer = deform_conv_infer,
	.eval = deform_conv_eval,
	.grad = deform_conv_grad,
	.scale = deform_conv_scale,
};
