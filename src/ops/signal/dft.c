/* dft.c - DFT of tensors whose last dimension holds the real part (1) or real and imaginary parts (2).
 *
 * The axis is an attribute in version 17 (default 1) and input 2 from 20 on (default -2).  Lines along the axis come in
 * pairs: real parts, then imaginary parts. */
#include "ops/engine/fourier.h"
#include "ops/kit/lines.h"
#include "ops/signal/samplers.h"

struct dft {
	int axis;
	int64_t length; /* negative: not known yet */
	int inverse, onesided;
};

/* *x = the one integer in input i, `otherwise` when left out; *known is 0 when its value is not known yet. */
static int scalar_input(struct call *c, int i, int64_t otherwise, int64_t *x, int *known)
{
	const struct tensor *t = call_has(c, i) ? c->in[i] : NULL;

	*known = t || !call_has(c, i);
	*x = otherwise;
	if (!t)
		return 0;
	if (t->count != 1)
		return call_bad(c, "input %d must be one integer", i);
	*x = t->i[0];
	return 0;
}

/* Reads attributes and inputs for an input of rank `rank` and dims; known says whether the axis could be told. */
static int dft_read(struct call *c, int rank, const int64_t *dims, struct dft *d, int *known)
{
	int64_t axis = attr_int(c->node, "axis");
	int length_known, rc = 0;

	*known = 1;
	d->inverse = attr_int(c->node, "inverse") != 0;
	d->onesided = attr_int(c->node, "onesided") != 0;
	if (rank < 2)
		return call_bad(c, "input 0 has rank %d, wanted at least 2", rank);
	if (c->version >= 20)
		rc = scalar_input(c, 2, -2, &axis, known);
	if (rc || !*known)
		return rc;
	rc = call_axis(c, axis, rank, &d->axis);
	if (rc)
		return rc;
	if (d->axis == rank - 1)
		return call_bad(c, "axis %d holds real and imaginary parts", d->axis);
	rc = scalar_input(c, 1, dims[d->axis], &d->length, &length_known);
	if (rc)
		return rc;
	if (!call_has(c, 1) && d->inverse && d->onesided && d->length >= 0) {
		if (d->length < 2 || d->length > INT64_MAX / 2)
			return call_bad(c, "%lld elements are not half of a transform", (long long)d->length);
		d->length = 2 * (d->length - 1);
	}
	if (!length_known)
		d->length = DIM_UNKNOWN;
	else if ((call_has(c, 1) || d->length >= 0) && d->length < 1)
		return call_bad(c, "dft_length %lld is not positive", (long long)d->length);
	return 0;
}

static int dft_infer(struct call *c)
{
	const struct type *x = call_shape(c, 0);
	enum dtype t = c->in_type[0].dtype;
	int64_t dims[TENSOR_MAX_RANK], parts;
	struct dft d;
	int known, rc;

	if (!x) {
		call_out_rank(c, 0, t, -1);
		return 0;
	}
	rc = dft_read(c, x->rank, x->dims, &d, &known);
	if (rc)
		return rc;
	parts = x->dims[x->rank - 1];
	if (parts >= 0 && parts != 1 && parts != 2)
		return call_bad(c, "the last dimension is %lld, wanted 1 (real) or 2 (complex)", (long long)parts);
	if (d.onesided && ((d.inverse && parts == 1) || (!d.inverse && parts == 2)))
		return call_bad(c, "a onesided %s transform takes %s input", d.inverse ? "inverse" : "forward",
				d.inverse ? "complex" : "real");
	for (int i = 0; i < x->rank; i++)
		dims[i] = known ? x->dims[i] : DIM_UNKNOWN;
	if (known && d.length >= 0)
		dims[d.axis] = d.onesided && !d.inverse ? d.length / 2 + 1 : d.length;
	else if (known && (call_has(c, 1) || d.onesided))
		dims[d.axis] = DIM_UNKNOWN;
	dims[x->rank - 1] = d.onesided && d.inverse ? 1 : 2;
	call_out(c, 0, t, x->rank, dims);
	return 0;
}

/* Lines of the input (in) and of the output (out), and buffers for both. */
struct dft_run {
	struct fourier f;
	struct lines in, out;
	size_t in_parts, out_parts; /* 1 or 2 */
	double *buf[4];             /* re and im of the input, of the output */
};

