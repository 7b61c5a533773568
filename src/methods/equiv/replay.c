/* replay.c - a stored finding run again and judged as equiv judged it; see again.h. */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "methods/equiv/again.h"
#include "methods/equiv/derive.h"
#include "triage/subject.h"

#define MAX_SIDES ((size_t)1 << 20)

struct replaying {
	const struct finding *f;
	json_t *evidence;
	const json_t *again; /* of the evidence */
	struct arena arena;
	struct registry registry;
	struct equiv_pair pair;
	struct equiv_options o;
	struct equiv_result result;
	struct worker_spec specs[2]; /* of the sides; one serves both where their option sets are the same */
	struct caller callers[2];
	struct err *err;
};

static void replaying_release(struct replaying *x)
{
	for (int i = 0; i < 2; i++) {
		worker_close(x->callers[i].worker);
		caller_release(&x->callers[i]);
		spec_release(&x->specs[i]);
	}
	equiv_result_release(&x->result);
	registry_release(&x->registry);
	arena_release(&x->arena);
	json_decref(x->evidence);
}

/* ---- what the store says ----------------------------------------------------------------------------------------- */

static int same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Option sets are the library's own pairs; a rule without them has none. */
static int choose_sets(struct replaying *x)
{
	const struct rule_every *every = json_is_true(json_object_get(x->again, "row")) ? NULL : x->pair.rule->every;
	const struct library *l = library_find(x->f->backend);
	const char *a = json_string_value(json_object_get(x->evidence, "set_a"));
	const char *b = json_string_value(json_object_get(x->evidence, "set_b"));
	const struct library_pair versions = {PAIR_VERSIONS, NULL, b, 1};
	int named = b && ((strchr(b, '@') && library_find(b) == l) || spec_find_set(x->f->backend, b, strlen(b)));

	if (every && every->sets == PAIR_VERSIONS && l && !a && named) {
		equiv_choose_sets(&x->pair, l, &versions);
		return 0;
	}
	if (!every || every->sets == PAIR_NONE)
		return a || b ? err_set(x->err, ERR_INPUT, "rule %d has no option sets", x->pair.rule->number) : 0;
	for (const struct library_pair *p = l ? l->pairs : NULL; p && p->kind != PAIR_NONE; p++)
		if (p->kind == every->sets && same_text(p->a, a) && same_text(p->b, b)) {
			equiv_choose_sets(&x->pair, l, p);
			return 0;
		}
	return err_set(x->err, ERR_INPUT, "%s has no option sets '%s' and '%s' that must agree", x->f->backend,
		       a ? a : "", b ? b : "");
}

static int read_evidence(struct replaying *x)
{
	char number[32];

	x->evidence = json_loads(x->f->evidence, 0, NULL);
	x->again = json_object_get(x->evidence, "again");
	if (!json_is_object(x->again))
		return err_set(x->err, ERR_INPUT,
			       "it was recorded without its tensors, by an older assay; to see it again: %s",
			       x->f->command);
	snprintf(number, sizeof number, "%d", (int)json_integer_value(json_object_get(x->evidence, "rule")));
	x->pair.rule = rule_find(number);
	if (!x->pair.rule)
		return err_set(x->err, ERR_INPUT, "there is no rule %s", number);
	x->pair.name = x->f->op;
	x->o = (struct equiv_options){.limits = equiv_limits(),
				      .atol = json_number_value(json_object_get(x->again, "atol")),
				      .rtol = json_number_value(json_object_get(x->again, "rtol")),
				      .plant = json_is_true(json_object_get(x->again, "plant"))};
	return choose_sets(x);
}

/* ---- both sides -------------------------------------------------------------------------------------------------- */

