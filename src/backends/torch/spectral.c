/* spectral.c - discrete Fourier transforms and the windows that go with them. */
#include <string.h>

#include "backends/torch/th.h"

/* x [..., 1] is real, [..., 2] complex; torch has complex tensors instead of the last axis.  They are views, which want
 * the parts side by side and an even place to begin at: that of a copy, not of any slice. */
static void *as_complex(struct bind_call *c, void *x, const struct th_shape *s)
{
	if (s->dims[s->rank - 1] == 1)
		return th_op(c, "squeeze.dim", "ti", x, -1);
	return th_op(c, "view_as_complex", "t", th_op(c, "contiguous", "t", th_op(c, "clone", "t", x)));
}

/* Both sides scale the inverse by 1 / n.  Before version 20 the axis is an attribute. */
static int run_dft(struct bind_call *c)
{
	int64_t axis = c->version < 20 ? attr_int(c->node, "axis") : th_int(c, 2, -2), n;
	int inverse = attr_int(c->node, "inverse") != 0, onesided = attr_int(c->node, "onesided") != 0, at;
	struct th_shape s;
	void *y;

	if (th_shape(c, th_in(c, 0), &s) || th_axis(c, axis, s.rank, &at))
		return th_done(c);
	if (s.rank < 2 || at == s.rank - 1 || s.dims[s.rank - 1] < 1 || s.dims[s.rank - 1] > 2)
		return err_set(c->err, ERR_INPUT, "axis %d of a tensor of rank %d", at, s.rank);
	if (onesided && (inverse || s.dims[s.rank - 1] != 1))
		return bind_unsupported(c, "one side of an inverse or complex transform");
	n = th_int(c, 1, s.dims[at]);
	y = th_op(c, inverse ? "fft_ifft" : "fft_fft", "tli", as_complex(c, c->in[0], &s), n, at);
	if (onesided)
		y = th_slice(c, y, at, 0, n / 2 + 1, 1);
	/* The inverse of real numbers is marked as a conjugate, which cannot be viewed. */
	return th_give(c, th_op(c, "view_as_real", "t", th_op(c, "resolve_conj", "t", y)));
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* torch's window of one element is 1 by definition; ONNX has formulas alone. */
static int check_window(struct bind_call *c, int64_t n, enum dtype *t)
{
	if (n == 1)
		return bind_unsupported(c, "a window of one element, which torch has as 1");
	*t = dtype_from_code(attr_int(c->node, "output_datatype"));
	if (*t != DT_FLOAT && *t != DT_DOUBLE)
		return bind_unsupported(c, "a window of type %s", dtype_name(*t));
	return 0;
}

static int run_window(struct bind_call *c)
{
	int64_t n = th_int(c, 0, 0);
	enum dtype t;

	if (check_window(c, n, &t))
		return th_done(c);
	return th_give(c, th_op(c, c->row->native, "lbd", n, attr_int(c->node, "periodic") != 0, (int)t));
}

/* torch's own default is 0.54 and 0.46. */
static int run_hamming_window(struct bind_call *c)
{
	int64_t n = th_int(c, 0, 0);
	enum dtype t;

	if (check_window(c, n, &t))
		return th_done(c);
	return th_give(c, th_op(c, "hamming_window.periodic_alpha_beta", "lbffd", n, attr_int(c->node, "periodic") != 0,
				25.0 / 46.0, 21.0 / 46.0, (int)t));
}

const struct binding th_rows_spectral[] = {
	{"BlackmanWindow", run_window, "blackman_window.periodic"},
	{"DFT", run_dft, NULL},
	{"HammingWindow", run_hamming_window, NULL},
	{"HannWindow", run_window, "hann_window.periodic"},
	{0},
};
