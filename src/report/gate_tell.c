/* gate_tell.c - what a gate found, for programs and build servers (see gate.h). */
#include <string.h>

#include "base/json.h"
#include "base/map.h"
#include "report/gate_rows.h"
#include "report/text.h"

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

static json_t *row_json(const struct gate_row *r)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "state", gate_state_names[r->state],
			 "model", json_text(r->model), "backend", json_text(r->backend), "verdict",
			 json_text(r->verdict), "before", *r->before ? json_text(r->before) : json_null(), "op",
			 json_text(r->op), "signature", json_text(r->signature), "note", json_text(r->note), "reason",
			 json_text(r->reason), "models_with_op", (json_int_t)r->uses);
}

static json_t *stale_json(const struct gate_expected *x)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "op", json_text(x->op), "verdict", json_text(x->verdict), "model",
			 json_text(x->model), "backend", json_text(x->backend), "reason", json_text(x->reason));
}

json_t *gate_json(const struct gate *g, int strict)
{
	json_t *rows = json_array(), *stale = json_array(), *root;

	for (size_t i = 0; i < g->rows.n; i++)
		json_array_append_new(rows, row_json(&g->rows.at[i]));
	for (size_t i = 0; i < g->expected.n; i++)
		if (g->expected.at[i].tried && !g->expected.at[i].met)
			json_array_append_new(stale, stale_json(&g->expected.at[i]));
	root = json_pack("{s:b, s:o, s:o}", "red", gate_is_red(g, strict), "rows", rows, "no_longer_fail", stale);
	if (root)
		json_object_set_new(root, "not_run", json_integer((json_int_t)g->not_run));
	for (int i = 0; root && i < GATE_STATES; i++)
		json_object_set_new(root, gate_state_names[i], json_integer((json_int_t)g->counts[i]));
	return root;
}

/* ---- JUnit: a suite a backend, a test a model -------------------------------------------------------------------- */

/* What is known already is skipped: a build server shows it and stays green. */
static void put_row(struct buf *out, const struct gate_row *r)
{
	int unjudged = r->state == GATE_RIGHT && !gate_row_is_right(r);
	int known = r->state == GATE_STILL || r->state == GATE_EXPECTED || unjudged;

	buf_puts(out, "    <testcase");
	text_attribute(out, "name", r->model);
	text_attribute(out, "classname", r->backend);
	buf_puts(out, " time=\"0\"");
	if (r->state != GATE_NEW && !known) {
		buf_puts(out, "/>\n");
		return;
	}
	buf_printf(out, ">\n      <%s", known ? "skipped" : "failure");
	if (!known) {
		text_attribute(out, "message", r->note);
		text_attribute(out, "type", r->verdict);
	}
	buf_puts(out, ">");
	text_put(out, unjudged ? "not judged" : known ? gate_state_names[r->state] : r->note);
	buf_puts(out, ": ");
	text_put(out, r->verdict);
	buf_puts(out, *r->op ? " at " : "");
	text_put(out, r->op);
	buf_puts(out, *r->reason ? ": " : "");
	text_put(out, r->reason);
	buf_printf(out, "</%s>\n    </testcase>\n", known ? "skipped" : "failure");
}

static void put_suite(struct buf *out, const struct gate *g, const char *backend, size_t number)
{
	size_t tests = 0, failures = 0;

	for (size_t i = 0; i < g->rows.n; i++) {
		int here = !strcmp(g->rows.at[i].backend, backend);

		tests += (size_t)here;
		failures += here && g->rows.at[i].state == GATE_NEW;
	}
	buf_puts(out, "  <testsuite");
	text_attribute(out, "name", backend);
	buf_printf(
		out,
		" package=\"assay\" id=\"%zu\" timestamp=\"1970-01-01T00:00:00\" hostname=\"localhost\" tests=\"%zu\" "
		"failures=\"%zu\" errors=\"0\" time=\"0\">\n    <properties>\n      <property name=\"tool\" "
		"value=\"assay " ASSAY_VERSION "\"/>\n    </properties>\n",
		number, tests, failures);
	for (size_t i = 0; i < g->rows.n; i++)
		if (!strcmp(g->rows.at[i].backend, backend))
			put_row(out, &g->rows.at[i]);
	buf_puts(out, "    <system-out/>\n    <system-err/>\n  </testsuite>\n");
}

int gate_junit(const struct gate *g, struct buf *out, struct err *e)
{
	struct map seen = MAP_INIT;
	size_t n = 0;
	int rc = 0;

	buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
	for (size_t i = 0; i < g->rows.n && !rc; i++) {
		const char *backend = g->rows.at[i].backend;

		if (map_get(&seen, backend))
			continue;
		if (map_put(&seen, backend, out))
			rc = err_nomem(e, "a report", 0);
		put_suite(out, g, backend, n++);
	}
	buf_puts(out, "</testsuites>\n");
	map_release(&seen);
	return rc ? rc : buf_check(out, e);
}
