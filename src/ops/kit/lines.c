/* lines.c - see lines.h. */
#include "ops/kit/lines.h"

#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "base/parallel.h"

#define ITEM sizeof(double)
_Static_assert(sizeof(double) == sizeof(int64_t), "lines copies both as items of 8 bytes");

void lines_init(struct lines *l, int rank, const int64_t *dims, uint32_t axes)
{
	size_t stride = 1;
	int previous = -1; /* sort of the axis to the right: 1 along, 0 across, -1 none yet */

	memset(l, 0, sizeof *l);
	l->count = l->length = 1;
	for (int i = rank - 1; i >= 0; i--) {
		int chosen = axes >> i & 1;
		struct lines_dim *list = chosen ? l->along : l->across;
		int *n = chosen ? &l->n_along : &l->n_across;
		size_t size = (size_t)dims[i];

		*(chosen ? &l->length : &l->count) *= size;
		if (size == 1)
			continue;
		if (previous == chosen)
			list[*n - 1].size *= size;
		else
			list[(*n)++] = (struct lines_dim){size, stride};
		stride *= size;
		previous = chosen;
	}
	if (!l->n_along)
		l->along[l->n_along++] = (struct lines_dim){1, 1};
}

/* Offset of the k-th combination of indices of d[0 … n-1], innermost first. */
static size_t offset_of(const struct lines_dim *d, int n, size_t k)
{
	size_t offset = 0;

	for (int i = 0; i < n && k; i++) {
		offset += k % d[i].size * d[i].stride;
		k /= d[i].size;
	}
	return offset;
}

size_t lines_start(const struct lines *l, size_t k)
{
	return offset_of(l->across, l->n_across, k);
}

/* Start of run r of a line: runs have the size and stride of the innermost merged axis. */
static size_t run_start(const struct lines *l, size_t start, size_t r)
{
	return start + offset_of(l->along + 1, l->n_along - 1, r);
}

static size_t run_count(const struct lines *l)
{
	return l->length ? l->length / l->along[0].size : 0;
}

const void *lines_read(const struct lines *l, const void *x, size_t k, void *buf)
{
	const char *from = x;
	char *to = buf;
	size_t start = lines_start(l, k), runs = run_count(l);
	size_t step = l->along[0].stride * ITEM;

	if (runs == 1 && step == ITEM)
		return from + start * ITEM;
	for (size_t r = 0; r < runs; r++) {
		const char *p = from + run_start(l, start, r) * ITEM;

		for (size_t j = 0; j < l->along[0].size; j++, to += ITEM, p += step)
			memcpy(to, p, ITEM);
	}
	return buf;
}

void lines_write(const struct lines *l, void *x, size_t k, const void *line)
{
	const char *from = line;
	size_t start = lines_start(l, k), runs = run_count(l);
	size_t step = l->along[0].stride * ITEM;

	for (size_t r = 0; r < runs; r++) {
		char *p = (char *)x + run_start(l, start, r) * ITEM;

		for (size_t j = 0; j < l->along[0].size; j++, from += ITEM, p += step)
			memcpy(p, from, ITEM);
	}
}

void lines_add(const struct lines *l, double *x, size_t k, const double *line)
{
	size_t start = lines_start(l, k), runs = run_count(l);

	for (size_t r = 0; r < runs; r++) {
		double *p = x + run_start(l, start, r);

		for (size_t j = 0; j < l->along[0].size; j++)
			p[j * l->along[0].stride] += *line++;
	}
}

/* ---- all lines --------------------------------------------------------------------------------------------------- */

#define ELEMENT_STEPS 8 /* reading, computing and writing one */

struct lines_loop {
	size_t room; /* numbers of the buffers */
	lines_each_fn *fn;
	void *arg;
	atomic_int failed;
};

static void do_lines(void *arg, size_t first, size_t end)
{
	struct lines_loop *e = arg;
	double *buf = mem_array(e->room, ITEM);

	for (size_t k = first; k < end && buf; k++)
		e->fn(e->arg, k, buf);
	if (!buf)
		e->failed = 1;
	mem_free(buf);
}

int lines_each(struct call *c, const struct lines *l, size_t buffers, lines_each_fn *fn, void *arg)
{
	struct lines_loop e = {.room = buffers * l->length, .fn = fn, .arg = arg};
	double cost = ELEMENT_STEPS * ((double)l->length + 1);
	double *buf;

	if ((double)l->count * cost > parallel_steps()) {
		parallel_for(l->count, cost, do_lines, &e);
		return e.failed ? call_nomem(c, e.room * ITEM) : 0;
	}
	buf = call_scratch(c, l->length, buffers * ITEM);
	if (!buf)
		return ERR_MEMORY;
	for (size_t k = 0; k < l->count; k++)
		fn(arg, k, buf);
	return 0;
}

struct mapping {
	const struct lines *lines;
	const struct lines_job *job;
};

static void map_line(void *arg, size_t k, double *buf)
{
	const struct mapping *m = arg;
	const struct lines *l = m->lines;
	const struct lines_job *job = m->job;
	const void *in[LINES_MAX_INPUTS] = {NULL};
	double *out = buf + LINES_MAX_INPUTS * l->length;

	for (int i = 0; i < LINES_MAX_INPUTS && job->in[i]; i++)
		in[i] = lines_read(l, job->in[i], k, buf + (size_t)i * l->length);
	job->fn(in, l->length, out, job->arg);
	if (job->add)
		lines_add(l, job->out, k, out);
	else
		lines_write(l, job->out, k, out);
}

int lines_map(struct call *c, const struct lines *l, const struct lines_job *job)
{
	struct mapping m = {l, job};

	if (!l->length || !l->count)
		return 0;
	return lines_each(c, l, LINES_MAX_INPUTS + 1, map_line, &m);
}
