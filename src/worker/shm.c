/* shm.c - see shm.h. */
#include "worker/shm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_SIZE ((uint64_t)1 << 20)
#define LARGEST_SPAN ((uint64_t)64 << 30)
#define SMALLEST_SPAN ((uint64_t)256 << 20)

/* Address space may be short (ulimit -v): takes half, and half again, of what it would like. */
static int map(struct shm *s, struct err *e)
{
	uint64_t span;
	void *p;

	for (span = LARGEST_SPAN;; span /= 2) {
		p = mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, s->fd, 0);
		if (p != MAP_FAILED)
			break;
		if (span <= SMALLEST_SPAN)
			return err_set(e, ERR_MEMORY, "cannot map shared memory: %s", strerror(errno));
	}
	s->base = p;
	s->span = span;
	return 0;
}

int shm_create(struct shm *s, struct err *e)
{
	int rc;

	*s = (struct shm)SHM_INIT;
	s->fd = memfd_create("assay", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->fd < 0)
		return err_set(e, ERR_IO, "cannot create shared memory: %s", strerror(errno));
	rc = shm_grow(s, FIRST_SIZE, e);
	if (!rc && fcntl(s->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL))
		rc = err_set(e, ERR_IO, "cannot seal shared memory: %s", strerror(errno));
	if (!rc)
		rc = map(s, e);
	if (rc)
		shm_release(s);
	return rc;
}

int shm_attach(struct shm *s, int fd, struct err *e)
{
	int rc;

	*s = (struct shm)SHM_INIT;
	s->fd = fd;
	rc = shm_refresh(s, 0, e);
	if (!rc)
		rc = map(s, e);
	if (rc)
		shm_release(s);
	return rc;
}

void shm_release(struct shm *s)
{
	if (s->base)
		munmap(s->base, s->span);
	if (s->fd >= 0)
		close(s->fd);
	*s = (struct shm)SHM_INIT;
}

int shm_grow(struct shm *s, uint64_t size, struct err *e)
{
	uint64_t larger = s->size * 2 > size ? s->size * 2 : size;

	if (size <= s->size)
		return 0;
	if (s->base && size > s->span)
		return err_set(e, ERR_LIMIT, "%llu bytes of tensors do not fit into shared memory, at most %llu",
			       (unsigned long long)size, (unsigned long long)s->span);
	if (s->base && larger > s->span)
		larger = s->span;
	if (ftruncate(s->fd, (off_t)larger))
		return err_set(e, ERR_MEMORY, "cannot grow shared memory to %llu bytes: %s", (unsigned long long)larger,
			       strerror(errno));
	s->size = larger;
	return 0;
}

int shm_refresh(struct shm *s, uint64_t claimed, struct err *e)
{
	struct stat st;

	if (claimed && claimed <= s->size)
		return 0;
	if (fstat(s->fd, &st))
		return err_set(e, ERR_IO, "cannot look at shared memory: %s", strerror(errno));
	if ((uint64_t)st.st_size < claimed || (s->base && (uint64_t)st.st_size > s->span))
		return err_set(e, ERR_INPUT, "shared memory has %lld bytes, not %llu of at most %llu",
			       (long long)st.st_size, (unsigned long long)claimed, (unsigned long long)s->span);
	s->size = (uint64_t)st.st_size;
	return 0;
}
