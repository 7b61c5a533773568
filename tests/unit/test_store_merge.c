/* test_store_merge.c - two stores become one: of two copies of a finding the better one stays, whichever store is
 * first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/rng.h"
#include "support/stores.h"

static struct bytes bytes_of(const char *text)
{
	return (struct bytes){text, strlen(text)};
}

static struct finding finding_of(const char *detail, const char *reduced, int nodes)
{
	return (struct finding){.method = "fuzz",
				.backend = "ort@1.20.1",
				.verdict = VERDICT_WRONG,
				.signature = "onnxruntime/Conv/wrong/f32.4d",
				.detail = detail,
				.nodes = nodes,
				.original_nodes = 9,
				.model = bytes_of("the model"),
				.inputs = bytes_of("inputs"),
				.reduced_model = bytes_of(reduced),
				.reduced_inputs = bytes_of(reduced)};
}

/* Merges b into a, each in a store of its own, and returns which one is there. */
static int merged(struct finding a, struct finding b, const char *better)
{
	struct store *into = stores_open_fresh(), *other;
	struct finding got;
	struct err e = ERR_INIT;
	size_t added = 9;
	int same;

	stores_unlink(stores_other_path());
	other = stores_open(stores_other_path());
	if (store_add(into, &a, &e) || store_add(other, &b, &e) || store_merge(into, stores_other_path(), &added, &e) ||
	    store_get(into, a.id, &got, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(added, 0);
	assert_int_equal(stores_ask(stores_path(), "SELECT count(*) FROM findings"), 1);
	assert_int_equal(got.model.n, strlen("the model"));
	same = !strcmp(got.detail, better) && !strncmp(got.reduced_model.p ? got.reduced_model.p : "", better, 5);
	finding_release(&got);
	store_close(into);
	store_close(other);
	return same;
}

static void test_better_copy_stays(void **state)
{
	struct finding plain = finding_of("", "", 9), long_one = finding_of("large model", "large model", 3),
		       small = finding_of("small", "small", 3),
		       one = finding_of("one node, many bytes", "one node, many bytes", 1);

	(void)state;
	assert_true(merged(plain, small, "small"));
	assert_true(merged(small, plain, "small"));
	assert_true(merged(small, long_one, "small"));
	assert_true(merged(long_one, small, "small"));
	assert_true(merged(one, small, "one node, many bytes"));
	assert_true(merged(small, one, "one node, many bytes"));
	assert_true(merged(plain, plain, ""));
}

/* ---- stores as sets ---------------------------------------------------------------------------------------------- */

#define SETS 12 /* triples of random stores */
#define MOST 6  /* findings of each */

static const char *pick(struct rng *r, const char *const *from, size_t n)
{
	return from[rng_below(r, n)];
}

/* Few values, so that the same findings come up in several stores, in better and worse copies. */
static struct finding random_finding(struct rng *r)
{
	static const char *const some[] = {"", "a", "b"}, *const models[] = {"", "m1", "m2"},
				 *const details[] = {"x", "y"};
	struct finding f = {.method = "fuzz",
			    .backend = pick(r, details, 2),
			    .verdict = rng_below(r, 2) ? VERDICT_WRONG : VERDICT_CRASH,
			    .signature = pick(r, details, 2),
			    .detail = pick(r, details, 2),
			    .evidence = pick(r, some, 3),
			    .since = pick(r, some, 3),
			    .noise_ratio = (double)rng_below(r, 2),
			    .nodes = 1 + (int)rng_below(r, 2),
			    .time = 1 + (double)rng_below(r, 2),
			    .model = bytes_of(pick(r, models, 3)),
			    .inputs = bytes_of(pick(r, some, 3)),
			    .expected = bytes_of(pick(r, some, 3)),
			    .reduced_model = bytes_of(pick(r, some, 3)),
			    .reduced_inputs = bytes_of(pick(r, some, 3)),
			    .reduced_expected = bytes_of(pick(r, some, 3))};

	return f;
}

static uint64_t add_text(uint64_t h, const char *text)
{
	return hash_bytes(h, text, strlen(text) + 1);
}

static int add_finding(const struct finding *f, void *sum)
{
	const struct bytes *parts[] = {&f->model,         &f->inputs,         &f->expected,
				       &f->reduced_model, &f->reduced_inputs, &f->reduced_expected};
	uint64_t h = add_text(add_text(add_text(HASH_BEGIN, f->backend), f->signature), f->detail);

	h = add_text(add_text(h, f->evidence), f->since);
	h = hash_number(hash_number(h, (uint64_t)f->verdict), (uint64_t)f->nodes);
	h = hash_number(hash_number(h, (uint64_t)f->noise_ratio), (uint64_t)f->time);
	for (size_t i = 0; i < 6; i++)
		h = hash_bytes(hash_number(h, parts[i]->n), parts[i]->p, parts[i]->n);
	*(uint64_t *)sum += hash_number(HASH_BEGIN, h);
	return 0;
}

/* What a store has, whatever the numbers of its findings are. */
static uint64_t content(const char *path)
{
	const struct store_filter all = {.with_bytes = STORE_ALL_BYTES};
	struct store *s = stores_open(path);
	struct err e = ERR_INIT;
	uint64_t sum = 0;

	assert_int_equal(store_each(s, &all, add_finding, &sum, &e), 0);
	store_close(s);
	return sum;
}

/* The stores merged in this order into an empty one; gives what that has. */
static uint64_t unite(const char *into, const char *const *from, size_t n)
{
	struct store *s;
	struct err e = ERR_INIT;
	size_t added;

	stores_unlink(into);
	s = stores_open(into);
	for (size_t i = 0; i < n; i++)
		if (store_merge(s, from[i], &added, &e))
			fail_msg("%s", e.msg);
	store_close(s);
	return content(into);
}

static void make_random(struct rng *r, const char *path)
{
	struct store *s;
	struct err e = ERR_INIT;

	stores_unlink(path);
	s = stores_open(path);
	for (uint64_t n = rng_below(r, MOST + 1); n > 0; n--) {
		struct finding f = random_finding(r);

		assert_int_equal(store_add(s, &f, &e), 0);
	}
	store_close(s);
}

static void test_stores_are_sets(void **state)
{
	enum { A, B, C, AB, BC, ONE, OTHER, PATHS };
	char names[PATHS][512];
	const char *p[PATHS];
	struct rng r;

	(void)state;
	rng_init(&r, 11);
	for (int i = 0; i < PATHS; i++) {
		snprintf(names[i], sizeof names[i], "%s.%d", stores_path(), i);
		p[i] = names[i];
	}
	for (int k = 0; k < SETS; k++) {
		uint64_t whole, both;

		for (int i = A; i <= C; i++)
			make_random(&r, p[i]);
		both = unite(p[AB], (const char *[]){p[A], p[B]}, 2);
		assert_true(both == unite(p[ONE], (const char *[]){p[B], p[A]}, 2));             /* in any order */
		assert_true(both == unite(p[ONE], (const char *[]){p[A], p[B], p[B], p[A]}, 4)); /* once or more */
		assert_true(both == unite(p[ONE], (const char *[]){p[AB], p[AB]}, 2));
		unite(p[BC], (const char *[]){p[B], p[C]}, 2);
		whole = unite(p[ONE], (const char *[]){p[AB], p[C]}, 2); /* in any groups */
		assert_true(whole == unite(p[OTHER], (const char *[]){p[A], p[BC]}, 2));
		assert_true(whole == unite(p[OTHER], (const char *[]){p[C], p[A], p[B]}, 3));
	}
	for (int i = 0; i < PATHS; i++)
		stores_unlink(p[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_better_copy_stays, stores_teardown),
		cmocka_unit_test_teardown(test_stores_are_sets, stores_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