static int open_sides(struct replaying *x, const char *typed, const char *backend, const char *folder)
{
	int two = x->pair.sets[0] != x->pair.sets[1], rc = 0;
	struct worker_report report;
	char full[EQUIV_NAME];

	for (int i = 0; i <= two && !rc; i++) {
		equiv_name_side(typed ? typed : backend, x->pair.sets[i], full);
		rc = typed ? spec_make(full, &x->specs[i], x->err) : spec_make_found(full, &x->specs[i], x->err);
		if (!rc && spec_is_reference(&x->specs[i]))
			rc = err_set(x->err, ERR_USAGE, "the reference has no operations of its own: name a library");
		if (!rc)
			rc = worker_open(&x->specs[i], &x->o.limits, &x->callers[i].worker, &report, x->err);
	}
	return rc ? rc : registry_open(&x->registry, x->specs[0].backend, folder, &x->callers[0], x->err);
}

static int is_side(const struct replaying *x, const char *side, const struct expr *found)
{
	struct buf text;
	int same;

	buf_init(&text, MAX_SIDES);
	expr_print(found, &text);
	same = !strcmp(text.data ? text.data : "", json_text_at(x->evidence, side));
	buf_release(&text);
	return same;
}

static int take_row(const struct equiv_pair *p, void *arg)
{
	struct replaying *x = arg;

	if (!x->pair.a && !strcmp(p->name, x->pair.name) && is_side(x, "a", p->a) && is_side(x, "b", p->b)) {
		x->pair.a = p->a;
		x->pair.b = p->b;
	}
	return 0;
}

static int find_row(struct replaying *x, const char *folder)
{
	int rc = equiv_rows(x->pair.rule, x->registry.dialect->name, folder, &x->arena, take_row, x, x->err);

	if (!rc && !x->pair.a)
		rc = err_set(x->err, ERR_INPUT, "rule %d has no such row for %s any more", x->pair.rule->number,
			     x->pair.name);
	return rc;
}

/* The call of an operation that the library has, *out, and what its gradients are given. */
static int find_call(struct replaying *x, struct expr **out, uint32_t *heads)
{
	const struct bindings none = {0};
	struct registry *r = &x->registry;
	struct expr *a = NULL;
	int rc;

	for (size_t i = 0; i < r->n && !x->pair.api; i++)
		if (!strcmp(r->apis[i].op->name, x->pair.name))
			x->pair.api = &r->apis[i];
	if (!x->pair.api || !x->pair.rule->every)
		return err_set(x->err, ERR_INPUT, "%s %s has no operation %s", r->backend, r->version, x->pair.name);
	rc = expr_parse(json_text_at(x->evidence, "a"), &x->arena, &a, x->err);
	if (!rc && x->pair.rule->every->of_call && a->n && derive_find(a->text)) { /* "derivative(call, 5)" */
		*heads = derive_heads(a, &none);
		a = a->items[0];
	}
	if (!rc)
		rc = again_check(x->pair.api, a, x->err);
	if (rc)
		return rc;
	a->output = EXPR_ALL_OUTPUTS;
	*out = a;
	return 0;
}

/* ---- the judgement ----------------------------------------------------------------------------------------------- */

static int judge(struct replaying *x, const char *folder)
{
	struct eval sides[2] = {{.invoke = eval_invoke_worker, .library = &x->callers[0]},
				{.invoke = eval_invoke_worker, .library = &x->callers[x->callers[1].worker != NULL]}};
	struct pair_run r = {.registry = &x->registry,
			     .pair = &x->pair,
			     .sides = sides,
			     .o = &x->o,
			     .result = &x->result,
			     .err = x->err};
	int row = json_is_true(json_object_get(x->again, "row")), accepted;
	struct equiv_input in = {0};
	struct expr *call = NULL;
	int rc = row ? find_row(x, folder) : find_call(x, &call, &in.heads);

	if (!rc)
		rc = again_read(x->again, &x->arena, &in.in_a, x->err);
	if (rc)
		return rc;
	if (row) {
		in.a = x->pair.a;
		in.b = x->pair.b;
		bindings_copy(&in.in_a, &in.in_b);
	} else {
		rc = pair_complete(&r, call, &x->arena, &in);
	}
	if (rc)
		return rc;
	if (!row && x->pair.rule->every->spoil) /* that is why it was stored */
		in.spoiled = x->f->verdict == VERDICT_ACCEPTED ? EQUIV_SPOILED_FIRMLY : EQUIV_SPOILED;
	if (in.b)
		rc = pair_judge(&r, &in, 0, &accepted);
	eval_forget_gradients(&sides[0]);
	eval_forget_gradients(&sides[1]);
	bindings_release(&in.in_a);
	bindings_release(&in.in_b);
	return rc;
}

