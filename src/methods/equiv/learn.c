/* learn.c - see learn.h. */
#include "methods/equiv/learn.h"

#include "base/hash.h"

#define REFUSALS 8  /* in a row: the plan is dropped */
#define OF_A_RUN 16 /* plans that a run adds up to */
#define USUAL 8     /* plans that are kept whatever they hold; a further one must hold something new when looked for */

static int has_empty(const struct bindings *b)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].tensor->kind == VALUE_TENSOR && !b->at[i].tensor->tensor->count)
			return 1;
	return 0;
}

static int note_part(struct equiv_result *r, uint64_t part)
{
	for (size_t i = 0; i < r->n_parts; i++)
		if (r->parts[i] == part)
			return 0;
	if (r->n_parts < EQUIV_PARTS)
		r->parts[r->n_parts++] = part;
	return 1;
}

/* Whether a call has what none before had: a parameter that may be left out, an element type, a word with that type. */
static int note_parts(struct equiv_result *r, const struct expr *call, const struct bindings *in)
{
	uint64_t first = 0;
	int new = 0;

	for (size_t i = in->n; i-- > 0;)
		if (in->at[i].tensor->kind == VALUE_TENSOR) {
			first = hash_number(HASH_BEGIN, (uint64_t)in->at[i].tensor->tensor->dtype);
			new |= note_part(r, hash_number(first, i));
		}
	for (size_t i = 0; i < call->n; i++) {
		const struct expr *x = call->items[i];
		uint64_t name = hash_text(x->name);

		new |= note_part(r, x->kind == EXPR_STRING ? hash_bytes(name ^ first, x->text, strlen(x->text)) : name);
	}
	return new;
}

static int has_room(const struct equiv_result *r, int looking, int new)
{
	return looking ? r->n_plans < USUAL || (new && r->n_plans < API_MAX_PLANS) : r->n_plans < OF_A_RUN;
}

/* What comes of empty tensors says nothing: a plan that draws them is not worth to be followed again. */
void learn_plan(struct equiv_result *r, uint64_t plan, const struct expr *call, const struct bindings *in, int looking,
		int accepted)
{
	size_t i = 0;
	int new = 0;

	if (looking && accepted)
		new = note_parts(r, call, in);
	r->accepted += (size_t)accepted;
	if (PLAN_IS_ODD(plan) || has_empty(in))
		return;
	while (i < r->n_plans && r->plans[i] != plan)
		i++;
	if (accepted && i == r->n_plans && !has_room(r, looking, new))
		return;
	if (accepted) {
		r->plans[i] = plan;
		r->strikes[i] = 0;
		r->n_plans += i == r->n_plans;
	} else if (i < r->n_plans && ++r->strikes[i] == REFUSALS) { /* another version, another option set */
		r->n_plans--;
		r->plans[i] = r->plans[r->n_plans];
		r->strikes[i] = r->strikes[r->n_plans];
	}
}
