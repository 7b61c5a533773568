/* stores.c - see stores.h. */
#include "stores.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "bench.h"
#include "store/db.h"
#include "store/row.h"

/* How it is filled is not measured: one transaction, without a journal, all pages in memory until the end. */
void stores_fill(const char *path, int from, int n)
{
	static const char *const ops[] = {"Conv", "Gemm", "Relu", "MaxPool", "Softmax", "Resize", "LSTM", "Einsum"};
	struct db_cache cache = {.n = 0};
	struct err e = ERR_INIT;
	struct store *s;

	bench_must(store_open(path, 1, &s, &e), &e);
	db_keep_statements(s, &cache);
	bench_must(db_exec(s, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -2097152",
			   "fill", &e),
		   &e);
	bench_must(db_begin(s, "fill", &e), &e);
	for (int i = from; i < from + n; i++) {
		char signature[128], model[400], inputs[200];
		const char *op = ops[i % 8];
		struct finding f = {.method = "fuzz",
				    .backend = "ort@1.31.1",
				    .library = "onnxruntime",
				    .version = "1.31.1",
				    .verdict = VERDICT_WRONG,
				    .op = op,
				    .node = "n0",
				    .parameter = "",
				    .noise_ratio = 1000 + i % 7,
				    .signature = signature,
				    .detail = "got 1.5, expected 0.5",
				    .evidence = "{}",
				    .command = "assay fuzz",
				    .nodes = 1 + i % 5,
				    .original_nodes = 10,
				    .since = "",
				    .until = "",
				    .time = 1e9 + i};

		snprintf(signature, sizeof signature, "onnxruntime/%s/wrong/f32.4d,size=%d", op, i % 1000);
		memset(model, 'm', sizeof model);
		memset(inputs, 'i', sizeof inputs);
		f.model = (struct bytes){model, 300 + (size_t)snprintf(model, sizeof model, "model %d", i)};
		f.inputs = (struct bytes){inputs, 150 + (size_t)snprintf(inputs, sizeof inputs, "inputs %d", i)};
		bench_must(row_add(s, &f, &e), &e);
	}
	bench_must(db_end(s, 0, "fill", &e), &e);
	db_drop_statements(s);
	store_close(s);
}

double stores_megabytes(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : (double)st.st_size / 1e6;
}
