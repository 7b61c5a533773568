/* replay.c - runs a libFuzzer target over given files, with any compiler.
 *
 *     fuzz_onnx FILE|FOLDER ...
 *
 * `make test` runs the malformed files of tests/fuzz/corpus this way in a sanitized build: what libFuzzer found once
 * stays found on machines without clang.  A target only ever ends by returning; a crash, a sanitizer's report, a
 * file that takes too long or an empty corpus is a failure. */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_FILE ((size_t)64 << 20)
#define MAX_OPEN_FOLDERS 16
#define MAX_SECONDS 60 /* for one file, on a busy machine; SIGALRM ends the program */

static int files; /* nftw() hands nothing through to its callback */

static int replay_file(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)where;
	if (kind == FTW_D)
		return 0;
	struct err e = ERR_INIT;
	struct buf content;
	buf_init(&content, MAX_FILE);
	if (kind != FTW_F || buf_read_file(&content, path, MAX_FILE, &e) != 0) {
		fprintf(stderr, "cannot replay '%s': %s\n", path, e.code ? e.msg : "not a file");
		buf_release(&content);
		return 1;
	}
	/* The name first: when the target crashes, the last line names the culprit. */
	printf("%s\n", path);
	fflush(stdout);
	alarm(MAX_SECONDS);
	LLVMFuzzerTestOneInput((const uint8_t *)content.data, content.len);
	buf_release(&content);
	files++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (nftw(argv[i], replay_file, MAX_OPEN_FOLDERS, FTW_PHYS) != 0) {
			fprintf(stderr, "cannot replay '%s'\n", argv[i]);
			return 1;
		}
	}
	if (files == 0) {
		fprintf(stderr, "no file to replay\n");
		return 1;
	}
	alarm(0);
	printf("%d files\n", files);
	return 0;
}
