/* json.c - what swap found, for programs (declared in report.h). */
#include "base/json.h"
#include "methods/swap/report.h"

const char *swap_culprit(const struct swap_report *r, const struct swap_op *op)
{
	return op->side == SWAP_BASE ? r->base->spec.name : r->test->spec.name;
}

/* ---- training ---------------------------------------------------------------------------------------------------- */

const char *train_verdict_word(const struct train_result *t)
{
	if (*t->cannot)
		return "not possible";
	return verdict_is_finding(t->verdict) ? verdict_name(t->verdict) : "rounding";
}

static json_t *judgement_json(const struct train_judgement *j)
{
	return json_pack("{s:o, s:s, s:o}", "parameter", json_text(j->parameter->name), "verdict",
			 verdict_name(j->judged.verdict), "noise_ratio", json_number(j->judged.ratio));
}

static json_t *steps_json(const struct train_result *t)
{
	json_t *steps = json_array();

	for (size_t i = 0; i < t->n; i++) {
		json_t *o = json_pack("{s:I, s:o, s:o}", "step", (json_int_t)i + 1, "gradient",
				      judgement_json(&t->steps[i].gradient), "way", judgement_json(&t->steps[i].way));

		if (o && t->update.used)
			json_object_set_new(o, "update", judgement_json(&t->steps[i].update));
		json_array_append_new(steps, o);
	}
	return steps;
}

/* The step where gradients or updates part; j without a parameter: the library failed on it. */
static json_t *parting_json(const struct swap_report *r, size_t parted, const struct train_judgement *j,
			    const struct swap_op *op)
{
	json_t *o = j->parameter ? judgement_json(j) : json_object();

	json_object_set_new(o, "step", json_integer((json_int_t)parted));
	json_object_set_new(o, "element", json_integer((json_int_t)j->judged.worst));
	json_object_set_new(o, "got", json_number(j->judged.got));
	json_object_set_new(o, "right", json_number(j->judged.exact));
	json_object_set_new(o, "node", op ? json_text(op->node->name) : json_null());
	json_object_set_new(o, "op", op ? json_text(op->node->op_type) : json_null());
	json_object_set_new(o, "backend", op ? json_text(swap_culprit(r, op)) : json_null());
	json_object_set_new(o, "verified",
			    op && op->effect != SWAP_UNTRIED ? json_boolean(op->effect == SWAP_GOES) : json_null());
	return o;
}

/* null: it was not asked for. */
static json_t *own_json(const struct swap_report *r)
{
	const struct train_update *u = &r->training->update;

	if (!r->train->own)
		return json_null();
	return json_pack("{s:b, s:o, s:I, s:o}", "used", u->used, "why_not",
			 *u->why_not ? json_text(u->why_not) : json_null(), "stand_ins", (json_int_t)u->stand_ins,
			 "parted",
			 u->parted ? parting_json(r, u->parted, &r->training->steps[u->parted - 1].update, u->culprit)
				   : json_null());
}

static json_t *training_json(const struct swap_report *r)
{
	const struct train_result *t = r->training;

	return json_pack("{s:s, s:o, s:s?, s:f, s:s, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:f}", "optimizer",
			 r->train->optimizer->name, "own_optimizer", own_json(r), "loss",
			 r->train->loss ? r->train->loss->name : NULL, "rate", t->rate, "verdict",
			 train_verdict_word(t), "parameters", (json_int_t)t->n_parameters, "stand_ins",
			 (json_int_t)t->stand_ins, "cannot", *t->cannot ? json_text(t->cannot) : json_null(), "stopped",
			 *t->stopped ? json_text(t->stopped) : json_null(), "parted",
			 t->parted ? parting_json(r, t->parted, &t->steps[t->parted - 1].gradient, t->culprit)
				   : json_null(),
			 "way_parted", t->way_parted ? json_integer((json_int_t)t->way_parted) : json_null(), "steps",
			 steps_json(t), "seconds", t->seconds);
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

static json_t *op_json(const struct swap_report *r, const struct swap_op *op, const struct kept *k)
{
	json_t *o =
		json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:b, s:b, s:b, s:I, s:o, s:o}", "rank", op->rank,
			  "node", json_text(op->node->name), "op", json_text(op->node->op_type), "backend",
			  json_text(swap_culprit(r, op)), "delta_c", json_number_or_null(op->delta_c), "delta_g",
			  json_number_or_null(op->delta_g), "noise_ratio", json_number_or_null(op->ratio), "verdict",
			  verdict_name(op->verdict), "gradient", op->gradient, "beyond", op->beyond, "both", op->both,
			  "together", (json_int_t)op->together, "verified",
			  op->effect == SWAP_UNTRIED ? json_null() : json_boolean(op->effect == SWAP_GOES), "reason",
			  json_text(op->reason));

	if (o && k->id)
		json_object_set_new(o, "finding", json_integer((json_int_t)k->id));
	if (o)
		json_object_set_new(o, "base",
				    json_text(op->home == SWAP_REFERENCE ? "reference" : r->base->spec.name));
	if (o && *op->lacking)
		json_object_set_new(o, "lacking", json_text(op->lacking));
	return o;
}

static json_t *counts_json(const struct party *base, const struct tally *of_base, const struct party *test,
			   const struct tally *of_test)
{
	const struct tally_row rows[2] = {{base->spec.name, *of_base}, {test->spec.name, *of_test}};

	return tally_rows_json(rows, 2);
}

json_t *swap_json(const struct swap_report *r)
{
	const struct swap_result *s = r->result;
	const struct tally counts[2] = {swap_tally(s, SWAP_BASE), swap_tally(s, SWAP_TEST)};
	json_t *ops = json_array(), *o;

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(ops, op_json(r, &s->ops[i], &r->kept[i]));
	o = json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:{s:f, s:f, s:f}}", "model",
		      json_text(r->model), "base", json_text(r->base->spec.name), "backend",
		      json_text(r->test->spec.name), "base_version", party_version(r->base), "version",
		      party_version(r->test), "verdict", verdict_name(s->verdict), "backend_verdict",
		      verdict_name(s->test_verdict), "gradients", s->gradients, "no_gradients",
		      *s->no_gradients ? json_text(s->no_gradients) : json_null(), "base_ratio",
		      json_number(s->base_ratio), "backend_ratio", json_number(s->test_ratio), "ops", ops, "seconds",
		      "total", s->seconds, "verification", s->verify_seconds, "backends", s->backend_seconds);
	if (o)
		json_object_set_new(o, "counts", counts_json(r->base, &counts[SWAP_BASE], r->test, &counts[SWAP_TEST]));
	if (o && r->training)
		json_object_set_new(o, "training", training_json(r));
	return o;
}

json_t *swap_untold_json(const struct swap_untold_report *r)
{
	const struct party *base = r->parties[SWAP_BASE], *test = r->parties[SWAP_TEST];
	const struct swap_untold *u = r->result;

	return json_pack("{s:o, s:o, s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:[]}", "model", json_text(r->model),
			 "base", json_text(base->spec.name), "backend", json_text(test->spec.name), "base_version",
			 party_version(base), "version", party_version(test), "verdict", verdict_name(u->verdict),
			 "base_verdict", verdict_name(u->outcomes[SWAP_BASE].verdict), "backend_verdict",
			 verdict_name(u->outcomes[SWAP_TEST].verdict), "reason",
			 json_text(u->outcomes[SWAP_TEST].reason), "differ",
			 *u->differ ? json_text(u->differ) : json_null(), "counts",
			 counts_json(base, &u->tallies[SWAP_BASE], test, &u->tallies[SWAP_TEST]), "ops");
}
