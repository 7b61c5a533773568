/* fuzz_store.c - the file of a store: what opens is listed and shown, or says what is wrong with it. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "store/store.h"

static int read_finding(const struct finding *f, void *arg)
{
	*(size_t *)arg += f->model.n + f->inputs.n + f->expected.n;
	return 0;
}

static int read_campaign(const struct campaign *c, void *arg)
{
	*(size_t *)arg += c->state.n;
	return 0;
}

static void read_all(const char *path)
{
	const struct store_filter all = {.with_bytes = STORE_ALL_BYTES};
	struct err e = ERR_INIT;
	struct store *s = NULL;
	struct finding f;
	size_t bytes = 0;

	if (store_open(path, 0, &s, &e)) {
		BUG_ON(!e.msg[0]);
		return;
	}
	BUG_ON(store_each(s, &all, read_finding, &bytes, &e) && !e.msg[0]);
	BUG_ON(store_each_campaign(s, read_campaign, &bytes, &e) && !e.msg[0]);
	if (!store_get(s, 1, &f, &e))
		finding_release(&f);
	store_close(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const ends[] = {"", "-wal", "-shm", "-journal"};
	char folder[] = "/tmp/fuzz-store-XXXXXX", path[sizeof folder + 16];
	FILE *out;

	if (!mkdtemp(folder))
		return 0;
	snprintf(path, sizeof path, "%s/s.db", folder);
	out = fopen(path, "wb");
	if (out && fwrite(data, 1, size, out) == size && !fclose(out))
		read_all(path);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		snprintf(path, sizeof path, "%s/s.db%s", folder, ends[i]);
		unlink(path);
	}
	rmdir(folder);
	return 0;
}
