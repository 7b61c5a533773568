/* hash.h - SHA-256 as lower-case digits. */
#ifndef INSTALL_HASH_H
#define INSTALL_HASH_H

#include <nettle/sha2.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define HASH_TEXT (2 * SHA256_DIGEST_SIZE + 1)

/* Ends a digest and writes it as text. */
void hash_text(struct sha256_ctx *ctx, char out[HASH_TEXT]);

/* Digest and size of a file. */
int hash_file(const char *path, char out[HASH_TEXT], uint64_t *bytes, struct err *e);

#endif
