/* hash.c - see hash.h. */
#include "install/hash.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define STEP 65536

void hash_text(struct sha256_ctx *ctx, char out[HASH_TEXT])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(ctx, sizeof digest, digest);
	for (size_t i = 0; i < sizeof digest; i++)
		snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

int hash_file(const char *path, char out[HASH_TEXT], uint64_t *bytes, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct sha256_ctx ctx;
	uint8_t step[STEP];
	uint64_t total = 0;
	ssize_t got = 0;

	if (fd < 0)
		return err_set(e, ERR_IO, "cannot open '%s': %s", path, strerror(errno));
	sha256_init(&ctx);
	while ((got = read(fd, step, sizeof step)) > 0 || (got < 0 && errno == EINTR))
		if (got > 0) {
			sha256_update(&ctx, (size_t)got, step);
			total += (uint64_t)got;
		}
	if (got < 0)
		err_set(e, ERR_IO, "cannot read '%s': %s", path, strerror(errno));
	close(fd);
	if (got < 0)
		return ERR_IO;
	hash_text(&ctx, out);
	*bytes = total;
	return 0;
}
