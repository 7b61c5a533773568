/* roles.c - see roles.h. */
#include "methods/equiv/roles.h"

#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const struct role roles[] = {
#define ROLE(library, pattern, shape, numbers, rank) {library, pattern, shape, numbers, rank},
#include "methods/equiv/roles.def"
#undef ROLE
};

const struct role *role_find(const char *library, const char *operation, const char *parameter)
{
	char name[256];

	if (snprintf(name, sizeof name, "%s.%s", operation, parameter) >= (int)sizeof name)
		return NULL;
	for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
		if (!strcmp(roles[i].library, library) && !fnmatch(roles[i].pattern, name, 0))
			return &roles[i];
	return NULL;
}

const char *role_text(const struct role *role, struct rng *r, size_t *length)
{
	const char *at = role && role->numbers == '"' ? role->shape : NULL;
	uint64_t n = 1;

	for (const char *c = at; c && *c; c++)
		n += *c == '|';
	for (uint64_t i = at ? rng_below(r, n) : 0; i; i--)
		at = strchr(at, '|') + 1;
	*length = at ? strcspn(at, "|") : 0;
	return at;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

static int64_t count_of(const struct frame *f)
{
	int64_t n = 1;

	for (int i = 0; i < f->rank; i++)
		n *= f->dims[i];
	return n;
}

int64_t frame_sparse(const struct frame *f)
{
	int64_t count = count_of(f);

	return f->sparse < count ? f->sparse : count;
}

void frame_draw(struct frame *f, struct rng *r)
{
	f->sparse = 1 + (int64_t)rng_below(r, 3);
	f->channels = rng_below(r, 2) ? (f->rank ? f->dims[f->rank - 1] : 1) : 1 + (int64_t)rng_below(r, 3);
	for (int i = 0; i < FRAME_RANK; i++)
		f->window[i] = 1 + (int64_t)rng_below(r, 2);
	f->shift = (int64_t)rng_below(r, FRAME_RANK);
}

/* Size number i, from the end when it is negative; 1 where the shape has no such. */
static int64_t size_at(const struct frame *f, int i)
{
	i += i < 0 ? f->rank : 0;
	return i >= 0 && i < f->rank ? f->dims[i] : 1;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

struct sizes {
	int64_t *at;
	int n;
};

static void add(struct sizes *s, int64_t size)
{
	if (s->n < FRAME_RANK)
		s->at[s->n++] = size;
}

static void add_range(struct sizes *s, const int64_t *from, int first, int end)
{
	for (int i = first; i < end; i++)
		add(s, from[i]);
}

static void add_letter(struct sizes *s, const struct frame *f, char letter)
{
	const struct {
		char letter;
		int64_t size;
	} single[] = {{'n', size_at(f, 0)},      {'s', size_at(f, -2)},
		      {'c', size_at(f, -1)},     {'d', 2 * size_at(f, -1)},
		      {'f', 4 * size_at(f, -1)}, {'r', f->rank},
		      {'z', frame_sparse(f)},    {'q', f->rank > 2 ? f->rank - 2 : 1},
		      {'m', f->channels},        {'M', f->channels * size_at(f, -1)}};

	for (size_t i = 0; i < sizeof single / sizeof *single; i++)
		if (single[i].letter == letter)
			add(s, single[i].size);
	if (letter >= '1' && letter <= '9')
		add(s, letter - '0');
	else if (letter == '@')
		add_range(s, f->window, 0, f->rank - 2);
	else if (strchr("*^<>", letter))
		add_range(s, f->dims, letter == '>', f->rank - (letter == '^') - 2 * (letter == '<'));
}

int role_shape(const struct role *role, const struct frame *f, int64_t *dims)
{
	struct sizes s = {dims, 0};

	for (const char *at = role->shape; *at; at++)
		add_letter(&s, f, *at);
	return s.n;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Coordinate `column` of element `row` of a sparse tensor: elements lie as far apart as they can, in order. */
static double coordinate(const struct frame *f, int64_t row, int column)
{
	int64_t n = frame_sparse(f), at = n ? row * (count_of(f) / n) : 0;

	for (int i = f->rank - 1; i > column; i--)
		at /= f->dims[i] ? f->dims[i] : 1;
	return (double)(column < f->rank && f->dims[column] ? at % f->dims[column] : 0);
}

static double smallest_size(const struct frame *f)
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
static double window_number(const struct frame *f, size_t i, int64_t n)
{
	return i && (int64_t)i < n - 1 && i <= FRAME_RANK ? (double)f->window[i - 1] : 1;
}

static double filter_number(const struct frame *f, size_t i)
{
	if ((int)i < f->rank - 2)
		return (double)f->window[i];
	return (double)((int)i == f->rank - 2 ? size_at(f, -1) : f->channels);
}

static double axis(const struct frame *f, struct rng *r)
{
	double at = below(r, f->rank);

	return rng_below(r, 4) || !f->rank ? at : at - f->rank;
}

double role_number(char numbers, const struct frame *f, int64_t last, size_t i, struct rng *r)
{
	int64_t n = last > 0 ? last : 1, row = (int64_t)i / n, column = (int64_t)i % n;

	switch (numbers) {
	case '_':
		return -1;
	case '#':
		return 1 + below(r, 4);
	case 'a':
		return axis(f, r);
	case 'p':
		return (double)((column + f->shift) % n);
	case 'P':
		return below(r, 2);
	case 'd':
		return (double)size_at(f, (int)column);
	case 'i':
		return below(r, smallest_size(f));
	case 'o':
		return (double)(column / 2);
	case 'v':
		return (double)size_at(f, 0);
	case 't':
		return column ? (double)size_at(f, 0) : 0;
	case 'z':
		return coordinate(f, row, (int)column);
	case 'w':
		return window_number(f, (size_t)column, n);
	case 'k':
		return filter_number(f, (size_t)column);
	case 'y':
		return (double)column;
	case 'u':
		return rng_unit(r);
	case '+':
	case '>':
		return 0.5 + 2 * rng_unit(r);
	case '<':
		return -0.5 - 2 * rng_unit(r);
	case 'R':
		return column ? 1 : -1;
	case 'b':
		return (double)(column % 4 / 2);
	default:
		return numbers >= '0' && numbers <= '9' ? numbers - '0' : 0;
	}
}

int role_is_float(char numbers)
{
	return numbers && strchr("u+<>", numbers);
}
