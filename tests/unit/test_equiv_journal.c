/* test_equiv_journal.c - what an interrupted run of assay equiv left behind is taken up again. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "methods/equiv/equiv.h"
#include "methods/equiv/journal.h"

/* Two pairs of one rule, and what they gave. */
struct two {
	struct equiv_pair pairs[2];
	struct equiv_result results[2];
	struct equiv q;
};

static void two_init(struct two *t)
{
	static char name[] = "torch";

	*t = (struct two){.q = {.spec = {.name = name}, .version = "1", .n = 2}};
	t->pairs[0] = (struct equiv_pair){.rule = &rule_optimized, .name = "aten::a", .sets = {NULL, "jit"}};
	t->pairs[1] = (struct equiv_pair){.rule = &rule_optimized, .name = "aten::b", .sets = {NULL, "jit"}};
	t->q.pairs = t->pairs;
	t->q.results = t->results;
}

static void write_journal(const char *path, const struct equiv_options *o)
{
	struct err e = ERR_INIT;
	char a[] = "f(x)", b[] = "g(x)";
	struct journal j;
	struct two t;

	two_init(&t);
	t.results[0] = (struct equiv_result){.run = 1, .inputs = 7, .equal = 5, .n_plans = 1, .plans = {11}};
	t.results[0].strikes[0] = 3;
	t.results[0].next = 6;
	t.results[0].found[0] = (struct equiv_finding){
		.verdict = VERDICT_WRONG, .ratio = (double)INFINITY, .a = a, .b = b, .detail = "they differ"};
	buf_init(&t.results[0].found[0].inputs, 16);
	buf_add(&t.results[0].found[0].inputs, "\0\xff", 2);
	assert_int_equal(journal_open(&j, path, &t.q, o, &e), 0);
	assert_int_equal(journal_add(&j, &t.q, 0, &e), 0);
	fputs("{\"pair\": \"1//jit/aten::b\", \"inp", j.file); /* killed while it wrote */
	journal_close(&j);
	buf_release(&t.results[0].found[0].inputs);
}

static void make_file(char *path)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	close(fd);
}

static void a_journal_gives_back_what_was_done(void **state)
{
	char path[] = "/tmp/assay-journal-XXXXXX";
	struct equiv_options o = {.inputs = 7, .seed = 3}, other = {.inputs = 7, .seed = 4};
	struct err e = ERR_INIT;
	struct journal j;
	struct two t;

	(void)state;
	make_file(path);
	write_journal(path, &o);
	two_init(&t);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	assert_int_equal(journal_add(&j, &t.q, 1, &e), 0); /* behind whole lines alone */
	journal_close(&j);
	assert_int_equal(t.results[0].run, 1);
	assert_int_equal(t.results[0].equal, 5);
	assert_int_equal(t.results[0].plans[0], 11);
	assert_int_equal(t.results[0].strikes[0], 3);
	assert_int_equal(t.results[0].next, 6);
	assert_int_equal(t.results[0].done, 0);
	assert_true(isinf(t.results[0].found[0].ratio));
	assert_string_equal(t.results[0].found[0].b, "g(x)");
	assert_memory_equal(t.results[0].found[0].inputs.data, "\0\xff", 2);
	assert_int_equal(t.results[1].run, 0);
	equiv_result_release(&t.results[0]);
	two_init(&t);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	journal_close(&j);
	assert_int_equal(t.results[0].run + t.results[1].run, 2);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	t.results[0].done = 1; /* the next round ends */
	assert_int_equal(journal_add(&j, &t.q, 0, &e), 0);
	journal_close(&j);
	t.results[0].done = 0;
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	journal_close(&j);
	assert_int_equal(t.results[0].done, 1); /* of a pair's lines the last counts */
	equiv_result_release(&t.results[0]);
	assert_int_equal(journal_open(&j, path, &t.q, &other, &e), ERR_INPUT);
	journal_close(&j);
	unlink(path);
}

static void rows_of_one_name_are_told_apart(void **state)
{
	char path[] = "/tmp/assay-journal-XXXXXX";
	struct equiv_options o = {.inputs = 7};
	struct arena arena = ARENA_INIT;
	struct err e = ERR_INIT;
	struct journal j;
	struct two t;

	(void)state;
	make_file(path);
	two_init(&t);
	t.pairs[1].name = t.pairs[0].name;
	assert_int_equal(expr_parse("f(x)", &arena, &t.pairs[0].a, &e), 0);
	assert_int_equal(expr_parse("g(x)", &arena, &t.pairs[1].a, &e), 0);
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	t.results[0] = (struct equiv_result){.run = 1, .equal = 5};
	assert_int_equal(journal_add(&j, &t.q, 0, &e), 0);
	journal_close(&j);
	t.results[0] = (struct equiv_result){0};
	assert_int_equal(journal_open(&j, path, &t.q, &o, &e), 0);
	journal_close(&j);
	assert_int_equal(t.results[0].equal, 5);
	assert_int_equal(t.results[1].run, 0);
	arena_release(&arena);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_journal_gives_back_what_was_done),
		cmocka_unit_test(rows_of_one_name_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
