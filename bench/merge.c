/* merge.c - what it costs to unite stores of findings.
 *
 *     build/bench_merge [findings N] [only]
 *
 * Makes two stores of N findings each (default 100,000; models of 300 bytes, 1,000 signatures, half of the second
 * store's findings are copies of the first's) and merges one into the other.  Bar: 10 s for 100,000.  Then the same
 * once more, which adds nothing, and the time that clustering all of it takes; `only` leaves clusters out.  Beside each
 * time stands the processor's, which says the same on a busy machine. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "store/store.h"
#include "support/bench.h"
#include "support/stores.h"
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
	size_t added;
	struct moment took = moment();

	bench_options(argc, argv, options, "usage: bench_merge [findings N] [only]");
	if (!mkdtemp(folder))
		return 2;
	snprintf(one, sizeof one, "%s/one.db", folder);
	snprintf(other, sizeof other, "%s/other.db", folder);
	stores_fill(one, 0, n);
	stores_fill(other, n / 2, n);
	took = since(took);
	printf("two stores of %d findings, of %.1f MB each, filled in %.1f s, processor %.1f s\n", n,
	       stores_megabytes(one), took.wall, took.processor);
	took = merge(one, other, &added);
	report("merging them", took, n <= PROVEN ? BAR : INFINITY);
	printf("%zu came, %.1f µs a finding; the store has %.1f MB\n", added, 1e6 * took.processor / n,
	       stores_megabytes(one));
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
