/* conv_core.h - convolution of one element type, as a product of matrices.
 *
 * Include with REAL (the element type), GEMM (gemm_f32 or gemm_f64; without it there are only rows of windows) and
 * CORE(name) defined.
 *
 *   X [C, in…]   W [M, C/g, kernel…]   Y [M, out…]     (one sample; groups g)
 *   Y[m, o] = Σ_{c,k} W[m, c, k] · X[c, o·stride - pad + k·dilation]
 *
 * Output positions are taken in tiles; for each tile the windows are laid out as columns of a matrix
 * col [C/g · kernel, tile], which then meets W as [M/g, C/g · kernel].
 *
 * An element of X and Y is `unit` numbers side by side: 1, or the lanes of the noisy mode, which thereby share one
 * product of matrices. */

/* A run of n output positions with the same outer coordinates reads every stride-th element of a line from `start` on.
 */
static void CORE(copy_run)(const REAL *line, int64_t in, int64_t start, int64_t stride, size_t n, size_t unit, REAL *to)
{
	size_t i = 0;

	for (; i < n && start < 0; i++, start += stride, to += unit)
		memset(to, 0, unit * sizeof *to);
	if (stride == 1 && start < in) {
		size_t run = n - i < (size_t)(in - start) ? n - i : (size_t)(in - start);

		memcpy(to, line + (size_t)start * unit, run * unit * sizeof *to);
		to += run * unit;
		i += run;
		start += (int64_t)run;
	} else if (unit == 1) {
		for (; i < n && start < in; i++, start += stride)
			*to++ = line[start];
	}
	for (; i < n && start < in; i++, start += stride, to += unit)
		memcpy(to, line + (size_t)start * unit, unit * sizeof *to);
	memset(to, 0, (n - i) * unit * sizeof *to);
}

/* One row of col: input channel x, kernel offset k[], output positions [first, first + n). */
static void CORE(fill_row)(const struct spatial *s, const REAL *x, const int64_t *k, size_t first, size_t n,
			   size_t unit, REAL *to)
{
	int last = s->n - 1;
	size_t width = (size_t)s->out[last];

	while (n) {
		size_t rest = first / width, column = first % width, run = width - column < n ? width - column : n;
		size_t offset = 0, plane = (size_t)s->in[last];
		int inside = 1;

		for (int d = last - 1; d >= 0; d--) {
			int64_t at = (int64_t)(rest % (size_t)s->out[d]) * s->stride[d] - s->pad_begin[d] +
				     k[d] * s->dilation[d];

			inside &= at >= 0 && at < s->in[d];
			offset += inside ? (size_t)at * plane : 0;
			plane *= (size_t)s->in[d];
			rest /= (size_t)s->out[d];
		}
		if (inside)
			CORE(copy_run)
		(x + offset * unit, s->in[last],
		 (int64_t)column * s->stride[last] - s->pad_begin[last] + k[last] * s->dilation[last], s->stride[last],
		 run, unit, to);
		else memset(to, 0, run * unit * sizeof *to);
		to += run * unit;
		first += run;
		n -= run;
	}
}

#ifdef GEMM

static void CORE(fill_columns)(const struct conv_plan *p, const REAL *x, size_t first, size_t n, size_t unit, REAL *col)
{
	const struct spatial *s = &p->spatial;

	for (size_t c = 0; c < p->group_in; c++) {
		int64_t k[SPATIAL_MAX] = {0};

		for (size_t i = 0; i < p->kernel_size; i++) {
			CORE(fill_row)(s, x + c * p->in_size * unit, k, first, n, unit, col);
			col += n * unit;
			conv_next_offset(s, k);
		}
	}
}

/* One sample: y = W * x, without bias; col has room for p->tile columns. */
static void CORE(conv_sample)(const struct conv_plan *p, const REAL *x, const REAL *w, size_t unit, REAL *col, REAL *y)
{
	size_t rows = p->group_in * p->kernel_size;

	for (size_t g = 0; g < p->groups; g++) {
		const REAL *xg = x + g * p->group_in * p->in_size * unit, *wg = w + g * p->group_out * rows;
		REAL *yg = y + g * p->group_out * p->out_size * unit;

		for (size_t first = 0; first < p->out_size; first += p->tile) {
			size_t n = p->out_size - first < p->tile ? p->out_size - first : p->tile;
			struct gemm_shape s = gemm_dense(p->group_out, n * unit, rows, 0, 0);

			s.ldc = p->out_size * unit;
			if (p->pointwise) {
				s.ldb = p->in_size * unit;
				GEMM(&s, wg, xg + first * unit, yg + first * unit);
				continue;
			}
			CORE(fill_columns)(p, xg, first, n, unit, col);
			GEMM(&s, wg, col, yg + first * unit);
		}
	}
}

#endif
