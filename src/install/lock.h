/* lock.h - lock files: what a library is made of (docs/backends.md tells the format). */
#ifndef INSTALL_LOCK_H
#define INSTALL_LOCK_H

#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

#define LOCK_SUFFIX ".lock"

/* id, statement */
#define LOCK_SOURCE_MAP(X)     \
	X(LOCK_WHEEL, "wheel") \
	X(LOCK_MAVEN, "maven") \
	X(LOCK_NPM, "npm")     \
	X(LOCK_FILE, "file")

enum lock_source {
#define X(id, word) id,
	LOCK_SOURCE_MAP(X)
#undef X
};

struct lock_rule {
	const char *glob;
	const char *target; /* NULL: skip */
	int line;
};

struct lock_package {
	enum lock_source source;
	const char *name;   /* wheel: its file name; maven: group:artifact:version[:classifier]; npm: name@version;
			     * file: a path */
	uint64_t bytes;     /* 0 in a package that is not locked */
	const char *sha256; /* lower case; "" in a package that is not locked */
	VEC(struct lock_rule) rules;
	int line;
};

struct lock_need {
	const char *soname, *package;
};

struct lock_step {
	const char *name;
	VEC(const char *) words;
	int line;
};

struct lock_version {
	const char *version;
	int python; /* it runs inside Python */
	VEC(struct lock_package) packages;
	VEC(struct lock_need) needs;
	VEC(struct lock_step) steps;
	int line;
};

struct lock {
	struct arena arena; /* all text */
	const char *name;   /* of the library: the file's name without ".lock" */
	const char *path, *title;
	const char *apart; /* why it is installed by its name alone, not with all; NULL: it is one of all */
	VEC(struct lock_version) versions; /* the first is the default */
};

/* Parts of a wheel's file name: project-version[-build]-python-abi-platform.whl.  Tags may be several, with '.'
 * between them. */
struct wheel_name {
	char project[128], version[64], python[64], abi[64], platform[256];
};

const char *lock_source_word(enum lock_source s);

/* Parses the text of a lock file; `path` names it in messages and gives the library its name. */
int lock_parse(const char *text, size_t n, const char *path, struct lock *out, struct err *e);
int lock_read(const char *path, struct lock *out, struct err *e);
void lock_release(struct lock *l);

/* Bytes of the packages that an installation fetches: of wheels for several versions of Python one, none of other
 * machines. */
uint64_t lock_bytes(const struct lock_version *v);
const struct lock_version *lock_find(const struct lock *l, const char *version); /* NULL when it has none such */

/* Names of libraries and versions, as they become folders: letters, digits and "._+-", the first no sign. */
int lock_is_name(const char *s);

/* False when `file` is no name of a wheel. */
int wheel_name_parse(const char *file, struct wheel_name *out);

/* The machine that this runs on as platform tags end, "x86_64", "aarch64". */
const char *lock_machine(void);

/* False for a wheel of another machine than `machine`. */
int lock_fits(const struct lock_package *p, const char *machine);

#endif
