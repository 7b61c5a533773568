/* keys.h - a set of numbers: hashes of what a test set has covered. */
#ifndef METHODS_FUZZ_KEYS_H
#define METHODS_FUZZ_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
struct keys {
	uint64_t *at; /* an open table: 0 is free, and stands for 1 */
	size_t n, size;
};

int keys_have(const struct keys *k, uint64_t key);
int keys_add(struct keys *k, uint64_t key); /* ERR_MEMORY on failure */
void keys_clear(struct keys *k);            /* keeps the memory */
void keys_release(struct keys *k);

#endif
