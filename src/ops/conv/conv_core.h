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

#define COLUMNS struct CORE(columns)

COLUMNS
{
	const struct conv_plan *p;
	const REAL *x;
	size_t first, n, unit;
	REAL *col;
};

static inline void CORE(fill_channels)(void *arg, size_t first, size_t end)
{
	const COLUMNS *to = arg;
	const struct conv_plan *p = to->p;

	for (size_t c = first; c < end; c++) {
		REAL *col = to->col + c * p->kernel_size * to->n * to->unit;
		int64_t k[SPATIAL_MAX] = {0};

		for (size_t i = 0; i < p->kernel_size; i++, col += to->n * to->unit) {
			CORE(fill_row)
			(&p->spatial, to->x + c * p->in_size * to->unit, k, to->first, to->n, to->unit, col);
			conv_next_offset(&p->spatial, k);
		}
	}
}

static inline void CORE(fill_columns)(const struct conv_plan *p, const REAL *x, size_t first, size_t n, size_t unit,
				      REAL *col)
{
	COLUMNS to = {p, x, first, n, unit, col};

	parallel_for(p->group_in, (double)(p->kernel_size * n * unit), CORE(fill_channels), &to);
}

#undef COLUMNS

/* One group of one sample: y = W * x, without bias; col has room for p->tile columns. */
static inline void CORE(conv_group)(const struct conv_plan *p, const REAL *x, const REAL *w, size_t unit, REAL *col,
				    REAL *y)
{
	size_t rows = p->group_in * p->kernel_size;

	for (size_t first = 0; first < p->out_size; first += p->tile) {
		size_t n = p->out_size - first < p->tile ? p->out_size - first : p->tile;
		struct gemm_shape s = gemm_dense(p->group_out, n * unit, rows, 0, 0);

		s.ldc = p->out_size * unit;
		if (p->pointwise) {
			s.ldb = p->in_size * unit;
			GEMM(&s, w, x + first * unit, y + first * unit);
			continue;
		}
		CORE(fill_columns)(p, x, first, n, unit, col);
		GEMM(&s, w, col, y + first * unit);
	}
}

#endif
