/* merge.c - what it costs to unite stores of findings.
 *
 *     build/bench_merge [findings N] [only]
 *
 * Makes two stores of N findings each (default 100,000; models of 300 bytes, 1,000 signatures, half of the second
 * store's findings are copies of the first's) and merges one into the other.  Bar: 10 s for 100,000.  Then the same
 * once more, which adds nothing, and the time that clustering all of it takes; `only` leaves clusters out.  Beside each
 * time stands the processor's, which says the same on a busy machine. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/db.h"
#include "store/row.h"
#include "support/bench.h"
#include "triage/triage.h"

#define BAR 10.0
#define PROVEN 100000 /* findings that the bar is for */

struct moment {
	double wall, processor;
};

static struct moment moment(void)
{
	return (struct moment){clock_now(), (double)clock() / CLOCKS_PER_SEC};
}

static struct moment since(struct moment start)
{
	struct moment now = moment();

	return (struct moment){now.wall - start.wall, now.processor - start.processor};
}

/* How it is filled is not measured: one transaction, without a journal, all pages in memory until the end. */
static void fill(const char *path, int from, int n)
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

static struct moment merge(const char *into, const char *from, size_t *added)
{
	struct moment start = moment();
	struct err e = ERR_INIT;
	struct store *s;

	bench_must(store_open(into, 0, &s, &e), &e);
	bench_must(store_merge(s, from, added, &e), &e);
	store_close(s);
	return since(start);
}

static void report(const char *what, struct moment took, double bar)
{
	char text[64];

	bench_at_most(what, took.wall, "s", bar);
	snprintf(text, sizeof text, "%s, processor", what);
	bench_at_most(text, took.processor, "s", bar);
}

static void cluster(const char *path)
{
	struct moment start = moment();
	struct err e = ERR_INIT;
	struct store *s;
	size_t n = 0;

	bench_must(store_open(path, 0, &s, &e), &e);
	bench_must(cluster_all(s, &n, &e), &e);
	store_close(s);
	printf("%zu clusters\n", n);
	report("clustering all of it", since(start), INFINITY);
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/bench_merge.XXXXXX", one[64], other[64];
	int n = PROVEN, only = 0;
	const struct bench_option options[] = {{"findings", NULL, &n, NULL}, {"only", &only, NULL, NULL}, {0}};
	struct stat st;
	size_t added;
	struct moment took = moment();

	bench_options(argc, argv, options, "usage: bench_merge [findings N] [only]");
	if (!mkdtemp(folder))
		return 2;
	snprintf(one, sizeof one, "%s/one.db", folder);
	snprintf(other, sizeof other, "%s/other.db", folder);
	fill(one, 0, n);
	fill(other, n / 2, n);
	took = since(took);
	printf("two stores of %d findings, of %.1f MB each, filled in %.1f s, processor %.1f s\n", n,
	       stat(one, &st) ? 0 : (double)st.st_size / 1e6, took.wall, took.processor);
	took = merge(one, other, &added);
	report("merging them", took, n <= PROVEN ? BAR : INFINITY);
	printf("%zu came, %.1f µs a finding; the store has %.1f MB\n", added, 1e6 * took.processor / n,
	       stat(one, &st) ? 0 : (double)st.st_size / 1e6);
	report("merging them again", merge(one, other, &added), n <= PROVEN ? BAR : INFINITY);
	if (added)
		bench_missed = 1;
	if (!only)
		cluster(one);
	unlink(one);
	unlink(other);
	rmdir(folder);
	return bench_missed;
}