/* What is no finding, by what was counted. */
static void say_none(const struct equiv_result *r, struct equiv_replay *out)
{
	const struct {
		size_t n;
		enum verdict verdict;
		const char *why;
	} ends[] = {
		{r->equal, VERDICT_AGREE, "both sides agree"},
		{r->rounding, VERDICT_ROUNDING, "rounding of the inputs moves the results as far as they are apart"},
		{r->random, VERDICT_FLAKY, "a side does not give the same bits when it is run again"},
		{r->limited, VERDICT_UNJUDGED, "a side took more time or memory than it may"},
		{r->one_sided + r->refused, VERDICT_UNSUPPORTED, r->said},
		{r->invalid, VERDICT_UNSPECIFIED, "its arguments are outside of what is documented"},
		{r->untold, VERDICT_UNSPECIFIED, "the two differ, and the operation promises nothing"},
		{1, VERDICT_FLAKY, "a process ended, and did not do so again"},
	};
	size_t i = 0;

	while (!ends[i].n)
		i++;
	out->verdict = ends[i].verdict;
	snprintf(out->reason, sizeof out->reason, "%s", ends[i].why);
}

static void put_sides(const struct replaying *x, struct buf *out)
{
	for (int i = 0; i < 2; i++) {
		const char *set = x->pair.sets[i];

		buf_printf(out, "  %c%s%s%s: %s\n", "ab"[i], set ? " (" : "", set ? set : "", set ? ")" : "",
			   json_text_at(x->evidence, i ? "b" : "a"));
	}
}

static void say(const struct replaying *x, struct equiv_replay *out)
{
	const struct equiv_finding *found = x->result.found;

	for (int k = 0; k < EQUIV_KINDS - 1 && !verdict_is_finding(found->verdict); k++)
		found++;
	snprintf(out->version, sizeof out->version, "%s", x->registry.version);
	buf_init(&out->sides, MAX_SIDES);
	put_sides(x, &out->sides);
	out->oracle = out->wrong_side = "";
	if (!verdict_is_finding(found->verdict)) {
		say_none(&x->result, out);
		return;
	}
	out->verdict = found->verdict;
	out->ratio = found->ratio;
	out->oracle = equiv_oracle(found);
	out->wrong_side = equiv_wrong_side(found);
	snprintf(out->reason, sizeof out->reason, "%s", found->detail);
}

int equiv_replay(const struct finding *f, const char *backend, const char *folder, struct equiv_replay *out,
		 struct err *e)
{
	struct replaying x = {.f = f, .arena = ARENA_INIT, .err = e};
	char found[EQUIV_NAME];
	int rc = read_evidence(&x);

	*out = (struct equiv_replay){0};
	subject_name_backend(f, found, sizeof found);
	if (!rc)
		rc = open_sides(&x, backend, found, folder);
	if (!rc)
		rc = judge(&x, folder);
	if (!rc) {
		snprintf(out->backend, sizeof out->backend, "%s", backend ? backend : found);
		say(&x, out);
	} else {
		err_prefix(e, "finding %lld", (long long)f->id);
	}
	replaying_release(&x);
	return rc;
}

void equiv_replay_release(struct equiv_replay *r)
{
	buf_release(&r->sides);
	*r = (struct equiv_replay){0};
}
