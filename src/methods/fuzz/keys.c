/* keys.c - see keys.h. */
#include "methods/fuzz/keys.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define LEAST 64 /* places */

/* Where a key is or would be; the table is never full. */
static size_t place_of(const struct keys *k, uint64_t key)
{
	size_t i = (size_t)key & (k->size - 1);

	while (k->at[i] && k->at[i] != key)
		i = (i + 1) & (k->size - 1);
	return i;
}

int keys_have(const struct keys *k, uint64_t key)
{
	key = key ? key : 1;
	return k->n && k->at[place_of(k, key)] == key;
}

static int grow(struct keys *k)
{
	struct keys more = {.n = k->n, .size = k->size ? 2 * k->size : LEAST};

	more.at = mem_array(more.size, sizeof *more.at);
	if (!more.at)
		return ERR_MEMORY;
	for (size_t i = 0; i < k->size; i++)
		if (k->at[i])
			more.at[place_of(&more, k->at[i])] = k->at[i];
	mem_free(k->at);
	*k = more;
	return 0;
}

int keys_add(struct keys *k, uint64_t key)
{
	size_t i;

	if (2 * k->n >= k->size && grow(k))
		return ERR_MEMORY;
	key = key ? key : 1;
	i = place_of(k, key);
	k->n += !k->at[i];
	k->at[i] = key;
	return 0;
}

void keys_clear(struct keys *k)
{
	if (k->n)
		memset(k->at, 0, k->size * sizeof *k->at);
	k->n = 0;
}

void keys_release(struct keys *k)
{
	mem_free(k->at);
	*k = (struct keys){0};
}
