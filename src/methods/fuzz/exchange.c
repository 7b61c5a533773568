/* exchange.c - see exchange.h. */
#include "methods/fuzz/exchange.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"

#define BUFFER (1 << 18) /* bytes, more than what one case can tell */

/* In memory that all processes share; a line of the cache each. */
struct exchange_job {
	_Alignas(64) _Atomic int64_t reached;
	_Atomic int64_t bytes; /* of its file, whole records */
};

struct fuzz_exchange {
	int jobs;
	struct exchange_job *shared;
	int files[FUZZ_MAX_JOBS]; /* 0: none */
	char *buffer;             /* of this process */
};

/* Before the items of a case. */
struct exchange_head {
	int64_t index;
	uint64_t n;
};

static struct exchange_job *map_shared(int jobs)
{
	void *p = mmap(NULL, (size_t)jobs * sizeof(struct exchange_job), PROT_READ | PROT_WRITE,
		       MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

int exchange_new(int jobs, struct fuzz_exchange **out, struct err *e)
{
	struct fuzz_exchange *x = mem_zalloc(sizeof *x);
	int rc = 0;

	if (!x)
		return err_nomem(e, "jobs", sizeof *x);
	x->jobs = jobs;
	x->shared = map_shared(jobs);
	x->buffer = mem_alloc(BUFFER);
	if (!x->shared || !x->buffer)
		rc = err_nomem(e, "jobs", (size_t)jobs * sizeof *x->shared);
	for (int i = 0; i < jobs && !rc; i++) {
		x->files[i] = memfd_create("assay-job", MFD_CLOEXEC);
		if (x->files[i] < 0)
			rc = err_set(e, ERR_IO, "cannot make a file in memory: %s", strerror(errno));
	}
	if (rc)
		exchange_free(x);
	else
		*out = x;
	return rc;
}

void exchange_free(struct fuzz_exchange *x)
{
	if (!x)
		return;
	if (x->shared)
		munmap(x->shared, (size_t)x->jobs * sizeof *x->shared);
	for (int i = 0; i < x->jobs; i++)
		if (x->files[i] > 0)
			close(x->files[i]);
	mem_free(x->buffer);
	mem_free(x);
}

/* Readers see `bytes` only when all of them are there. */
int exchange_put(struct fuzz_exchange *x, int job, int64_t index, const struct coverage_news *news, struct err *e)
{
	struct exchange_head head = {.index = index, .n = news->n};
	struct iovec parts[] = {{&head, sizeof head}, {news->at, news->n * sizeof *news->at}};
	int64_t at = atomic_load_explicit(&x->shared[job].bytes, memory_order_relaxed);
	ssize_t size = (ssize_t)(parts[0].iov_len + parts[1].iov_len);

	if (!news->n)
		return 0;
	if (pwritev(x->files[job], parts, 2, at) != size)
		return err_set(e, ERR_IO, "cannot tell other jobs what a case covers: %s", strerror(errno));
	atomic_store_explicit(&x->shared[job].bytes, at + size, memory_order_release);
	return 0;
}

void exchange_reach(struct fuzz_exchange *x, int job, int64_t next)
{
	atomic_store_explicit(&x->shared[job].reached, next, memory_order_release);
}

int64_t exchange_reached(const struct fuzz_exchange *x)
{
	int64_t least = INT64_MAX;

	for (int i = 0; i < x->jobs; i++) {
		int64_t at = atomic_load_explicit(&x->shared[i].reached, memory_order_acquire);

		least = at < least ? at : least;
	}
	return least;
}

_Static_assert(FUZZ_MAX_PLAN *(2 + FUZZ_MAX_DEGREE) * sizeof(struct coverage_item) + sizeof(struct exchange_head) <
		       BUFFER,
	       "a case must fit: each operator has degrees, shapes and edges into it");

/* A stretch of a job's file. */
struct stretch {
	const char *at;
	size_t n, used;
};

/* Whole records of cases before `limit`; *more: there may be others behind. */
static int add_records(struct stretch *s, int64_t limit, struct coverage *into, int *more, struct err *e)
{
	int rc = 0;

	*more = 1;
	while (!rc) {
		struct exchange_head head;
		struct coverage_item item;

		if (s->n - s->used < sizeof head)
			return 0;
		memcpy(&head, s->at + s->used, sizeof head);
		if (head.index >= limit) {
			*more = 0;
			return 0;
		}
		if ((s->n - s->used - sizeof head) / sizeof item < head.n)
			return 0;
		s->used += sizeof head;
		for (uint64_t i = 0; i < head.n && !rc; i++, s->used += sizeof item) {
			memcpy(&item, s->at + s->used, sizeof item);
			rc = coverage_add(into, &item, e);
		}
	}
	return rc;
}

/* What one job told, from *at on. */
static int read_job(const struct fuzz_exchange *x, int job, int64_t limit, int64_t *at, struct coverage *into,
		    struct err *e)
{
	int64_t size = atomic_load_explicit(&x->shared[job].bytes, memory_order_acquire);
	int more = 1, rc = 0;

	while (*at < size && more && !rc) {
		struct stretch s = {.at = x->buffer};
		ssize_t n = pread(x->files[job], x->buffer, (size_t)(size - *at < BUFFER ? size - *at : BUFFER), *at);

		if (n <= 0)
			return err_set(e, ERR_IO, "cannot read what a job told: %s", strerror(errno));
		s.n = (size_t)n;
		rc = add_records(&s, limit, into, &more, e);
		*at += (int64_t)s.used;
	}
	return rc;
}

int exchange_read(const struct fuzz_exchange *x, struct exchange_reader *r, int64_t limit, struct coverage *into,
		  struct err *e)
{
	int rc = 0;

	for (int i = 0; i < x->jobs && !rc; i++)
		rc = read_job(x, i, limit, &r->at[i], into, e);
	return rc;
}
