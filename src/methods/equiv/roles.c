/* roles.c - see roles.h. */
#include "methods/equiv/roles.h"

#include <string.h>

const char *role_text(const struct role *role, struct rng *r, size_t *length)
{
	const char *at = role ? role->texts : NULL;
	uint64_t n = 1;

	for (const char *c = at; c && *c; c++)
		n += *c == '|';
	for (uint64_t i = at ? rng_below(r, n) : 0; i; i--)
		at = strchr(at, '|') + 1;
	*length = at ? strcspn(at, "|") : 0;
	return at;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static int64_t count_of(const struct role_frame *f)
{
	int64_t n = 1;

	for (int i = 0; i < f->rank; i++)
		n *= f->dims[i];
	return n;
}

int64_t role_frame_sparse(const struct role_frame *f)
{
	int64_t count = count_of(f);

	return f->sparse < count ? f->sparse : count;
}

void role_frame_draw(struct role_frame *f, struct rng *r)
{
	f->sparse = 1 + (int64_t)rng_below(r, 3);
	f->channels = rng_below(r, 2) ? (f->rank ? f->dims[f->rank - 1] : 1) : 1 + (int64_t)rng_below(r, 3);
	for (int i = 0; i < ROLE_RANK; i++)
		f->window[i] = 1 + (int64_t)rng_below(r, 2);
	f->shift = (int64_t)rng_below(r, ROLE_RANK);
}

void role_frame_raise(struct role_frame *f, int rank)
{
	int more = rank - f->rank;

	if (more <= 0 || rank > ROLE_MAX_RANK)
		return;
	memmove(f->dims + more, f->dims, (size_t)f->rank * sizeof *f->dims);
	for (int i = 0; i < more; i++)
		f->dims[i] = i == 0 || i == more / 2 ? 2 : 1;
	for (int i = ROLE_RANK; i < ROLE_MAX_RANK; i++)
		f->window[i] = 1;
	f->rank = rank;
}

/* Size number i, from the end when it is negative; 1 where the shape has no such. */
static int64_t size_at(const struct role_frame *f, int i)
{
	i += i < 0 ? f->rank : 0;
	return i >= 0 && i < f->rank ? f->dims[i] : 1;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

struct role_sizes {
	int64_t *at;
	int n, most;
};

static void add(struct role_sizes *s, int64_t size)
{
	if (s->n < s->most)
		s->at[s->n++] = size;
}

static void add_range(struct role_sizes *s, const int64_t *from, int first, int end)
{
	for (int i = first; i < end; i++)
		add(s, from[i]);
}

static int64_t one_size(const struct role_frame *f, enum role_size name)
{
	switch (name) {
	case SIZE_FIRST:
		return size_at(f, 0);
	case SIZE_SECOND:
		return size_at(f, 1);
	case SIZE_LAST_BUT_ONE:
		return size_at(f, -2);
	case SIZE_LAST:
		return size_at(f, -1);
	case SIZE_TWICE_LAST:
		return 2 * size_at(f, -1);
	case SIZE_FOUR_TIMES_LAST:
		return 4 * size_at(f, -1);
	case SIZE_RANK:
		return f->rank;
	case SIZE_TWICE_RANK:
		return 2 * f->rank;
	case SIZE_SPATIAL:
		return f->rank > 2 ? f->rank - 2 : 1;
	case SIZE_SPARSE:
		return role_frame_sparse(f);
	case SIZE_OUTPUTS:
		return f->channels;
	case SIZE_OUTPUTS_OF_ALL:
		return f->channels * size_at(f, -1);
	default: /* up to SIZE_ITSELF_MAX */
		return name;
	}
}

static void add_named(struct role_sizes *s, const struct role_frame *f, enum role_size name)
{
	if (name == SIZE_ALL || name == SIZE_BUT_FIRST || name == SIZE_BUT_LAST)
		add_range(s, f->dims, name == SIZE_BUT_FIRST, f->rank - (name == SIZE_BUT_LAST));
	else if (name == SIZE_WINDOW)
		add_range(s, f->window, 0, f->rank - 2);
	else
		add(s, one_size(f, name));
}

int role_shape(const struct role *role, const struct role_frame *f, int64_t *dims)
{
	struct role_sizes s = {dims, 0, f->rank > ROLE_RANK ? ROLE_MAX_RANK : ROLE_RANK};

	for (const unsigned char *at = role->shape; *at != SIZE_END; at++)
		add_named(&s, f, *at);
	return s.n;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Coordinate `column` of element `row` of a sparse tensor: elements lie as far apart as they can, in order. */
static double coordinate(const struct role_frame *f, int64_t row, int column)
{
	int64_t n = role_frame_sparse(f), at = n ? row * (count_of(f) / n) : 0;

	for (int i = f->rank - 1; i > column; i--)
		at /= f->dims[i] ? f->dims[i] : 1;
	return (double)(column < f->rank && f->dims[column] ? at % f->dims[column] : 0);
}

static double smallest_size(const struct role_frame *f)
{
	int64_t least = f->rank ? f->dims[0] : 1;

	for (int i = 1; i < f->rank; i++)
		least = f->dims[i] < least ? f->dims[i] : least;
	return (double)least;
}

static double below(struct rng *r, double n)
{
	return n < 1 ? 0 : (double)rng_below(r, (uint64_t)n);
}

/* Of a window: 1 for the first and the last dimension. */
static double window_number(const struct role_frame *f, size_t i, int64_t n)
{
	return i && (int64_t)i < n - 1 && i <= ROLE_MAX_RANK ? (double)f->window[i - 1] : 1;
}

static double filter_number(const struct role_frame *f, size_t i)
{
	if ((int)i < f->rank - 2)
		return (double)f->window[i];
	return (double)((int)i == f->rank - 2 ? size_at(f, -1) : f->channels);
}

static double axis(const struct role_frame *f, struct rng *r)
{
	double at = below(r, f->rank);

	return rng_below(r, 4) || !f->rank ? at : at - f->rank;
}

double role_number(enum role_numbers numbers, const struct role_frame *f, int64_t last, size_t i, struct rng *r)
{
	int64_t n = last > 0 ? last : 1, row = (int64_t)i / n, column = (int64_t)i % n;

	switch (numbers) {
	case NUMBERS_SMALL:
		return 1 + below(r, 4);
	case NUMBERS_AXIS:
		return axis(f, r);
	case NUMBERS_PERMUTATION:
		return (double)((column + f->shift) % n);
	case NUMBERS_BIT:
		return below(r, 2);
	case NUMBERS_SIZES:
		return (double)size_at(f, (int)column);
	case NUMBERS_INDEX:
		return below(r, smallest_size(f));
	case NUMBERS_PAIRED:
		return (double)(column / 2);
	case NUMBERS_FIRST_SIZE:
		return (double)size_at(f, 0);
	case NUMBERS_SPLITS:
		return column ? (double)size_at(f, 0) : 0;
	case NUMBERS_COORDINATES:
		return coordinate(f, row, (int)column);
	case NUMBERS_WINDOW:
		return window_number(f, (size_t)column, n);
	case NUMBERS_SPATIAL:
		return column < ROLE_MAX_RANK ? (double)f->window[column] : 1;
	case NUMBERS_OUTPUTS:
		return (double)f->channels;
	case NUMBERS_LISTED:
		return (double)f->listed;
	case NUMBERS_FILTER:
		return filter_number(f, (size_t)column);
	case NUMBERS_COUNTING:
		return (double)column;
	case NUMBERS_UNIT:
		return rng_unit(r);
	case NUMBERS_POSITIVE:
		return 0.5 + 2 * rng_unit(r);
	case NUMBERS_NEGATIVE:
		return -0.5 - 2 * rng_unit(r);
	case NUMBERS_RANGE:
		return column ? 1 : -1;
	case NUMBERS_CORNERS:
		return (double)(column % 4 / 2);
	default:
		return numbers > NUMBERS_NEGATIVE ? (double)((int)numbers - NUMBERS_CONSTANT) : 0;
	}
}

int role_varies(enum role_numbers numbers)
{
	return numbers == NUMBERS_UNIT || numbers == NUMBERS_POSITIVE || numbers == NUMBERS_NEGATIVE;
}
