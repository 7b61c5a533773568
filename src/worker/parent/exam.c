/* exam.c - see exam.h; the checks are in exam_checks.c. */
#include "worker/parent/exam.h"

#include <stdio.h>
#include <string.h>

#include "worker/parent/internal_exam.h"
#include "worker/parent/internal_spec.h"
#include "worker/parent/spec.h"

const char *exam_result_name(enum exam_result r)
{
	static const char *const names[] = {[EXAM_OK] = "ok", [EXAM_FAILED] = "FAILED", [EXAM_NOT_TRIED] = "not tried"};

	return names[r];
}

/* The worker that a check finds is one that answers: what the one before has done to it is over. */
static int open_again(struct exam *c, const struct worker_spec *spec, const struct worker_limits *limits)
{
	if (c->w)
		return 1;
	if (c->gone)
		return 0;
	err_clear(&c->e);
	c->gone = worker_open(spec, limits, &c->w, &c->report, &c->e) != 0;
	return !c->gone;
}

int exam_worker(const struct worker_spec *spec, const struct worker_limits *limits, struct exam_lines *out,
		struct err *e)
{
	struct exam_lines made = {NULL, 0, 0};
	struct exam c = {.e = ERR_INIT};
	int failed = 0; /* to start, which is told once */

	for (const struct exam_check *k = exam_checks; k->name; k++) {
		struct exam_line line = {.name = k->name, .expected = k->expected};

		c.line = &line;
		if (!open_again(&c, spec, limits)) {
			line.result = failed ? EXAM_NOT_TRIED : EXAM_FAILED;
			snprintf(line.got, sizeof line.got, "%.500s", failed ? "" : c.e.msg);
			failed = 1;
		} else {
			line.result = k->run(&c) ? EXAM_OK : EXAM_FAILED;
		}
		if (vec_push(&made, line)) {
			worker_close(c.w);
			vec_release(&made);
			return err_nomem(e, "a list of checks", 0);
		}
	}
	worker_close(c.w);
	*out = made;
	return 0;
}

static int names_backend(const char *word)
{
	char name[64];

	return snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "@:="), word) < (int)sizeof name &&
	       spec_find(name) != NULL;
}

int exam_command(const char *const *words, size_t n, const struct exam_request *q, struct exam_lines *out,
		 struct err *e)
{
	struct worker_spec spec;
	struct buf name;
	int rc;

	if (!n)
		return err_set(e, ERR_USAGE, "worker-test needs a command; see 'assay help worker-test'");
	buf_init(&name, SPEC_PATH);
	buf_puts(&name, n == 1 && (names_backend(words[0]) || spec_is_command(words[0])) ? "" : "exec:");
	for (size_t i = 0; i < n; i++) {
		buf_puts(&name, i ? " " : "");
		if (n == 1)
			buf_puts(&name, words[i]); /* a whole command in one word, or a backend */
		else
			buf_quote(&name, words[i]);
	}
	rc = buf_check(&name, e);
	if (!rc)
		rc = spec_make(name.data, &spec, e);
	buf_release(&name);
	if (rc)
		return rc;
	rc = exam_worker(&spec, &q->limits, out, e);
	spec_release(&spec);
	return rc;
}

void exam_release(struct exam_lines *l)
{
	vec_release(l);
}

/* ---- for people and programs ------------------------------------------------------------------------------------- */

size_t exam_count(const struct exam_lines *l, enum exam_result r)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n; i++)
		n += l->at[i].result == r;
	return n;
}

static void put_lines(const struct exam_lines *l, struct buf *out)
{
	for (size_t i = 0; i < l->n; i++) {
		const struct exam_line *line = &l->at[i];

		if (line->result != EXAM_FAILED)
			buf_printf(out, "%s: %s\n", line->name, exam_result_name(line->result));
		else
			buf_printf(out, "%s: %s: expected %s, got: %s\n", line->name, exam_result_name(line->result),
				   line->expected, line->got);
	}
	buf_printf(out, "%zu checks: %zu ok, %zu failed, %zu not tried\n", l->n, exam_count(l, EXAM_OK),
		   exam_count(l, EXAM_FAILED), exam_count(l, EXAM_NOT_TRIED));
}

int exam_write(const struct exam_lines *l, FILE *out)
{
	struct buf text;
	int rc;

	buf_init(&text, (size_t)1 << 20);
	put_lines(l, &text);
	rc = text.failed || fwrite(text.data, 1, text.len, out) != text.len ? -1 : 0;
	buf_release(&text);
	return rc;
}

json_t *exam_json(const struct exam_lines *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:o}", "check", l->at[i].name, "result",
						      exam_result_name(l->at[i].result), "expected", l->at[i].expected,
						      "got", json_text(l->at[i].got)));
	return json_pack("{s:o}", "checks", list);
}
