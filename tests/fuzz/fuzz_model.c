/* fuzz_model.c - libFuzzer target: reads a model; one that is accepted must be sound when it is sorted, copied,
 * cleaned, written and read again. */
#include <stdint.h>
#include <stdlib.h>

#include "base/err.h"
#include "model/model.h"

#define MAX_WRITTEN ((size_t)64 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Writing may be refused (two opsets of one domain), but what is written must be readable. */
static void write_and_read(const struct model *m)
{
	struct model *again = NULL;
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, MAX_WRITTEN);
	if (!model_serialize(m, &b, &e))
		BUG_ON(model_parse(b.data, b.len, "", &again, &e));
	model_free(again);
	buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct model *m = NULL, *copy = NULL;
	struct err e = ERR_INIT;

	tensor_memory_set_cap((size_t)1 << 28);
	if (model_parse(data, size, "", &m, &e)) {
		BUG_ON(!e.code || !e.msg[0]);
		return 0;
	}
	BUG_ON(graph_sort(m->graph, &e));
	write_and_read(m);
	BUG_ON(model_copy(m, &copy, &e));
	model_free(m);
	BUG_ON(graph_remove_dead(copy->graph) < 0);
	write_and_read(copy);
	model_free(copy);
	return 0;
}
