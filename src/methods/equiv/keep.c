/* keep.c - what equiv found: counted, on its way to the store, and in files (declared in equiv.h). */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/place.h"
#include "methods/equiv/equiv.h"

#define MAX_COMMAND 65536

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static int is_busy(const struct equiv *q, size_t pair)
{
	return q->busy && q->busy[pair];
}

/* Pairs of an operation lie apart, one for each rule: marks are by its place in the registry. */
static void count_apis(const struct equiv *q, struct equiv_totals *t)
{
	char *tried = mem_zalloc(q->registry.n + 1), *reached = mem_zalloc(q->registry.n + 1);

	for (size_t i = 0; tried && reached && i < q->n; i++) {
		size_t at = q->pairs[i].api ? (size_t)(q->pairs[i].api - q->registry.apis) : 0;

		if (is_busy(q, i) || !q->pairs[i].api || !q->results[i].calls) /* a rule may fit none of its calls */
			continue;
		tried[at] = 1;
		reached[at] |= q->results[i].calls > q->results[i].refusals;
	}
	for (size_t i = 0; tried && reached && i < q->registry.n; i++) {
		t->apis += (size_t)tried[i];
		t->reached += (size_t)reached[i];
	}
	mem_free(tried);
	mem_free(reached);
}

int equiv_is_inner(const struct equiv_finding *f)
{
	return verdict_is_finding(f->verdict) && f->class == CLASS_INTERNAL;
}

int equiv_is_finding(const struct equiv_finding *f)
{
	return verdict_is_finding(f->verdict) && f->class != CLASS_INTERNAL;
}

static void count_finding(const struct equiv_pair *p, const struct equiv_finding *f, struct equiv_totals *t)
{
	t->shown += f->shown;
	if (!verdict_is_finding(f->verdict))
		return;
	t->classes[f->class]++;
	if (equiv_is_inner(f)) {
		t->inner++;
		return;
	}
	t->findings++;
	if (!t->last || f->at > t->last_at) {
		t->last = p;
		t->last_at = f->at;
	}
}

int equiv_is_open(const struct equiv *q)
{
	for (size_t i = 0; i < q->n; i++)
		if (!q->results[i].done)
			return 1;
	return 0;
}

struct equiv_totals equiv_totals(const struct equiv *q)
{
	struct equiv_totals t = {.pairs = q->n};

	for (size_t i = 0; i < q->n; i++) {
		const struct equiv_result *r = &q->results[i];

		if (is_busy(q, i))
			continue;
		t.run += (size_t)r->run;
		t.inputs += r->inputs;
		t.calls += r->calls;
		t.valid += r->calls - r->refusals;
		t.equal += r->equal;
		t.rounding += r->rounding;
		t.random += r->random;
		t.one_sided += r->one_sided;
		t.waiting += (size_t)r->waits;
		t.alone += r->alone > 0;
		t.invalid += r->invalid;
		t.untold += r->untold;
		t.unshown += r->unshown;
		t.judged += r->equal + r->rounding + r->random + r->untold + r->found[EQUIV_DIFFERENCE].shown;
		for (int k = 0; k < EQUIV_KINDS; k++)
			count_finding(&q->pairs[i], &r->found[k], &t);
		t.compared += r->equal || r->rounding || r->random || r->found[EQUIV_DIFFERENCE].shown ||
			      r->found[EQUIV_FAILURE].shown;
	}
	count_apis(q, &t);
	return t;
}

/* Each finding was run again, each random result was found so. */
struct store_progress equiv_progress(const struct equiv *q, const struct equiv_totals *t)
{
	return (struct store_progress){q->registry.n ? 100 * (double)t->reached / (double)q->registry.n : NAN,
				       (int64_t)(t->shown + t->random), (int64_t)t->shown};
}

struct tally equiv_tally(const struct equiv *q)
{
	struct tally t = {0};

