/* gemm_core.h - products of matrices of one element type with one set of instructions.
 *
 * Include with these defined; those of an element type are undefined at the end.
 *
 *   TARGET, ROWS                   attribute of functions; rows of C at once: 12, 6 or 4
 *   REAL, CORE(name)               element type; name with the type behind
 *   VEC, LANES                     vector type, and its elements
 *   LOAD(p), ALL(x)                from memory; the same number in all lanes
 *   LOAD_FIRST(n, p)               the first n elements, others zero
 *   STORE_FIRST(n, p, x)           likewise
 *   FUSED(a, b, c), FUSED_1        a b + c of vectors, of numbers
 *
 * B is packed into panels of WIDTH columns, DEPTH rows at a time, so that what is read again and again lies in the
 * first two levels of the cache.  A is read from a copy of a few rows, since rows a power of two apart would all fall
 * into one set of the cache. */

#define WIDTH (128 / sizeof(REAL)) /* columns of a panel */
#define GROUP ((size_t)2 * LANES)  /* columns of C at once; divides WIDTH */
#define DEPTH GEMM_DEPTH
#define ROW_STEP (DEPTH + 64 / sizeof(REAL)) /* from one row of the copy to the next */
#define STRIPE (192 / sizeof(REAL))          /* rows in a copy of a transposed A: whole lines of the cache */
#define NEAR ((size_t)1 << 17)               /* numbers of A that the second-level cache holds */
#define COLUMNS ((size_t)512)                /* of B in panels at a time */
#define AHEAD 8                              /* steps of k: panels come from the second-level cache */
#define SMALL ((size_t)1 << 10)              /* multiplications that are not worth packing */
#define FEW_ROWS 4                           /* nor are fewer rows */
#define PIECE struct CORE(piece)
#define SWEEP struct CORE(sweep)

/* ---- a block of C ------------------------------------------------------------------------------------------------ */

/* At most GROUP columns of some rows: c[i][j] (+)= Σ_k a[i][k] · panel[k][j]. */
PIECE
{
	size_t k, step; /* step: from one k to the next of a transposed A */
	const REAL *panel;
	int add;
	REAL *c;
	size_t ldc, columns;
};

/* row_step, step: from one row of A, and from one k, to the next.  Rows and vectors are constants where this is
 * inlined, and the loops over them are unrolled, so that the sums become registers. */
TARGET static inline __attribute__((always_inline)) void CORE(block)(int rows, int vectors, size_t row_step,
								     size_t step, const PIECE *x, const REAL *a)
{
	size_t first[2] = {vectors == 1 ? x->columns : LANES, x->columns - LANES};
	const REAL *panel = x->panel;
	VEC sum[2 * ROWS];

#pragma GCC unroll 24
	for (int i = 0; i < rows * vectors; i++) {
		const REAL *c = x->c + (size_t)(i / vectors) * x->ldc + i % vectors * LANES;

		sum[i] = x->add ? LOAD_FIRST(first[i % vectors], c) : ALL(0);
	}
	for (size_t p = 0; p < x->k; p++, panel += WIDTH, a += step) {
		VEC b[2];

#pragma GCC unroll 2
		for (int v = 0; v < vectors; v++) {
			__builtin_prefetch(panel + AHEAD * WIDTH + v * LANES);
			b[v] = LOAD(panel + v * LANES);
		}
#pragma GCC unroll 24
		for (int i = 0; i < rows * vectors; i++)
			sum[i] = FUSED(ALL(a[(size_t)(i / vectors) * row_step]), b[i % vectors], sum[i]);
	}
#pragma GCC unroll 24
	for (int i = 0; i < rows * vectors; i++) {
		REAL *c = x->c + (size_t)(i / vectors) * x->ldc + i % vectors * LANES;

		STORE_FIRST(first[i % vectors], c, sum[i]);
	}
}

