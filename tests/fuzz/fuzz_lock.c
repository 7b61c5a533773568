/* fuzz_lock.c - the reader of lock files: what it accepts has only targets inside a library's folder, and the patterns
 * in it come to an end on any text. */
#include <stdint.h>
#include <string.h>

#include "install/lock.h"
#include "install/pattern.h"

static void check_package(const struct lock_package *p)
{
	BUG_ON(strlen(p->sha256) != 64 || !p->bytes);
	for (size_t i = 0; i < p->rules.n; i++) {
		BUG_ON(p->rules.at[i].target && !path_is_safe(p->rules.at[i].target));
		BUG_ON(pattern_fixed_folders(p->rules.at[i].glob) > strlen(p->rules.at[i].glob));
		pattern_match(p->rules.at[i].glob, "a/b.c/ab/abab/aabb.so.1");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct err e = ERR_INIT;
	struct lock l;

	if (lock_parse((const char *)data, size, "fuzz.lock", &l, &e)) {
		BUG_ON(!e.msg[0]);
		return 0;
	}
	for (size_t i = 0; i < l.versions.n; i++) {
		BUG_ON(!lock_is_name(l.versions.at[i].version));
		for (size_t k = 0; k < l.versions.at[i].packages.n; k++)
			check_package(&l.versions.at[i].packages.at[k]);
	}
	lock_release(&l);
	return 0;
}