	for (size_t i = 0; i < q->n; i++) {
		const struct equiv_result *r = &q->results[i];
		size_t held;

		if (is_busy(q, i))
			continue;
		held = r->equal + r->rounding + r->found[EQUIV_DIFFERENCE].shown;
		t.given += r->inputs;
		t.ran += held + r->random + r->untold;
		t.judged += held + r->found[EQUIV_FAILURE].shown;
		if (r->found[EQUIV_REFUSAL].verdict == VERDICT_ACCEPTED)
			t.judged += r->found[EQUIV_REFUSAL].shown;
		t.unsupported += r->refused + r->one_sided;
		t.vacuous += r->random;
	}
	t.unjudged = t.given - t.judged - t.unsupported - t.vacuous;
	return t;
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

void equiv_repro(const struct equiv *q, size_t pair, const struct equiv_options *o, struct buf *out)
{
	buf_puts(out, "assay equiv -b ");
	buf_quote(out, q->spec.name);
	buf_printf(out, " --rule %d --api '%s' --seed %" PRIu64, q->pairs[pair].rule->number, q->pairs[pair].name,
		   o->seed);
	if (o->inputs && o->inputs != EQUIV_INPUTS)
		buf_printf(out, " --inputs %zu", o->inputs);
	if (o->against)
		buf_printf(out, " --against %s", o->against);
	buf_puts(out, o->plant ? " --plant" : "");
}

int equiv_keep(const struct equiv *q, size_t pair, struct equiv_finding *f, void *arg, struct err *e)
{
	const struct equiv_pair *p = &q->pairs[pair];
	struct equiv_keeper *k = arg;
	struct buf command;
	char class[256];
	struct keep_call call = {.spec = &q->spec,
				 .version = q->version,
				 .operation = p->name,
				 .class = class,
				 .verdict = f->verdict,
				 .ratio = f->ratio,
				 .repeats = f->repeats,
				 .detail = f->detail,
				 .seed = k->o->seed,
				 .inputs = {f->inputs.data ? f->inputs.data : "", f->inputs.len},
				 .id = f->id,
				 .own = f->own};
	struct kept kept;
	int rc;

	if (f->verdict == VERDICT_WRONG)
		snprintf(class, sizeof class, "rule %d%s%s", p->rule->number, p->sets[1] ? "/" : "",
			 p->sets[1] ? p->sets[1] : "");
	else /* an operation that dies does so by whatever rule it is called */
		snprintf(class, sizeof class, "call");
	buf_init(&command, MAX_COMMAND);
	equiv_repro(q, pair, k->o, &command);
	call.command = command.data ? command.data : "";
	call.evidence = json_pack("{si, ss?, ss?, so, so, so, ss, ss, ss, ss, sO?}", "rule", p->rule->number, "set_a",
				  p->sets[0], "set_b", p->sets[1], "a", json_text(f->a), "b", json_text(f->b), "script",
				  json_text(f->script ? f->script : ""), "oracle", equiv_oracle(f), "wrong_side",
				  equiv_wrong_side(f), "class", equiv_class_name(f->class), "class_reason", f->why,
				  "again", f->again);
	rc = call.evidence ? keep_call(&k->keeper, &call, &kept, e) : err_nomem(e, "evidence", 0);
	if (!rc) {
		f->own = kept.added || (f->own && f->id == kept.id);
		f->id = kept.id;
	}
	json_decref(call.evidence);
	buf_release(&command);
	return rc;
}

static int save_one(const struct equiv_finding *f, const char *folder, size_t number, struct err *e)
{
	char path[PLACE_PATH];
	int rc = place_path(path, e, "%s/%zu", folder, number);

	if (!rc)
		rc = place_make_folder(path, e);
	if (!rc && f->script && !(rc = place_path(path, e, "%s/%zu/repro.py", folder, number)))
		rc = buf_write_file(f->script, strlen(f->script), path, e);
	if (!rc && !(rc = place_path(path, e, "%s/%zu/inputs.npz", folder, number)))
		rc = buf_write_file(f->inputs.data ? f->inputs.data : "", f->inputs.len, path, e);
	return rc;
}

int equiv_save(const struct equiv *q, const char *folder, struct err *e)
{
	int rc = place_make_folder(folder, e);
	size_t number = 0;

	for (size_t i = 0; i < EQUIV_KINDS * q->n && !rc; i++) {
		const struct equiv_finding *f = &q->results[i / EQUIV_KINDS].found[i % EQUIV_KINDS];

		if (verdict_is_finding(f->verdict))
			rc = save_one(f, folder, ++number, e);
	}
	return rc;
}
