/* finding_json.c - a finding as JSON, and the command that runs it again. */
#include <string.h>

#include "base/json.h"
#include "report/evidence.h"
#include "report/finding.h"
#include "worker/parent/spec.h"

#define MAX_REPRO 8192

/* A library that does not read ONNX was told the model by calls of its own. */
static int is_told_by_calls(const struct finding *f)
{
	json_t *evidence = evidence_parse(f->evidence);
	int told = finding_is_call(f) || *json_text_at(json_object_get(evidence, "proof"), "call");

	json_decref(evidence);
	return told;
}

const char *finding_does(const struct finding *f)
{
	static const char *const does[] = {
		[VERDICT_AGREE] = "agrees",
		[VERDICT_ROUNDING] = "differs by rounding",
		[VERDICT_VACUOUS] = "agrees on an output that proves little",
		[VERDICT_PRECISION] = "differs by what approximated functions are off by",
		[VERDICT_EXPLAINED] =
			"differs by what a lower precision, a quantization step, or a variance in one pass makes",
		[VERDICT_UNSUPPORTED] = "does not support the model",
		[VERDICT_UNJUDGED] = "runs, and there is nothing to judge it by",
		[VERDICT_UNSPECIFIED] = "differs where ONNX leaves it open",
		[VERDICT_FLAKY] = "does not give the same answer again",
		[VERDICT_UNPROVEN] = "differs, and nobody knows what it was asked",
		[VERDICT_OURS] = "differs because of a defect of assay itself",
		[VERDICT_WRONG] = "gives wrong numbers",
		[VERDICT_NAN] = "gives NaN or infinity where a number is expected",
		[VERDICT_CRASH] = "crashes",
		[VERDICT_HANG] = "hangs",
		[VERDICT_OOM] = "runs out of memory",
		[VERDICT_PROTOCOL] = "has a worker that answers nonsense",
		[VERDICT_REJECTED] = "refuses a valid model",
		[VERDICT_ACCEPTED] = "runs an invalid model",
	};

	if (f->verdict == VERDICT_REJECTED && is_told_by_calls(f))
		return "refuses a valid call";
	return f->gradient && f->verdict == VERDICT_WRONG ? "gives wrong gradients" : does[f->verdict];
}

/* Calls that were recorded with their tensors are replayed, as cases are. */
static int is_replayed(const struct finding *f)
{
	json_t *evidence = finding_is_call(f) ? evidence_parse(f->evidence) : NULL;
	int replayed = !finding_is_call(f) || json_is_object(json_object_get(evidence, "again"));

	json_decref(evidence);
	return replayed;
}

void finding_repro(const struct finding *f, const struct store *s, struct buf *out)
{
	if (!is_replayed(f)) {
		buf_puts(out, f->command);
		return;
	}
	finding_command(f, s, "replay", out);
	spec_type(f->backend, out);
}

void finding_command(const struct finding *f, const struct store *s, const char *words, struct buf *out)
{
	store_command(s, words, f->id, out);
}

/* Evidence as the object it is; text that is no JSON as a string. */
static json_t *evidence_json(const char *text)
{
	json_t *j = *text ? json_loads(text, JSON_DECODE_ANY, NULL) : json_object();

	return j ? j : json_text(text);
}

static json_t *repro_json(const struct finding *f, const struct store *s)
{
	struct buf b;
	json_t *text;

	buf_init(&b, MAX_REPRO);
	finding_repro(f, s, &b);
	text = json_text(b.data && !b.failed ? b.data : "");
	buf_release(&b);
	return text;
}

json_t *finding_json(const struct finding *f, const struct store *s)
{
	json_t *j = json_pack("{s:I, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:o, s:i, s:o}", "id", (json_int_t)f->id,
			      "signature", json_text(f->signature), "method", json_text(f->method), "backend",
			      json_text(f->backend), "version", json_text(f->version), "verdict",
			      verdict_name(f->verdict), "op", json_text(f->op), "node", json_text(f->node),
			      "noise_ratio", json_number(f->noise_ratio), "nodes", f->nodes, "repro", repro_json(f, s));
	json_t *more = json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:I, s:i, s:o, s:o, s:f, s:I, s:I}", "library",
				 json_text(f->library), "gradient", f->gradient, "parameter", json_text(f->parameter),
				 "detail", json_text(f->detail), "evidence", evidence_json(f->evidence), "command",
				 json_text(f->command), "seed", (json_int_t)f->seed, "original_nodes",
				 f->original_nodes, "since", json_text(f->since), "until", json_text(f->until), "time",
				 f->time, "cluster", (json_int_t)f->cluster, "campaign", (json_int_t)f->campaign);

	if (j && more)
		json_object_update(j, more);
	if (!more) {
		json_decref(j);
		j = NULL;
	}
	json_decref(more);
	return j;
}
