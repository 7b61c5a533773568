/* cause.c - see cause.h. */
#include "triage/cause.h"

#include <ctype.h>
#include <jansson.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "judge/trial.h"

#define MAX_WORDS 64 /* letters of a refusal that tell it from another by the same switch */

int cause_same_kind(enum verdict a, enum verdict b)
{
	return a == b || (verdict_is_of_numbers(a) && verdict_is_of_numbers(b));
}

/* ---- the switch -------------------------------------------------------------------------------------------------- */

static void put_switch(const struct finding *f, struct buf *out)
{
	json_t *evidence = json_loads(f->evidence, 0, NULL);
	const char *guilty = json_text_at(json_object_get(evidence, "reduce"), "guilty");

	if (guilty && *guilty)
		buf_puts(out, guilty);
	json_decref(evidence);
}

/* ---- the place --------------------------------------------------------------------------------------------------- */

static int is_source(const char *ending, size_t n)
{
	static const char *const endings[] = {"c", "cc", "cpp", "cu", "h", "hpp", "rs", "py"};

	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (strlen(endings[i]) == n && !memcmp(endings[i], ending, n))
			return 1;
	return 0;
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n;
}

/* The first "name.cpp:88" of a text. */
static void put_place(const char *text, struct buf *out)
{
	for (const char *s = text; *s;) {
		size_t name = name_length(s), ending = s[name] == '.' ? name_length(s + name + 1) : 0;
		const char *line = s + name + 1 + ending;

		if (name && ending && is_source(s + name + 1, ending) && *line == ':' &&
		    isdigit((unsigned char)line[1])) {
			buf_add(out, s, name + 1 + ending + 1 + strspn(line + 1, "0123456789"));
			return;
		}
		s += name ? name : 1;
	}
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

void cause_put(const struct finding *f, struct buf *out)
{
	size_t before = out->len;
	char words[MAX_WORDS + 1];

	put_switch(f, out);
	if (f->verdict != VERDICT_REJECTED)
		return;
	if (out->len == before) {
		put_place(f->detail, out);
		return;
	}
	words_of(f->detail, words, sizeof words);
	buf_printf(out, " %s", words);
}

void cause_complaint(const struct finding *f, char *out, size_t size)
{
	const char *last = f->detail;

	out[0] = '\0';
	if (f->verdict != VERDICT_REJECTED)
		return;
	for (const char *s; (s = strstr(last, "; "));)
		last = s + 2;
	words_of(last, out, size);
}

int cause_in_pass(const struct finding *f)
{
	return f->verdict == VERDICT_REJECTED && strstr(f->detail, " pass ") != NULL;
}

const struct node *cause_named_node(const struct finding *f, const struct graph *g)
{
	const struct node *found = NULL;
	const char *first = NULL;

	for (size_t i = 0; f->verdict == VERDICT_REJECTED && i < g->nodes.n; i++) {
		const char *at = strcasestr(f->detail, g->nodes.at[i]->op_type);

		if (at && (!first || at < first)) {
			first = at;
			found = g->nodes.at[i];
		}
	}
	return found;
}
