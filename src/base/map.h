/* map.h - string keys to pointers; keys are copied, values are borrowed.  Iteration is in order of insertion, so that
 * what is printed from a map is the same on every run. */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include <stddef.h>

struct map_entry;

struct map {
	struct map_entry *head;
};

#define MAP_INIT     \
	{            \
		NULL \
	}

void map_release(struct map *m);                          /* frees the keys, not the values */
void *map_get(const struct map *m, const char *key);      /* NULL when absent */
int map_put(struct map *m, const char *key, void *value); /* adds or replaces; ERR_MEMORY on failure */
void map_remove(struct map *m, const char *key);
size_t map_count(const struct map *m);

/* for (it = map_first(m); it; it = map_next(it)) */
const struct map_entry *map_first(const struct map *m);
const struct map_entry *map_next(const struct map_entry *it);
const char *map_key(const struct map_entry *it);
void *map_value(const struct map_entry *it);

#endif
