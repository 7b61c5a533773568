/* kinds.c - see kinds.h. */
#include "triage/kinds.h"

#include <stdint.h>

#define FIRST 2

int kinds_take(struct kinds *k, const char *kind, int *take, struct err *e)
{
	uintptr_t n = (uintptr_t)map_get(&k->counts, kind) + 1;

	*take = n <= (k->first ? k->first : FIRST) || (k->doubling && !(n & (n - 1)));
	return map_put(&k->counts, kind, (void *)n) ? err_nomem(e, "kinds of findings", 0) : 0;
}

void kinds_release(struct kinds *k)
{
	map_release(&k->counts);
}
