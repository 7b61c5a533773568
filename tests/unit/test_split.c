/* test_split.c - parts of a run: disjoint, complete, and the same each time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/hash.h"
#include "base/split.h"
#include "methods/conform/conform.h"
#include "methods/equiv/equiv.h"
#include "methods/fuzz/fuzz.h"
#include "model/write.h"

#define ITEMS 1000
#define MODELS 130 /* of the whole run */
#define BLOCKS 3

static const int parts[] = {1, 2, 3, 4, 7, 64, 100};
#define N_PARTS (sizeof parts / sizeof *parts)

static void every_item_is_in_one_part(void **state)
{
	(void)state;
	for (size_t k = 0; k < N_PARTS; k++) {
		int owners[ITEMS] = {0}, least = ITEMS, most = 0;

		for (int at = 0; at < parts[k]; at++) {
			const struct split s = {at, parts[k]};
			int own = 0;

			for (int i = 0; i < ITEMS; i++) {
				if (!split_has(&s, (uint64_t)i))
					continue;
				assert_int_equal(split_own(&s, i), own);
				assert_int_equal(split_whole(&s, own), i);
				owners[i]++;
				own++;
			}
			least = own < least ? own : least;
			most = own > most ? own : most;
		}
		for (int i = 0; i < ITEMS; i++)
			assert_int_equal(owners[i], 1);
		assert_true(most - least <= 1);
	}
}

static void words_are_checked(void **state)
{
	static const char *const bad[] = {"",    "3",  "0/4", "5/4",  "1/0",  "-1/4",        "1/-4", "1/4x",
					  "1 /", "/4", "a/b", "1//4", "+1/4", "1/100000000", " 1/4"};
	struct split s = {5, 5};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		if (split_parse(bad[i], &s, &e) != ERR_USAGE)
			fail_msg("'%s' is taken", bad[i]);
		assert_true(s.at == 5 && s.of == 5);
	}
	assert_int_equal(split_parse("3/4", &s, &e), 0);
	assert_true(s.at == 2 && s.of == 4);
}

/* ---- cases of the fuzzer ----------------------------------------------------------------------------------------- */

struct made {
	uint64_t digests[MODELS];
	int times[MODELS];
};

static void make_part(const struct corpus *c, enum fuzz_search search, struct split part, struct made *out)
{
	const struct fuzz_options o = {
		.seed = 5, .blocks = BLOCKS, .shards = FUZZ_SHARDS, .search = search, .split = part};
	struct err e = ERR_INIT;
	struct fuzzer *f;

	assert_int_equal(fuzzer_new(c, &o, &f, &e), 0);
	while (fuzzer_index(f) < MODELS) {
		struct fuzz_case made = {0};
		struct buf b;

		if (fuzzer_next(f, &made, &e))
			fail_msg("%s", e.msg);
		buf_init(&b, MODEL_MAX_FILE);
		assert_int_equal(model_serialize(made.model, &b, &e), 0);
		out->digests[made.index] = hash_bytes(HASH_BEGIN, b.data, b.len);
		out->times[made.index]++;
		buf_release(&b);
		fuzz_case_release(&made);
	}
	fuzzer_free(f);
}

static void make_all(const struct corpus *c, enum fuzz_search search, int n, struct made *out)
{
	memset(out, 0, sizeof *out);
	for (int at = 0; at < n; at++)
		make_part(c, search, (struct split){at, n}, out);
	for (int i = 0; i < MODELS; i++)
		assert_int_equal(out->times[i], 1);
}

/* Without a search that learns, the parts are the whole run, byte for byte; with one, they are the same each time. */
static void parts_of_fuzz(void **state)
{
	struct corpus c = {0};
	struct err e = ERR_INIT;
	struct made whole, split;

	(void)state;
	assert_int_equal(corpus_load("data/blocks-paper.yaml", 0, &c, &e), 0);
	make_all(&c, FUZZ_SEARCH_RANDOM, 1, &whole);
	for (size_t k = 0; k < N_PARTS; k++) {
		make_all(&c, FUZZ_SEARCH_RANDOM, parts[k], &split);
		assert_memory_equal(&whole, &split, sizeof whole);
	}
	for (size_t k = 0; k < N_PARTS; k++) {
		make_all(&c, FUZZ_SEARCH_MCTS, parts[k], &whole);
		make_all(&c, FUZZ_SEARCH_MCTS, parts[k], &split);
		assert_memory_equal(&whole, &split, sizeof whole);
	}
	corpus_release(&c);
}

/* ---- cases of a folder ------------------------------------------------------------------------------------------- */

static void parts_of_conform(void **state)
{
	static const char folder[] = "tests/fixtures/conform";
	struct conform_list all = {0};
	struct err e = ERR_INIT;
	size_t found = 0;

	(void)state;
	assert_int_equal(conform_find(folder, NULL, &all, &e), 0);
	assert_true(all.n > 3);
	for (int at = 0; at < 3; at++) {
		const struct split part = {at, 3};
		struct conform_list some = {0};

		assert_int_equal(conform_find(folder, NULL, &some, &e), 0);
		conform_keep(&some, &part);
		for (size_t i = 0; i < some.n; i++, found++)
			assert_string_equal(some.at[i].path, all.at[split_whole(&part, (int64_t)i)].path);
		conform_list_release(&some);
	}
	assert_int_equal(found, all.n);
	conform_list_release(&all);
}

/* ---- pairs of equiv ---------------------------------------------------------------------------------------------- */

static void gather_pairs(struct split part, struct equiv *out)
{
	const struct equiv_options o = {.rows = 1, .split = part};
	struct err e = ERR_INIT;

	*out = (struct equiv){.arena = ARENA_INIT};
	registry_init(&out->registry, "tf");
	if (equiv_gather(out, "data/equiv", &o, &e))
		fail_msg("%s", e.msg);
}

static void parts_of_equiv(void **state)
{
	struct equiv all, some;
	size_t found = 0;

	(void)state;
	gather_pairs((struct split){0, 0}, &all);
	assert_true(all.n > 10);
	for (int at = 0; at < 7; at++) {
		const struct split part = {at, 7};

		gather_pairs(part, &some);
		for (size_t i = 0; i < some.n; i++, found++) {
			const struct equiv_pair *whole = &all.pairs[split_whole(&part, (int64_t)i)];

			assert_string_equal(some.pairs[i].name, whole->name);
			assert_ptr_equal(some.pairs[i].rule, whole->rule);
		}
		equiv_release(&some);
	}
	assert_int_equal(found, all.n);
	equiv_release(&all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_is_in_one_part),
		cmocka_unit_test(words_are_checked),
		cmocka_unit_test(parts_of_fuzz),
		cmocka_unit_test(parts_of_conform),
		cmocka_unit_test(parts_of_equiv),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
