/* mapped.c - see mapped.h.
 *
 * The handler of a signal may run at any time in any thread, so what it reads are fixed places with atomic members: a
 * place is taken by its `taken`, and is live for the handler between the store of `bytes` and its clearing, in which
 * time the pages are mapped. */
#include "base/mapped.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#define PLACES 1024

struct mapped {
	atomic_flag taken;
	atomic_uintptr_t begin; /* of a page */
	atomic_size_t bytes;    /* 0: the handler passes over it */
	atomic_int torn;        /* a page of it could not be read */
	size_t shift;           /* of the first byte in its page */
	char name[128];
};

static struct mapped places[PLACES];
static atomic_int n_torn; /* places that are torn */
static struct sigaction before;
static atomic_int allowed; /* the handler is there */

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* The place that has an address, or NULL. */
static struct mapped *find(uintptr_t address)
{
	for (size_t i = 0; i < PLACES; i++) {
		uintptr_t begin = atomic_load(&places[i].begin);

		if (address >= begin && address - begin < atomic_load(&places[i].bytes))
			return &places[i];
	}
	return NULL;
}

/* A page of zeros in the place of one that cannot be read.  mmap() is a plain system call, which a handler may make. */
static void on_fault(int signal, siginfo_t *info, void *context)
{
	struct mapped *m = find((uintptr_t)info->si_addr);
	size_t page = page_size();
	void *at = m ? (char *)info->si_addr - (uintptr_t)info->si_addr % page : NULL;

	if (m && mmap(at, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == at) {
		if (!atomic_exchange(&m->torn, 1))
			atomic_fetch_add(&n_torn, 1);
		return;
	}
	if (before.sa_flags & SA_SIGINFO)
		before.sa_sigaction(signal, info, context);
	else
		sigaction(SIGBUS, &before, NULL); /* what follows is the same fault again */
}

void mapped_allow(void)
{
	struct sigaction a = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

	sigemptyset(&a.sa_mask);
	if (!atomic_load(&allowed) && !sigaction(SIGBUS, &a, &before))
		atomic_store(&allowed, 1);
}

static struct mapped *take_place(void)
{
	for (size_t i = 0; i < PLACES; i++)
		if (!atomic_flag_test_and_set(&places[i].taken))
			return &places[i];
	return NULL;
}

struct mapped *mapped_open(int fd, uint64_t offset, size_t bytes, const char *name)
{
	size_t shift = (size_t)(offset % page_size());
	struct mapped *m = bytes && atomic_load(&allowed) ? take_place() : NULL;
	void *p;

	if (!m)
		return NULL;
	p = mmap(NULL, bytes + shift, PROT_READ, MAP_PRIVATE, fd, (off_t)(offset - shift));
	if (p == MAP_FAILED) {
		atomic_flag_clear(&m->taken);
		return NULL;
	}
	m->shift = shift;
	snprintf(m->name, sizeof m->name, "%s", name);
	atomic_store(&m->begin, (uintptr_t)p);
	atomic_store(&m->bytes, bytes + shift);
	return m;
}

const void *mapped_data(const struct mapped *m)
{
	return (const char *)atomic_load(&m->begin) + m->shift;
}

void mapped_close(void *arg)
{
	struct mapped *m = arg;
	size_t bytes;

	if (!m)
		return;
	bytes = atomic_exchange(&m->bytes, 0);
	munmap((void *)atomic_load(&m->begin), bytes);
	if (atomic_exchange(&m->torn, 0))
		atomic_fetch_sub(&n_torn, 1);
	atomic_flag_clear(&m->taken);
}

int mapped_check(struct err *e)
{
	if (!atomic_load(&n_torn))
		return 0;
	for (size_t i = 0; i < PLACES; i++)
		if (atomic_load(&places[i].torn))
			return err_set(e, ERR_IO,
				       "external data '%s' became shorter, or could not be read, while it was used",
				       places[i].name);
	return 0;
}
