/* sarif.c - findings as SARIF 2.1.0, for code scanning services: one rule a kind, one result a cluster. */
#include <math.h>

#include "base/json.h"
#include "report/digest.h"
#include "report/evidence.h"
#include "report/report.h"
#include "report/text.h"

/* Kind, level, what it means. */
static const struct {
	enum verdict verdict;
	const char *level, *text;
} rules[] = {
	{VERDICT_WRONG, "error", "A library computes values that rounding does not explain."},
	{VERDICT_NAN, "error", "A library gives NaN or infinity where a number is expected."},
	{VERDICT_CRASH, "error", "A library ends its process."},
	{VERDICT_HANG, "error", "A library does not come back."},
	{VERDICT_OOM, "warning", "A library takes more memory than the case explains."},
	{VERDICT_PROTOCOL, "warning", "A library's worker sends a reply that is not valid."},
	{VERDICT_REJECTED, "warning", "A library refuses what is valid: a model, or a call of its own."},
	{VERDICT_ACCEPTED, "warning", "A library runs an invalid model."},
	{VERDICT_UNJUDGED, "none", "A library was judged on nothing."},
};

static const size_t n_rules = sizeof rules / sizeof *rules;

static json_t *rules_json(void)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n_rules; i++)
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:{s:s}, s:{s:s}}", "id", verdict_name(rules[i].verdict),
						"name", verdict_name(rules[i].verdict), "shortDescription", "text",
						rules[i].text, "defaultConfiguration", "level", rules[i].level));
	return list;
}

/* JSON has no infinity. */
static json_t *number_json(double x)
{
	char text[32];

	return isfinite(x) ? json_real(x) : json_string(text_number(x, text));
}

/* Where: the model as `assay findings export N -o finding-N` writes it, and in it the node. */
static json_t *location_json(const struct digest_cluster *c)
{
	const struct finding *f = &c->best;
	char uri[64];
	json_t *logical =
		json_pack("{s:o, s:o, s:s}", "name", text_json(*f->node ? f->node : digest_op(c)), "fullyQualifiedName",
			  text_json(*f->signature ? f->signature : digest_op(c)), "kind", "function");

	snprintf(uri, sizeof uri, "finding-%lld/model.onnx", (long long)f->id);
	return json_pack("{s:{s:{s:s}}, s:[o]}", "physicalLocation", "artifactLocation", "uri", uri, "logicalLocations",
			 logical);
}

static json_t *properties_json(const struct digest_cluster *c)
{
	const struct finding *f = &c->best;
	json_t *evidence = evidence_parse(f->evidence);
	json_t *p = json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:i, s:o}", "finding",
			      (json_int_t)f->id, "library", text_json(f->library), "version", text_json(f->version),
			      "backend", text_json(f->backend), "operator", text_json(f->op), "noiseRatio",
			      number_json(f->noise_ratio), "badSince", text_json(f->since), "goodAgain",
			      text_json(f->until), "command", text_json(f->command), "gradient", f->gradient, "nodes",
			      f->nodes, "guiltySwitch", text_json(evidence_string(evidence, "guilty")));

	json_decref(evidence);
	return p;
}

static json_t *result_json(const struct digest_cluster *c)
{
	const struct finding *f = &c->best;
	size_t rule = 0;
	struct buf text;
	json_t *result;

	while (rule + 1 < n_rules && rules[rule].verdict != f->verdict)
		rule++;
	buf_init(&text, 1 << 20);
	buf_printf(&text, "%s, %s: %s (%s)", f->library, digest_op(c), f->detail, digest_repro(c, f->id));
	result = json_pack("{s:s, s:i, s:s, s:{s:o}, s:[o], s:I, s:{s:o}, s:o}", "ruleId",
			   verdict_name(rules[rule].verdict), "ruleIndex", (int)rule, "level", rules[rule].level,
			   "message", "text", text_json(text.data ? text.data : ""), "locations", location_json(c),
			   "occurrenceCount", (json_int_t)c->findings.n, "partialFingerprints", "signature/v1",
			   text_json(f->signature), "properties", properties_json(c));
	buf_release(&text);
	return result;
}

/* A run in which a backend was judged on nothing: neither right nor wrong, but open. */
static json_t *hollow_json(const struct store_tally *t)
{
	struct buf text;
	json_t *result;

	buf_init(&text, 1 << 20);
	buf_printf(&text, "%s%s%s: ", t->method, *t->model ? " " : "", t->model);
	digest_why_hollow(t, &text);
	result = json_pack("{s:s, s:i, s:s, s:s, s:{s:o}, s:[{s:[{s:o, s:s}]}], s:{s:o, s:o, s:I, s:o}}", "ruleId",
			   verdict_name(VERDICT_UNJUDGED), "ruleIndex", (int)n_rules - 1, "kind", "open", "level",
			   "none", "message", "text", text_json(text.data ? text.data : ""), "locations",
			   "logicalLocations", "name", text_json(*t->model ? t->model : t->backend), "kind", "module",
			   "properties", "backend", text_json(t->backend), "model", text_json(t->model), "run",
			   (json_int_t)t->campaign, "counts", tally_json(&t->tally));
	buf_release(&text);
	return result;
}

int report_sarif(struct store *s, struct buf *out, struct err *e)
{
	struct digest d;
	json_t *results, *root;
	int rc = digest_make(s, &d, e);

	if (rc)
		return rc;
	results = json_array();
	for (size_t i = 0; i < d.clusters.n && !rc; i++)
		if (json_array_append_new(results, result_json(&d.clusters.at[i])))
			rc = err_nomem(e, "a report", 0);
	for (size_t i = 0; i < d.tallies.n && !rc; i++)
		if (tally_is_hollow(&d.tallies.at[i].tally) &&
		    json_array_append_new(results, hollow_json(&d.tallies.at[i])))
			rc = err_nomem(e, "a report", 0);
	digest_release(&d);
	root = json_pack("{s:s, s:s, s:[{s:{s:{s:s, s:s, s:o}}, s:s, s:o}]}", "$schema",
			 "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs", "tool", "driver",
			 "name", "assay", "version", ASSAY_VERSION, "rules", rules_json(), "columnKind",
			 "unicodeCodePoints", "results", results);
	json_write(out, root, JSON_INDENT(1));
	buf_puts(out, "\n");
	json_decref(root);
	return rc ? rc : buf_check(out, e);
}
