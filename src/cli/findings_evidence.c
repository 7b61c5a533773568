/* findings_evidence.c - what the blamers said, in words.
 *
 * Evidence is JSON that blamers and reducers wrote: an object with a member for each blamer, at the top or inside of
 * "blame".  Nothing of it is taken for granted; what is not understood is passed over, since --json has it all. */
#include <stdio.h>
#include <string.h>

#include "base/digits.h"
#include "base/json.h"
#include "base/plain.h"
#include "cli/findings_text.h"
#include "cli/terminal.h"
#include "report/evidence_words.h"

#define MOST 3 /* entries of one list that are told */
#define MAX_TEXT 4096

void findings_say_together(FILE *out, const json_t *ops, size_t columns)
{
	struct buf b;

	buf_init(&b, MAX_TEXT);
	buf_puts(&b, "No single node is blamed.  Each alone is right, together they are not: ");
	for (size_t i = 0; i < json_array_size(ops); i++) {
		const char *op = json_string_value(json_array_get(ops, i));

		buf_printf(&b, "%s%s", i ? ", " : "", op ? PLAIN(op) : "?");
	}
	terminal_wrap(out, 2, 0, columns, b.data && !b.failed ? b.data : "No single node is blamed.");
	buf_release(&b);
}

void findings_say_numbers(FILE *out, const json_t *evidence, const char *key, size_t columns)
{
	const json_t *j = json_object_get(evidence, key);
	char text[MAX_TEXT], distance[96];
	double beyond = evidence_number(json_object_get(j, "beyond")), got = evidence_number(json_object_get(j, "got"));
	double exact = evidence_number(json_object_get(j, "exact"));
	int digits = digits_of_pair(got, exact);

	if (!json_is_object(j))
		return;
	evidence_distance(j, distance, sizeof distance);
	if (*json_text_at(j, "told")) /* strings, and integers that doubles have not all of */
		snprintf(text, sizeof text, "'%s', %s; %.0f element%s not equal", PLAIN(json_text_at(j, "output")),
			 PLAIN(json_text_at(j, "told")), beyond, beyond == 1 ? " is" : "s are");
	else
		snprintf(text, sizeof text,
			 "'%s', element %.0f: got %.*g, expected %.*g, %s; %.0f element%s beyond rounding",
			 PLAIN(json_text_at(j, "output")), evidence_number(json_object_get(j, "element")), digits, got,
			 digits, exact, distance, beyond, PLURAL(beyond));
	if (beyond == 0) /* no element is: it is another type, shape or kind of value */
		snprintf(text, sizeof text, "'%s' has another type or shape than expected",
			 PLAIN(json_text_at(j, "output")));
	terminal_wrap(out, 2, 0, columns, text);
}

/* Where sayings go. */
struct evidence_page {
	FILE *out;
	size_t columns;
};

static void say_one(const char *blamer, const char *text, void *arg)
{
	const struct evidence_page *p = arg;
	char line[MAX_TEXT + 16];

	snprintf(line, sizeof line, "%-9s %s", blamer, text);
	terminal_wrap(p->out, 2, 10, p->columns, line);
}

void findings_say_evidence(FILE *out, const json_t *evidence, size_t columns)
{
	struct buf b;

	buf_init(&b, MAX_TEXT);
	evidence_each_saying(evidence, MOST, say_one, &(struct evidence_page){out, columns});
	if (*json_text_at(json_object_get(evidence, "blame"), "failed")) {
		buf_clear(&b);
		buf_printf(&b, "Blame failed: %s", json_text_at(json_object_get(evidence, "blame"), "failed"));
		terminal_wrap(out, 2, 0, columns, b.data && !b.failed ? b.data : "Blame failed");
	}
	if (json_is_true(json_object_get(evidence_find(evidence, "map"), "exposing_hides")))
		terminal_wrap(
			out, 2, 0, columns,
			"With its intermediate tensors exposed the library gives other outputs: an optimization that "
			"they prevent takes part.");
	buf_release(&b);
}
