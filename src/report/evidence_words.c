/* evidence_words.c - see evidence_words.h.  Nothing of the evidence is taken for granted; what is not understood is
 * passed over. */
#include "report/evidence_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/plain.h"
#include "report/text.h"

#define MOST_NAMES 12
#define MAX_TEXT 4096

static double number_at(const json_t *j, const char *key)
{
	return evidence_number(json_object_get(j, key));
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static void put_node(struct buf *b, const json_t *j)
{
	buf_printf(b, "node '%s' (%s)", PLAIN(json_text_at(j, "node")), PLAIN(json_text_at(j, "op")));
}

/* "'a', 'b'" of a list of names. */
static void put_names(struct buf *b, const json_t *list)
{
	size_t n = json_array_size(list), told = n > MOST_NAMES ? MOST_NAMES : n;

	for (size_t i = 0; i < told; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		buf_printf(b, "%s'%s'", i ? ", " : "", name ? PLAIN(name) : "?");
	}
	if (told < n)
		buf_printf(b, " and %zu more", n - told);
}

/* Parameters without which (at their default) the difference is gone. */
static void put_parameters(struct buf *b, const json_t *list)
{
	int found = 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *p = json_array_get(list, i);

		if (!strcmp(json_text_at(p, "result"), "gone"))
			buf_printf(b, "%s%s", found++ ? ", or without " : "; the difference is gone without ",
				   PLAIN(json_text_at(p, "parameter")));
	}
}

static void say_isolated(const json_t *entry, struct buf *b)
{
	char ratio[32];

	put_node(b, entry);
	buf_printf(b, " alone, fed with the reference's own tensors: %s", json_text_at(entry, "verdict"));
	if (!isnan(number_at(entry, "noise_ratio")))
		buf_printf(b, ", %s times rounding noise",
			   text_ratio(number_at(entry, "noise_ratio"), ratio, sizeof ratio));
	put_parameters(b, json_object_get(entry, "parameters"));
}

static void say_together(const json_t *entry, struct buf *b)
{
	buf_puts(b, "each alone is right, together they are not: ");
	put_names(b, json_object_get(entry, "nodes"));
	if (*json_text_at(entry, "wrong"))
		buf_printf(b, "; with all that they make as outputs '%s' is wrong for what it was given",
			   PLAIN(json_text_at(entry, "wrong")));
	else if (json_is_true(json_object_get(entry, "exposing_hides")))
		buf_puts(b, "; with all that they make as outputs they are right");
}

static void say_rate(const json_t *entry, struct buf *b)
{
	char rate[32], delta[32];

	put_node(b, entry);
	buf_printf(b, ": rate of change %s, difference %s", text_ratio(number_at(entry, "rate"), rate, sizeof rate),
		   text_ratio(number_at(entry, "delta"), delta, sizeof delta));
	put_parameters(b, json_object_get(entry, "parameters"));
}

static void say_swap(const json_t *entry, struct buf *b)
{
	const char *difference = json_text_at(entry, "difference");

	put_names(b, json_object_get(entry, "nodes"));
	buf_printf(b, " computed by the reference instead: %s%s", *difference ? "the difference " : "not to be told",
		   !strcmp(difference, "gone") ? "is gone" : difference);
}

/* blamer, list in its say, how an entry reads */
static const struct {
	const char *blamer, *list;
	void (*say)(const json_t *entry, struct buf *b);
} sayings[] = {
	{"isolated", "alone", say_isolated}, {"isolated", "only_together", say_together},
	{"swap", "swapped", say_swap},       {"map", "top", say_rate},
	{"causal", "layers", say_rate},
};

void evidence_distance(const json_t *j, char *out, size_t size)
{
	double got = number_at(j, "got"), exact = number_at(j, "exact"), ratio = number_at(j, "noise_ratio");
	char text[32];

	if (isfinite(ratio) && exact != 0)
		snprintf(out, size, "%s times rounding noise", text_ratio(ratio, text, sizeof text));
	else if (!isfinite(got) || !isfinite(exact))
		snprintf(out, size, "which no rounding gives");
	else if (isinf(ratio))
		snprintf(out, size, "off by %.3g where nothing rounds", fabs(got - exact));
	else
		snprintf(out, size, "%s times rounding noise of %.3g", text_ratio(ratio, text, sizeof text),
			 fabs(got) / ratio);
}

void evidence_each_saying(const json_t *evidence, size_t most, evidence_saying_fn *fn, void *arg)
{
	struct buf b;

	buf_init(&b, MAX_TEXT);
	for (size_t i = 0; i < sizeof sayings / sizeof *sayings; i++) {
		const json_t *small = json_object_get(json_object_get(evidence, "reduced_blame"), sayings[i].blamer);
		const json_t *said = small ? small : evidence_find(evidence, sayings[i].blamer);
		const json_t *list = json_object_get(said, sayings[i].list);

		for (size_t k = 0; k < json_array_size(list) && k < most; k++) {
			buf_clear(&b);
			sayings[i].say(json_array_get(list, k), &b);
			if (b.data && !b.failed)
				fn(sayings[i].blamer, b.data, arg);
		}
	}
	buf_release(&b);
}
