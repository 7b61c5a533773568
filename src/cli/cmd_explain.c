/* cmd_explain.c - assay explain: what a word on the screen means, from docs/glossary.md. */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/terminal.h"
#include "report/glossary.h"
#include "report/paint.h"

#define MAX_WORD 256

int cmd_explain(struct cli *c);

static int begins_group(const struct glossary *g, size_t i)
{
	return !i || strcmp(g->entries.at[i].group, g->entries.at[i - 1].group) != 0;
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static void print_entry(FILE *out, const struct glossary_entry *x)
{
	fprintf(out, "%s%s%s\n", paint_before(x->head), x->head, paint_after(x->head));
	terminal_wrap(out, 2, 0, terminal_columns(out), x->text);
}

static void print_list(FILE *out, const struct glossary *g)
{
	struct buf line;

	buf_init(&line, 65536);
	for (size_t i = 0; i < g->entries.n; i++) {
		if (begins_group(g, i))
			fprintf(out, "%s%s:\n", i ? "\n" : "", g->entries.at[i].group);
		buf_printf(&line, "%s%s", line.len ? " · " : "", g->entries.at[i].head);
		if (i + 1 == g->entries.n || begins_group(g, i + 1)) {
			terminal_wrap(out, 2, 0, terminal_columns(out), line.data ? line.data : "");
			buf_clear(&line);
		}
	}
	buf_release(&line);
	fputs("\n'assay explain WORD' prints what a word means; a group such as 'verdicts' prints all of its words.\n",
	      out);
}

static void print_group(FILE *out, const struct glossary *g, const char *group)
{
	for (size_t i = 0; i < g->entries.n; i++)
		if (!strcmp(g->entries.at[i].group, group))
			print_entry(out, &g->entries.at[i]);
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* All entries, those of a group, or one. */
static int print_json(FILE *out, const struct glossary *g, const char *group, const struct glossary_entry *one)
{
	json_t *list = json_array();

	for (size_t i = 0; i < g->entries.n; i++) {
		const struct glossary_entry *x = &g->entries.at[i];
		json_t *words;

		if ((one && x != one) || (group && strcmp(x->group, group) != 0))
			continue;
		words = json_array();
		for (size_t k = 0; k < x->words.n; k++)
			json_array_append_new(words, json_text(x->words.at[k]));
		json_array_append_new(list, json_pack("{s:o, s:o, s:o}", "words", words, "group", json_text(x->group),
						      "text", json_text(x->text)));
	}
	return cli_print_json(out, json_pack("{s:o}", "entries", list));
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

/* "noise" "ratio" as one word with a blank. */
static int join(const struct texts *rest, char *word, size_t size, struct err *e)
{
	size_t at = 0;

	word[0] = '\0';
	for (size_t i = 0; i < rest->n && at < size; i++)
		at += (size_t)snprintf(word + at, size - at, "%s%s", i ? " " : "", rest->at[i]);
	return at < size ? 0 : err_set(e, ERR_USAGE, "explain takes one word or a few, not so many");
}

static int explain(struct cli *c, const struct glossary *g, const char *word, int json, struct err *e)
{
	const struct glossary_entry *one = *word ? glossary_find(g, word) : NULL;
	const char *group = *word && !one ? glossary_group(g, word) : NULL;
	struct near n = NEAR(word);

	if (*word && !one && !group) {
		glossary_offer(g, &n);
		return err_set(e, ERR_USAGE, "no entry for '%s'%s; 'assay explain' lists the words", word,
			       near_hint(&n));
	}
	if (json)
		return print_json(c->out, g, group, one);
	if (one)
		print_entry(c->out, one);
	else if (group)
		print_group(c->out, g, group);
	else
		print_list(c->out, g);
	return CLI_OK;
}

static int run(struct cli *c, const struct texts *rest, void *arg, struct err *e)
{
	char word[MAX_WORD];
	struct glossary g;
	int rc = join(rest, word, sizeof word, e);

	if (!rc)
		rc = glossary_open(&g, e);
	if (rc)
		return rc;
	rc = explain(c, &g, word, *(int *)arg, e);
	glossary_release(&g);
	return rc;
}

static void complete(FILE *out)
{
	struct err e = ERR_INIT;
	struct glossary g;

	if (glossary_open(&g, &e))
		return;
	for (size_t i = 0; i < g.entries.n; i++)
		for (size_t k = 0; k < g.entries.at[i].words.n; k++)
			if (!strchr(g.entries.at[i].words.at[k], ' '))
				fprintf(out, "%s\t%s\n", g.entries.at[i].words.at[k], g.entries.at[i].group);
	glossary_release(&g);
}

int cmd_explain(struct cli *c)
{
	int json = 0;
	const struct cli_option options[] = {
		{0, "json", NULL, CLI_FLAG, &json, "print the entries as JSON"},
		{0},
	};

	if (c->complete && !c->argc)
		complete(c->out);
	c->notes = "Without a word it lists all of them.  docs/glossary.md has the same text.\n";
	return cli_main(c, options, run, &json);
}
