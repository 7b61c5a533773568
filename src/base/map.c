/* map.c - see map.h; uthash does the work. */
#include "base/map.h"

#include <string.h>

#include "base/err.h"
#include "base/mem.h"

#define uthash_malloc(n) mem_alloc(n)
#define uthash_free(p, n) mem_free(p)
#define HASH_NONFATAL_OOM 1
#include <uthash.h>

struct map_entry {
	void *value;
	UT_hash_handle hh;
	char key[];
};

void map_release(struct map *m)
{
	struct map_entry *it, *next;

	HASH_ITER(hh, m->head, it, next)
	{
		HASH_DEL(m->head, it);
		mem_free(it);
	}
}

static struct map_entry *find(const struct map *m, const char *key)
{
	struct map_entry *it = NULL;

	HASH_FIND_STR(m->head, key, it);
	return it;
}

void *map_get(const struct map *m, const char *key)
{
	struct map_entry *it = find(m, key);

	return it ? it->value : NULL;
}

int map_put(struct map *m, const char *key, void *value)
{
	struct map_entry *it = find(m, key);
	size_t n = strlen(key) + 1;

	if (it) {
		it->value = value;
		return 0;
	}
	it = mem_zalloc(sizeof *it + n);
	if (!it)
		return ERR_MEMORY;
	it->value = value;
	memcpy(it->key, key, n);
	HASH_ADD_STR(m->head, key, it);
	if (!it->hh.tbl) { /* uthash ran out of memory and left the entry out */
		mem_free(it);
		return ERR_MEMORY;
	}
	return 0;
}

void map_remove(struct map *m, const char *key)
{
	struct map_entry *it = find(m, key);

	if (!it)
		return;
	HASH_DEL(m->head, it);
	mem_free(it);
}

size_t map_count(const struct map *m)
{
	return HASH_COUNT(m->head);
}

const struct map_entry *map_first(const struct map *m)
{
	return m->head;
}

const struct map_entry *map_next(const struct map_entry *it)
{
	return it->hh.next;
}

const char *map_key(const struct map_entry *it)
{
	return it->key;
}

void *map_value(const struct map_entry *it)
{
	return it->value;
}
