/* test_glossary.c - every word that screens print has an entry in docs/glossary.md, and the page is read as it stands.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/verdict.h"
#include "judge/oracle.h"
#include "report/glossary.h"

static void assert_has(const struct glossary *g, const char *word)
{
	const struct glossary_entry *x = glossary_find(g, word);

	if (!x)
		fail_msg("docs/glossary.md has no entry for '%s'", word);
	else if (strlen(x->text) < 30)
		fail_msg("docs/glossary.md says almost nothing of '%s'", word);
}

static void test_every_verdict(void **state)
{
	struct err e = ERR_INIT;
	struct glossary g;

	(void)state;
	assert_int_equal(glossary_open(&g, &e), 0);
	for (int v = 0; v < VERDICT_COUNT; v++) {
		assert_has(&g, verdict_name((enum verdict)v));
		assert_string_equal(glossary_find(&g, verdict_name((enum verdict)v))->group, "Verdicts");
	}
	glossary_release(&g);
}

/* Findings begin with those words, others do not: the page and the program agree on what counts. */
static void test_findings_are_called_so(void **state)
{
	struct err e = ERR_INIT;
	struct glossary g;

	(void)state;
	assert_int_equal(glossary_open(&g, &e), 0);
	for (int v = 0; v < VERDICT_COUNT; v++) {
		const char *text = glossary_find(&g, verdict_name((enum verdict)v))->text;

		assert_int_equal(!strncmp(text, "A finding:", 10), verdict_is_finding((enum verdict)v));
	}
	glossary_release(&g);
}

/* Heads of tables and words of summaries, as the files of src/cli print them. */
static void test_words_of_tables(void **state)
{
	static const char *const words[] = {
		"backend",
		"noise ratio",
		"load + run",
		"given",
		"ran",
		"judged",
		"id",
		"nodes",
		"operator",
		"class",
		"ratio",
		"since",
		"signature",
		"cluster",
		"finding",
		"repro",
		"R_L",
		"δ",
		"δ_C",
		"δ_G",
		"pattern",
		"unique",
		"inconsistent",
		"MAD",
		"class distance",
		"localization map",
		"OLC",
		"OTC",
		"IDC",
		"ODC",
		"SEC",
		"SPC",
		"MCF",
		"IF",
		"DCF",
		"DCP",
		"triage",
		"level",
		"far",
		"bug",
		"one side refused",
		"local",
		"accumulated",
		"effect",
		"rule",
		"blame",
		"together",
		"campaign",
		"made up",
		"reduced",
		"unstable",
	};
	struct err e = ERR_INIT;
	struct glossary g;

	(void)state;
	assert_int_equal(glossary_open(&g, &e), 0);
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		assert_has(&g, words[i]);
	glossary_release(&g);
}

/* The page names each oracle that --oracle takes. */
static void test_oracles(void **state)
{
	struct err e = ERR_INIT;
	struct glossary g;

	(void)state;
	assert_int_equal(glossary_open(&g, &e), 0);
	for (const struct oracle_row *row = oracle_rows; row->name; row++)
		if (!strstr(glossary_find(&g, "oracle")->text, row->name))
			fail_msg("the entry 'oracle' does not name '%s'", row->name);
	glossary_release(&g);
}

/* No word has two entries: the second would never be found. */
static void test_no_word_twice(void **state)
{
	struct err e = ERR_INIT;
	struct glossary g;

	(void)state;
	assert_int_equal(glossary_open(&g, &e), 0);
	for (size_t i = 0; i < g.entries.n; i++)
		for (size_t k = 0; k < g.entries.at[i].words.n; k++)
			if (glossary_find(&g, g.entries.at[i].words.at[k]) != &g.entries.at[i])
				fail_msg("'%s' has two entries", g.entries.at[i].words.at[k]);
	glossary_release(&g);
}

static void test_reading(void **state)
{
	struct err e = ERR_INIT;
	struct glossary g;

	(void)state;
	assert_int_equal(glossary_read("# Page\nnot an entry\n## One\nnor this\n### noise ratio, ratio\nA *word* of "
				       "`code`\nand [a link](x.md).\n\n## Two\n### empty",
				       &g, &e),
			 0);
	assert_int_equal(g.entries.n, 2);
	assert_string_equal(g.entries.at[0].text, "A word of 'code' and a link.");
	assert_string_equal(g.entries.at[0].group, "One");
	assert_ptr_equal(glossary_find(&g, "RATIO"), &g.entries.at[0]);
	assert_ptr_equal(glossary_find(&g, "noise_ratio"), &g.entries.at[0]);
	assert_string_equal(g.entries.at[1].text, "");
	assert_null(glossary_find(&g, "rat"));
	assert_string_equal(glossary_group(&g, "two"), "Two");
	assert_null(glossary_group(&g, "three"));
	glossary_release(&g);

	assert_int_equal(glossary_read("", &g, &e), 0);
	assert_int_equal(g.entries.n, 0);
	glossary_release(&g);
	assert_int_equal(glossary_read("### without a group\ntext", &g, &e), 0);
	assert_int_equal(g.entries.n, 0);
	glossary_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_verdict),   cmocka_unit_test(test_findings_are_called_so),
		cmocka_unit_test(test_words_of_tables), cmocka_unit_test(test_oracles),
		cmocka_unit_test(test_no_word_twice),   cmocka_unit_test(test_reading),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
