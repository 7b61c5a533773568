/* test_cures.c - sets of settings that are enough: all single ones, pairs, sets without needless members; planted
 * libraries say which do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "triage/cures.h"

/* A finding that is gone when one of these sets is among the settings. */
struct planted {
	const char *const *sets; /* of letters, setting 0 is 'a'; up to NULL */
	size_t asked;
};

static int ask(void *arg, const struct cure *set, int *gone, struct err *e)
{
	struct planted *p = arg;

	(void)e;
	p->asked++;
	*gone = 0;
	for (const char *const *s = p->sets; *s; s++) {
		size_t has = 0;

		for (const char *c = *s; *c; c++)
			has += memchr(set->at, *c - 'a', set->n) != NULL;
		*gone |= has == strlen(*s);
	}
	return 0;
}

/* The sets in their order, "a bc". */
static void assert_cures(const struct cures *c, const char *wanted)
{
	char text[CURES_MAX * (CURE_ITEMS + 1) + 1], *at = text;

	for (size_t i = 0; i < c->n; i++) {
		if (i)
			*at++ = ' ';
		for (size_t k = 0; k < c->at[i].n; k++)
			*at++ = (char)('a' + c->at[i].at[k]);
	}
	*at = '\0';
	assert_string_equal(text, wanted);
}

static void test_few(void **state)
{
	static const struct {
		const char *sets[4], *found;
		size_t n;
	} rows[] = {
		{{NULL}, "", 4},
		{{"b", NULL}, "b", 3},
		{{"a", "c", NULL}, "a c", 3},     /* all of them, not the first */
		{{"c", "ab", NULL}, "c", 3},      /* pairs only where no single one is enough */
		{{"ab", "bd", NULL}, "ab bd", 4}, /* every pair */
		{{"abd", NULL}, "abd", 5},
		{{"a", NULL}, "", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct planted p = {rows[i].sets, 0};
		struct err e = ERR_INIT;
		struct cures c;

		assert_int_equal(cures_of_few(rows[i].n, ask, &p, &c, &e), 0);
		assert_cures(&c, rows[i].found);
	}
}

static void test_many(void **state)
{
	static const struct {
		const char *sets[4], *found;
	} rows[] = {
		{{NULL}, ""},
		{{"k", NULL}, "k"},
		{{"b", "q", "z", NULL}, "b q z"},
		{{"cx", NULL}, "cx"},
		{{"aef", "m", NULL}, "m aef"}, /* single ones are found beside sets, and come first */
		{{"ab", "bc", NULL}, "ab"},    /* sets that share a member: one of them */
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct planted p = {rows[i].sets, 0};
		struct err e = ERR_INIT;
		struct cures c;

		assert_int_equal(cures_of_many(26, ask, &p, &c, &e), 0);
		assert_cures(&c, rows[i].found);
		assert_true(p.asked < 60);
	}
}

/* More than there is room for. */
static void test_limits(void **state)
{
	static const char *const all[] = {"a", "b", "c", "d", "e", "f", "g", "h", NULL};
	struct planted p = {all, 0};
	struct err e = ERR_INIT;
	struct cures c;

	(void)state;
	assert_int_equal(cures_of_many(CURE_ITEMS + 9, ask, &p, &c, &e), 0);
	assert_int_equal(c.n, CURES_MAX);
	assert_int_equal(cures_of_few(8, ask, &p, &c, &e), 0);
	assert_int_equal(c.n, CURES_MAX);
}

/* A library that goes wrong when all settings of one of these sets are on: without a member of each it is right. */
struct faulty {
	const char *const *sets;
	size_t asked;
};

static int fails(const struct faulty *f, const struct cure *on)
{
	for (const char *const *s = f->sets; *s; s++) {
		size_t has = 0;

		for (const char *c = *s; *c; c++)
			has += memchr(on->at, *c - 'a', on->n) != NULL;
		if (has == strlen(*s))
			return 1;
	}
	return 0;
}

static int ask_without(void *arg, const struct cure *off, int *gone, struct err *e)
{
	struct cure on = {.n = 0};

	(void)e;
	for (int i = 0; i < 26; i++)
		if (!memchr(off->at, i, off->n))
			on.at[on.n++] = (unsigned char)i;
	*gone = !fails(arg, &on);
	return 0;
}

static int ask_alone(void *arg, const struct cure *on, int *there, struct err *e)
{
	struct faulty *f = arg;

	(void)e;
	f->asked++;
	*there = fails(f, on);
	return 0;
}

static void test_makers(void **state)
{
	static const struct {
		const char *sets[4], *made_by;
		size_t most; /* questions */
	} rows[] = {
		{{"k", NULL}, "k", 2},         {{"cx", NULL}, "cx", 4}, /* neither does it alone */
		{{"cx", "m", NULL}, "m", 4},                            /* one that does so alone comes first */
		{{"ax", "bx", NULL}, "ax", 6}, /* either of two makes room for a third: one pair is enough */
		{{"aefq", NULL}, "aefq", 40},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct faulty f = {rows[i].sets, 0};
		struct cures cures, found = {.n = 1};
		struct err e = ERR_INIT;

		assert_int_equal(cures_of_many(26, ask_without, &f, &cures, &e), 0);
		assert_int_equal(cures_maker(&cures, ask_alone, &f, &found.at[0], &e), 0);
		assert_cures(&found, rows[i].made_by);
		assert_in_range(f.asked, 1, rows[i].most);
	}
}

/* Without cures nothing is asked; where their members do not make it, none is named. */
static void test_no_maker(void **state)
{
	static const char *const other[] = {"z", NULL};
	struct faulty f = {other, 0};
	struct cures cures = {.n = 0};
	struct cure made = {.n = 1};
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(cures_maker(&cures, ask_alone, &f, &made, &e), 0);
	assert_int_equal(made.n, 0);
	assert_int_equal(f.asked, 0);
	cures = (struct cures){{{{1}, 1}}, 1};
	assert_int_equal(cures_maker(&cures, ask_alone, &f, &made, &e), 0);
	assert_int_equal(made.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_few), cmocka_unit_test(test_many),
					   cmocka_unit_test(test_limits), cmocka_unit_test(test_makers),
					   cmocka_unit_test(test_no_maker)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
