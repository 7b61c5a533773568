/* exchange.c - see exchange.h. */
#include "methods/fuzz/exchange.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/mem.h"

/* In memory that all processes share; a line of the cache each. */
struct exchange_job {
	_Alignas(64) _Atomic int64_t reached;
	_Atomic int64_t bytes; /* of its file, whole records */
};

struct fuzz_exchange {
	int jobs;
	struct exchange_job *shared;
	int files[FUZZ_MAX_JOBS]; /* 0: none */
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
	if (!x->shared)
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

/* One job's records, from *at on. */
static int read_records(const char *file, int64_t size, int64_t limit, int64_t *at, struct coverage *into,
			struct err *e)
{
	int rc = 0;

	while (*at < size && !rc) {
		struct exchange_head head;
		struct coverage_item item;

		memcpy(&head, file + *at, sizeof head);
		if (head.index >= limit)
			break;
		*at += (int64_t)sizeof head;
		for (uint64_t i = 0; i < head.n && !rc; i++, *at += (int64_t)sizeof item) {
			memcpy(&item, file + *at, sizeof item);
			rc = coverage_add(into, &item, e);
		}
	}
	return rc;
}

int exchange_read(const struct fuzz_exchange *x, struct exchange_reader *r, int64_t limit, struct coverage *into,
		  struct err *e)
{
	int rc = 0;

	for (int i = 0; i < x->jobs && !rc; i++) {
		int64_t size = atomic_load_explicit(&x->shared[i].bytes, memory_order_acquire);
		void *file;

		if (r->at[i] >= size)
			continue;
		file = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, x->files[i], 0);
		if (file == MAP_FAILED)
			return err_nomem(e, "what other jobs told", (size_t)size);
		rc = read_records(file, size, limit, &r->at[i], into, e);
		munmap(file, (size_t)size);
	}
	return rc;
}