static int dft_open(struct call *c, const struct tensor *y, struct dft_run *r)
{
	const struct tensor *x = c->in[0];
	struct dft d;
	int known, rc = dft_read(c, x->rank, x->dims, &d, &known);

	if (rc)
		return rc;
	lines_init(&r->in, x->rank, x->dims, UINT32_C(1) << d.axis);
	lines_init(&r->out, y->rank, y->dims, UINT32_C(1) << d.axis);
	r->in_parts = (size_t)x->dims[x->rank - 1];
	r->out_parts = (size_t)y->dims[y->rank - 1];
	rc = fourier_open(c, &r->f, (size_t)d.length, r->in.length, d.inverse, d.onesided);
	for (int i = 0; i < 4 && !rc; i++) {
		r->buf[i] = call_scratch(c, i < 2 ? r->in.length : r->out.length, sizeof(double));
		if (!r->buf[i])
			rc = ERR_MEMORY;
	}
	return rc;
}

/* Line k of a tensor with `parts` lines for each, copied into buf where it is not contiguous. */
static struct fourier_line read_line(const struct lines *l, const double *x, size_t k, size_t parts, double *const *buf)
{
	struct fourier_line line = {(double *)lines_read(l, x, k * parts, buf[0]), NULL};

	if (parts == 2)
		line.im = (double *)lines_read(l, x, k * parts + 1, buf[1]);
	return line;
}

static int dft_eval(struct call *c)
{
	struct dft_run r;
	int rc = dft_open(c, c->out[0], &r);

	for (size_t k = 0; !rc && c->out[0]->count && k < r.out.count / r.out_parts; k++) {
		struct fourier_line in = read_line(&r.in, c->in[0]->f, k, r.in_parts, r.buf);
		struct fourier_line out = {r.buf[2], r.out_parts == 2 ? r.buf[3] : NULL};

		fourier_run(&r.f, &in, &out);
		for (size_t p = 0; p < r.out_parts; p++)
			lines_write(&r.out, c->out[0]->f, k * r.out_parts + p, r.buf[2 + p]);
	}
	return rc;
}

static int dft_grad(struct call *c)
{
	struct dft_run r;
	int rc;

	if (!c->out_grad[0] || !c->in_grad[0] || !c->in[0]->count)
		return 0;
	rc = dft_open(c, c->out_grad[0], &r);
	for (size_t k = 0; !rc && k < r.in.count / r.in_parts; k++) {
		struct fourier_line out = read_line(&r.out, c->out_grad[0]->f, k, r.out_parts, r.buf + 2);
		struct fourier_line in = {r.buf[0], r.in_parts == 2 ? r.buf[1] : NULL};

		fourier_back(&r.f, &out, &in);
		for (size_t p = 0; p < r.in_parts; p++)
			lines_add(&r.in, c->in_grad[0]->f, k * r.in_parts + p, r.buf[p]);
	}
	return rc;
}

static int dft_scale(struct call *c, int out, double *s)
{
	struct dft_run r;
	int rc = dft_open(c, c->out[out], &r);

	for (size_t k = 0; !rc && c->out[out]->count && k < r.out.count / r.out_parts; k++) {
		struct fourier_line in = read_line(&r.in, c->in[0]->f, k, r.in_parts, r.buf);
		struct fourier_size size = fourier_scale(&r.f, &in);

		for (size_t j = 0; j < r.out.length; j++)
			r.buf[2][j] = size.sum + (double)j * size.angle;
		for (size_t p = 0; p < r.out_parts; p++)
			lines_write(&r.out, s, k * r.out_parts + p, r.buf[2]);
	}
	return rc;
}

static double dft_work(const struct call *c)
{
	const struct type *x = &c->in_type[0];
	struct call again = *c;
	struct dft d = {.length = 0};
	int known;

	return dft_read(&again, x->rank, x->dims, &d, &known) ? 0
							      : fourier_work(call_elements(&c->out_type[0]), d.length);
}

static const struct op_attr dft_attrs[] = {OP_INT("axis", 1), OP_INT("inverse", 0), OP_INT("onesided", 0), {0}};

const struct op op_dft = {
	.samples = SAMPLES({.by = &sampler_dft}),
	.in = {{"input", T_FLOAT, 'T', 0},
	       {"dft_length", T_INDEX, 0, PORT_OPTIONAL},
	       {"axis", T_I64, 0, PORT_OPTIONAL}},
	.out = {{"output", T_FLOAT, 'T', 0}},
	.attrs = dft_attrs,
	.infer = dft_infer,
	.eval = dft_eval,
	.grad = dft_grad,
	.scale = dft_scale,
	.work = dft_work,
};