#define BLOCK(n)                                                           \
	TARGET static void CORE(rows_##n)(const PIECE *x, const REAL *a)   \
	{                                                                  \
		if (x->columns > LANES)                                    \
			CORE(block)(n, 2, ROW_STEP, 1, x, a);              \
		else                                                       \
			CORE(block)(n, 1, ROW_STEP, 1, x, a);              \
	}                                                                  \
	TARGET static void CORE(turned_##n)(const PIECE *x, const REAL *a) \
	{                                                                  \
		if (x->columns > LANES)                                    \
			CORE(block)(n, 2, 1, x->step, x, a);               \
		else                                                       \
			CORE(block)(n, 1, 1, x->step, x, a);               \
	}
#if ROWS == 12
BLOCK(12)
BLOCK(8)
#elif ROWS == 6
BLOCK(6)
#endif
BLOCK(4)
BLOCK(2)
BLOCK(1)

static const struct {
	size_t rows;
	void (*run[2])(const PIECE *x, const REAL *a); /* on rows ROW_STEP apart; on a transposed A */
} CORE(blocks)[] = {
#define BLOCK_ROW(n)                                     \
	{                                                \
		n,                                       \
		{                                        \
			CORE(rows_##n), CORE(turned_##n) \
		}                                        \
	}
#if ROWS == 12
	BLOCK_ROW(12), BLOCK_ROW(8),
#elif ROWS == 6
	BLOCK_ROW(6),
#endif
	BLOCK_ROW(4), BLOCK_ROW(2), BLOCK_ROW(1)};

/* ---- B in panels ------------------------------------------------------------------------------------------------- */

SWEEP
{
	size_t m, n, k;
	const REAL *a;
	const float *narrow; /* A in its place, not transposed; or NULL */
	size_t lda;
	int ta;
	const REAL *panels;
	int add;
	REAL *c;
	size_t ldc;
};

/* Rows [row, row + rows) of A, ROW_STEP apart; of a transposed A those of one k side by side, STRIPE apart. */
TARGET static void CORE(gather)(const SWEEP *x, size_t row, size_t rows, REAL *near)
{
	for (size_t p = 0; x->ta && p < x->k; p++)
		memcpy(near + p * STRIPE, x->a + p * x->lda + row, rows * sizeof *near);
	for (size_t i = row; !x->ta && i < row + rows; i++, near += ROW_STEP) {
		if (x->a)
			memcpy(near, x->a + i * x->lda, x->k * sizeof *near);
		else
			for (size_t p = 0; p < x->k; p++)
				near[p] = (REAL)x->narrow[i * x->lda + p];
	}
}

/* A share of the rows that come next, into the second-level cache: rows are short, and far apart. */
TARGET static void CORE(fetch)(const SWEEP *x, size_t from, size_t to)
{
	size_t item = x->a ? sizeof *x->a : sizeof *x->narrow;

	for (size_t i = from; i < to; i++) {
		const char *row = x->a ? (const char *)(x->a + i * x->lda) : (const char *)(x->narrow + i * x->lda);

		for (size_t byte = 0; byte < x->k * item; byte += 64)
			__builtin_prefetch(row + byte, 0, 2);
	}
}

/* A transposed A that is used once and fits the cache is read where it is. */
static int CORE(is_near)(const SWEEP *x)
{
	return x->ta && x->n <= GROUP && x->m * x->k <= NEAR;
}

/* As many rows of C from `row` on as make a block; a: their rows of A.  Returns how many. */
TARGET static size_t CORE(rows)(const SWEEP *x, size_t row, size_t rows, const REAL *a)
{
	PIECE piece = {.k = x->k, .step = CORE(is_near)(x) ? x->lda : STRIPE, .add = x->add, .ldc = x->ldc};
	size_t b = 0, next, left;

	while (CORE(blocks)[b].rows > rows)
		b++;
	next = row + CORE(blocks)[b].rows;
	left = x->m - next < ROWS ? x->m - next : ROWS;
	for (size_t j = 0; j < x->n; j += GROUP) {
		size_t end = j + GROUP < x->n ? j + GROUP : x->n;

		if (!x->ta)
			CORE(fetch)(x, next + left * j / x->n, next + left * end / x->n);
		piece.panel = x->panels + j / WIDTH * WIDTH * x->k + j % WIDTH;
		piece.c = x->c + row * x->ldc + j;
		piece.columns = end - j;
		CORE(blocks)[b].run[x->ta](&piece, a);
	}
	return CORE(blocks)[b].rows;
}

TARGET static void CORE(sweep)(const SWEEP *x)
{
	REAL near[STRIPE * DEPTH > ROWS * ROW_STEP ? STRIPE * DEPTH : ROWS * ROW_STEP];
	size_t most = x->ta ? STRIPE : ROWS, count;

	if (CORE(is_near)(x))
		for (size_t row = 0; row < x->m;)
			row += CORE(rows)(x, row, x->m - row, x->a + row);
	else
		for (size_t row = 0; row < x->m; row += count) {
			count = x->m - row < most ? x->m - row : most;
			CORE(gather)(x, row, count, near);
			for (size_t i = 0; i < count;)
				i += CORE(rows)(x, row + i, count - i, near + i * (x->ta ? 1 : ROW_STEP));
		}
}

/* Columns of B into panels; steps from one column and from one k to the next, one of them 1. */
TARGET static void CORE(pack)(size_t n, size_t k, const REAL *b, size_t step_n, size_t step_k, REAL *to)
{
	for (size_t j = 0; j < n; j += WIDTH, b += WIDTH * step_n, to += k * WIDTH) {
		size_t width = n - j < WIDTH ? n - j : WIDTH;

		if (width < WIDTH)
			memset(to, 0, k * WIDTH * sizeof *to);
		if (width < WIDTH || step_n > 1)
			for (size_t i = 0; i < width; i++)
				for (size_t p = 0; p < k; p++)
					to[p * WIDTH + i] = b[i * step_n + p * step_k];
		else
			for (size_t p = 0; p < k; p++)
				memcpy(to + p * WIDTH, b + p * step_k, WIDTH * sizeof *to);
	}
}

/* ---- whole products ---------------------------------------------------------------------------------------------- */

/* c[j] += x b[j], elements of b `step` apart. */
TARGET static void CORE(add)(size_t n, REAL x, const REAL *restrict b, size_t step, REAL *restrict c)
{
	if (step == 1)
		for (size_t j = 0; j < n; j++)
			c[j] = FUSED_1(x, b[j], c[j]);
	else
		for (size_t j = 0; j < n; j++)
			c[j] = FUSED_1(x, b[j * step], c[j]);
}

/* The same for four rows of B, one after the other, while c is in a register. */
TARGET static void CORE(add_four)(size_t n, const REAL x[4], const REAL *restrict b, size_t ldb, REAL *restrict c)
{
	const REAL *restrict b1 = b + ldb, *restrict b2 = b1 + ldb, *restrict b3 = b2 + ldb;

	for (size_t j = 0; j < n; j++) {
		REAL sum = FUSED_1(x[1], b1[j], FUSED_1(x[0], b[j], c[j]));

		c[j] = FUSED_1(x[3], b3[j], FUSED_1(x[2], b2[j], sum));
	}
}

/* Nothing is packed: rows of B are added to rows of C. */
TARGET static void CORE(plain)(const struct gemm_shape *s, const REAL *a, const REAL *b, REAL *c)
{
	size_t row = s->ta ? 1 : s->lda, step = s->ta ? s->lda : 1;

	for (size_t i = 0; i < s->m; i++, a += row, c += s->ldc) {
		size_t k = 0;

		if (!s->add)
			memset(c, 0, s->n * sizeof *c);
		for (; !s->tb && k + 4 <= s->k; k += 4) {
			REAL x[4] = {a[k * step], a[(k + 1) * step], a[(k + 2) * step], a[(k + 3) * step]};

			CORE(add_four)(s->n, x, b + k * s->ldb, s->ldb, c);
		}
		for (; k < s->k; k++)
			CORE(add)(s->n, a[k * step], s->tb ? b + k : b + k * s->ldb, s->tb ? s->ldb : 1, c);
	}
}

TARGET static void CORE(packed)(const struct gemm_shape *s, const REAL *a, const REAL *b, REAL *c, REAL *panels)
{
	size_t step_n = s->tb ? s->ldb : 1, step_k = s->tb ? 1 : s->ldb;
	SWEEP x = {.m = s->m, .lda = s->lda, .ta = s->ta != 0, .panels = panels, .ldc = s->ldc};

	for (size_t j = 0; j < s->n; j += COLUMNS)
		for (size_t k = 0; k < s->k; k += DEPTH) {
			x.n = s->n - j < COLUMNS ? s->n - j : COLUMNS;
			x.k = s->k - k < DEPTH ? s->k - k : DEPTH;
			x.a = a + (s->ta ? k * s->lda : k);
			x.c = c + j;
			x.add = s->add || k;
			CORE(pack)(x.n, x.k, b + j * step_n + k * step_k, step_n, step_k, panels);
			CORE(sweep)(&x);
		}
}

/* Without memory for panels it is slower, and the same. */
static void CORE(multiply)(const struct gemm_shape *s, const REAL *a, const REAL *b, REAL *c)
{
	size_t columns = s->n < COLUMNS ? (s->n + WIDTH - 1) / WIDTH * WIDTH : COLUMNS;
	size_t depth = s->k < DEPTH ? s->k : DEPTH;
	REAL *panels = NULL;

	if (s->tb && s->m < FEW_ROWS && s->n > 1) { /* B times each row of A: only the latter is packed */
		struct gemm_shape row = {s->n, 1, s->k, 0, 0, s->ldb, s->ta ? s->lda : 1, 1, s->add};

		for (size_t i = 0; i < s->m; i++)
			CORE(multiply)(&row, b, a + (s->ta ? i : i * s->lda), c + i * s->ldc);
		return;
	}
	if ((s->m >= FEW_ROWS || s->tb) && s->m * s->n > SMALL / (s->k + 1))
		panels = mem_aligned(columns * depth * sizeof *panels);
	if (panels)
		CORE(packed)(s, a, b, c, panels);
	else
		CORE(plain)(s, a, b, c);
	mem_free(panels);
}

#undef WIDTH
#undef GROUP
#undef DEPTH
#undef ROW_STEP
#undef STRIPE
#undef NEAR
#undef COLUMNS
#undef AHEAD
#undef SMALL
#undef FEW_ROWS
#undef PIECE
#undef SWEEP
#undef BLOCK
#undef BLOCK_ROW
#undef REAL
#undef CORE
#undef VEC
#undef LANES
#undef LOAD
#undef ALL
#undef LOAD_FIRST
#undef STORE_FIRST
#undef FUSED
#undef FUSED_1
