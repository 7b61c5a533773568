/* shm.h - memory that parent and worker share: a file without a name (memfd), mapped by both.
 *
 * Each side maps far more than the file has, once; growing is then a matter of the file's size alone and no address
 * ever moves.  The file is sealed against shrinking, so that a worker cannot take pages away under the parent. */
#ifndef WORKER_SHM_H
#define WORKER_SHM_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SHM_ALIGN ((uint64_t)64)

struct shm {
	int fd; /* -1: none */
	uint8_t *base;
	uint64_t size; /* bytes of the file, as far as we know */
	uint64_t span; /* bytes of the mapping: the file never gets larger */
};

#define SHM_INIT               \
	{                      \
		-1, NULL, 0, 0 \
	}

/* A new file and its mapping. */
int shm_create(struct shm *s, struct err *e);

/* Maps a file that came from outside.  The descriptor is taken over. */
int shm_attach(struct shm *s, int fd, struct err *e);
void shm_release(struct shm *s);

/* Makes the file at least `size` bytes large. */
int shm_grow(struct shm *s, uint64_t size, struct err *e);

/* The other side says that the file has `claimed` bytes now: believes the file. */
int shm_refresh(struct shm *s, uint64_t claimed, struct err *e);

#endif
