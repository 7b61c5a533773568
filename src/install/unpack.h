/* unpack.h - members of a package, written below a folder.
 *
 * Archives come from outside: a member's name never leads out of the folder, links are refused, nothing is written over
 * something that is there, and what comes out is bounded. */
#ifndef INSTALL_UNPACK_H
#define INSTALL_UNPACK_H

#include "base/arena.h"
#include "base/vec.h"
#include "install/hash.h"
#include "install/lock.h"

#define UNPACK_MAX_MEMBERS 200000
#define UNPACK_MAX_BYTES (UINT64_C(16) << 30)

struct unpacked_file {
	const char *path; /* below the folder */
	uint64_t bytes;
	char sha256[HASH_TEXT];
};

struct unpacked {
	struct arena arena;
	VEC(struct unpacked_file) files;
	uint64_t bytes;
};

#define UNPACKED_INIT                   \
	{                               \
		ARENA_INIT, VEC_INIT, 0 \
	}

void unpacked_release(struct unpacked *u);

/* Is told how much of how much was looked at: members, or bytes of the archive. */
struct unpack_progress {
	void (*step)(void *arg, size_t done, size_t total);
	void *arg;
};

/* Unpacks what the package's rules take from `archive` to below `folder`, and adds the files to *out. */
int unpack_package(const char *archive, const struct lock_package *p, const char *folder, struct unpacked *out,
		   const struct unpack_progress *progress, struct err *e);

#endif
