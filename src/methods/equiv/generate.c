/* generate.c - one call of an operation from its registry: the structure follows from a plan, see registry.h.
 *
 * Most operations want tensors of one shape, or shapes that share a few sizes.  So a plan draws one shape, and each
 * tensor takes it as it is (two in three), its channels, its two sizes as a matrix, nothing at all (a single number),
 * or a shape of its own. */
#include <stdlib.h>
#include <string.h>

#include "methods/equiv/couple.h"
#include "methods/equiv/form.h"
#include "methods/equiv/registry.h"
#include "methods/equiv/roles.h"

struct call_plan {
	const struct registry *r;
	const struct api *api;
	struct rng structure, values;
	struct rng numbers; /* of one parameter, where they belong to the plan: drawing others instead moves nothing */
	enum draw_how how;
	int has_roles; /* the library's parameters have names that say what they are, see roles.h */
	int by_role;   /* and this plan follows them; else all is drawn */
	struct role_frame frame;
	enum dtype dtype; /* that most tensors have */
	int all;          /* every input is given, where the registry does not say which are needed */
	struct arena *arena;
	struct bindings *bindings;
	struct err *err;
};

/* What inputs of these names are, wherever the registry says no more than "a tensor". */
static const struct {
	const char *word;
	enum dtype dtype;
} named[] = {
	{"index", DT_INT64},  {"indices", DT_INT64}, {"offsets", DT_INT64},     {"lengths", DT_INT64},
	{"target", DT_INT64}, {"sorter", DT_INT64},  {"condition", DT_BOOL},    {"mask", DT_BOOL},
	{"axis", DT_INT64},   {"axes", DT_INT64},    {"batch_sizes", DT_INT64},
};

static const enum dtype usual[] = {DT_FLOAT, DT_DOUBLE, DT_FLOAT16, DT_INT32,    DT_INT64,
				   DT_UINT8, DT_INT8,   DT_BOOL,    DT_COMPLEX64};

/* Plans that were learned hang on the length of `usual`: these are drawn beside it. */
const enum dtype registry_rare[RARE_TYPES] = {DT_INT16, DT_UINT16, DT_UINT32, DT_UINT64, DT_BFLOAT16};

static int one_in(struct call_plan *p, uint64_t n)
{
	return !rng_below(&p->structure, n);
}

/* ---- element types ----------------------------------------------------------------------------------------------- */

static const struct backend_parameter *find_parameter(const struct call_plan *p, const char *name)
{
	for (size_t i = 0; i < p->api->op->n_parameters; i++)
		if (!strcmp(p->api->op->parameters[i].name, name))
			return &p->api->op->parameters[i];
	return NULL;
}

static int allows(const struct backend_parameter *p, enum dtype t)
{
	for (size_t i = 0; p && i < p->n_allowed; i++)
		if (!strcmp(p->allowed[i], dtype_name(t)))
			return 1;
	return !p || !p->n_allowed;
}

/* The parameter that says which types an input may have: itself, or the attribute of the name in its type. */
static const struct backend_parameter *type_source(const struct call_plan *p, const struct backend_parameter *input)
{
	return input->n_allowed ? input : find_parameter(p, dialect_element(input));
}

/* Three in four inputs with a name that speaks have the type it speaks of; one in twelve others has any. */
static enum dtype wanted_type(struct call_plan *p, const struct backend_parameter *input)
{
	for (size_t i = 0; i < sizeof named / sizeof *named; i++)
		if (strstr(input->name, named[i].word) && !one_in(p, 4))
			return named[i].dtype;
	return one_in(p, 12) ? usual[rng_below(&p->structure, sizeof usual / sizeof *usual)] : p->dtype;
}

/* The type that is wanted, or the plan's own, where it is allowed, else the first usual one that is. */
static enum dtype type_for(struct call_plan *p, const struct backend_parameter *input)
{
	const struct backend_parameter *source = type_source(p, input);
	enum dtype fixed = dtype_from_name(dialect_element(input)), wanted = wanted_type(p, input);

	if (fixed != DT_UNDEFINED)
		return fixed;
	if (source && source != input) /* one attribute says the type of several inputs */
		wanted = p->dtype;
	if (allows(source, wanted))
		return wanted;
	for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
		if (allows(source, usual[i]))
			return usual[i];
	return p->dtype;
}

/* Inputs that can be nothing but int32 or int64 are sizes, axes and indices: mostly lists, or one number. */
static int is_index(const struct call_plan *p, const struct backend_parameter *input, enum dtype t)
{
	const struct backend_parameter *source = type_source(p, input);

	if (t != DT_INT32 && t != DT_INT64)
		return 0;
	return source && source->n_allowed ? !allows(source, DT_FLOAT) && !allows(source, DT_INT8) : t != p->dtype;
}

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

static int shape_for(struct call_plan *p, int64_t *dims)
{
	switch (rng_below(&p->structure, 12)) {
	case 0:
		dims[0] = p->frame.rank > 1 ? p->frame.dims[1] : 1;
		return 1;
	case 1:
		dims[0] = p->frame.dims[p->frame.rank ? p->frame.rank - 1 : 0];
		dims[1] = (int64_t)(1 + rng_below(&p->structure, 3));
		return 2;
	case 2:
		return 0;
	case 3: {
		int rank = (int)rng_below(&p->structure, ROLE_RANK);

		for (int i = 0; i < rank; i++)
			dims[i] = (int64_t)rng_below(&p->structure, 4);
		return rank;
	}
	default:
		memcpy(dims, p->frame.dims, sizeof p->frame.dims);
		return p->frame.rank;
	}
}

static int index_shape(struct call_plan *p, int64_t *dims)
{
	const int64_t sizes[] = {
		p->frame.rank, p->frame.dims[0], p->frame.dims[p->frame.rank ? p->frame.rank - 1 : 0], 1, 2, 3};

	switch (rng_below(&p->structure, 8)) {
	case 0:
	case 1:
		return 0;
	case 2:
		dims[0] = p->frame.dims[0];
		dims[1] = p->frame.rank;
		return 2;
	case 3:
		return shape_for(p, dims);
	default:
		dims[0] = sizes[rng_below(&p->structure, sizeof sizes / sizeof *sizes)];
		return 1;
	}
}

/* Numbers that say something about shapes follow from the plan; what may be any follows from the input. */
struct numbers {
	struct call_plan *plan;
	const struct role *role;
	int64_t last;
};

static double number_at(size_t i, void *arg)
{
	struct numbers *n = arg;
	struct call_plan *p = n->plan;

	return role_number(n->role->numbers, &p->frame, n->last, i,
			   role_varies(n->role->numbers) ? &p->values : &p->numbers);
}

/* An input of a role; one in four of those with edges holds numbers of no role. */
static struct value *role_tensor(struct call_plan *p, const struct role *role, enum dtype t)
{
	int64_t dims[ROLE_MAX_RANK] = {0};
	int rank = role_shape(role, &p->frame, dims);
	struct numbers n = {p, role, rank ? dims[rank - 1] : 1};
	int small = !draw_has_edges(p->how) && dtype_is_int(t) && t != DT_UINT8;

	if (role->numbers == NUMBERS_ANY)
		return draw_tensor(t, rank, dims, small ? DRAW_BELOW : p->how, 3, &p->values, p->err);
	if (draw_has_edges(p->how) && !rng_below(&p->values, 4))
		return draw_tensor(t, rank, dims, DRAW_SMALL_EDGES, 0, &p->values, p->err);
	return draw_numbers(t, rank, dims, number_at, &n, p->err);
}

/* Where names say what numbers mean, those that may be sizes and indices belong to the plan as well. */
static struct value *any_tensor(struct call_plan *p, const struct backend_parameter *input, enum dtype t)
{
	int64_t dims[ROLE_MAX_RANK] = {1, 1, 1, 1, 1};
	int index = is_index(p, input, t), rank = index ? index_shape(p, dims) : shape_for(p, dims);
	int whole = dtype_is_int(t) && t != DT_UINT8 && !(draw_has_edges(p->how) && rng_below(&p->values, 2));
	enum draw_how how = whole ? DRAW_BELOW : index && p->has_roles ? DRAW_SMALL_EDGES : p->how;

	return draw_tensor(t, rank, dims, how, 3, whole && index && p->has_roles ? &p->numbers : &p->values, p->err);
}

static struct expr *tensor_variable(struct call_plan *p, size_t i, const char *name)
{
	const struct backend_parameter *input = &p->api->op->parameters[i];
	const struct role *role = p->by_role ? p->api->roles[i] : NULL;
	enum dtype t = type_for(p, input);
	struct draw_binding *b;

	if (p->bindings->n == DRAW_MAX)
		return expr_new(p->arena, EXPR_VARIABLE, name, p->bindings->at[0].name);
	b = &p->bindings->at[p->bindings->n];
	b->name = arena_printf(p->arena, "t%zu", p->bindings->n);
	b->i = 0;
	p->numbers = rng_split(&p->structure, p->bindings->n);
	b->tensor = !b->name ? NULL : role && role->shape ? role_tensor(p, role, t) : any_tensor(p, input, t);
	if (!b->tensor)
		return NULL;
	p->bindings->n++;
	return expr_new(p->arena, EXPR_VARIABLE, name, b->name);
}

/* "N * T": as many as N must be at least, and as many in each list of N. */
static uint64_t count_listed(struct call_plan *p, const struct backend_parameter *input)
{
	for (size_t i = 0; i < p->api->op->n_parameters; i++) {
		const struct backend_parameter *n = &p->api->op->parameters[i];

		if (dialect_is_counted_by(input, n->name) && p->frame.listed < dialect_least(n))
			return (uint64_t)dialect_least(n);
	}
	return (uint64_t)p->frame.listed;
}

static struct expr *tensor_list(struct call_plan *p, size_t at, const char *name)
{
	struct expr *x = expr_new(p->arena, EXPR_LIST, name, "");
	uint64_t n = p->by_role     ? count_listed(p, &p->api->op->parameters[at])
		     : one_in(p, 4) ? 1 + rng_below(&p->structure, 3)
				    : (uint64_t)p->frame.listed;

	for (uint64_t i = 0; x && i < n; i++)
		if (expr_push(p->arena, x, tensor_variable(p, at, "")))
			return NULL;
	return x;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static int64_t small_int(struct call_plan *p)
{
	static const int64_t numbers[] = {0, 1, 1, 1, 2, 2, 3, -1};

	return numbers[rng_below(&p->structure, sizeof numbers / sizeof *numbers)];
}

static double small_float(struct call_plan *p)
{
	static const double numbers[] = {0, 0.5, 1, 1, 2, -1, 1e-3};

	return numbers[rng_below(&p->structure, sizeof numbers / sizeof *numbers)];
}

static struct expr *number(struct call_plan *p, enum expr_kind kind, const char *name, int64_t least)
{
	struct expr *x = expr_new(p->arena, kind, name, "");

	if (!x)
		return NULL;
	x->i = kind == EXPR_BOOL ? (int64_t)rng_below(&p->structure, 2) : small_int(p);
	if (x->i < least)
		x->i = least + (int64_t)rng_below(&p->structure, 2);
	x->f = small_float(p);
	return x;
}

/* How many numbers: "int[2]" and ">= 4" say so; else one for each dimension, each spatial one, one, or two. */
static uint64_t count_numbers(struct call_plan *p, const struct backend_parameter *q)
{
	const uint64_t choices[] = {(uint64_t)p->frame.rank, p->frame.rank > 2 ? (uint64_t)p->frame.rank - 2 : 1, 1, 2};
	uint64_t n = choices[rng_below(&p->structure, 4)];
	int64_t length = dialect_length(q), said = length >= 0 ? length : dialect_least(q);

	if (said > 8 || said < 1)
		return n;
	return length >= 0 || (int64_t)n < said ? (uint64_t)said : n;
}

/* Half of the lists hold one for each dimension, and half of those are ones (strides, sizes of windows). */
static uint64_t count_by_rank(struct call_plan *p, const struct backend_parameter *q, int *ones)
{
	uint64_t n = count_numbers(p, q);

	*ones = one_in(p, 2);
	return one_in(p, 2) && (int64_t)p->frame.rank >= dialect_least(q) ? (uint64_t)p->frame.rank : n;
}

/* Often all the same. */
static struct expr *numbers(struct call_plan *p, enum expr_kind kind, const struct backend_parameter *q)
{
	struct expr *x = expr_new(p->arena, EXPR_LIST, q->name, "");
	int ones = 0;
	uint64_t n = p->r->dialect->lists_by_rank ? count_by_rank(p, q, &ones) : count_numbers(p, q);
	int same = one_in(p, 2);
	int64_t first = small_int(p);

	for (uint64_t i = 0; x && i < n; i++) {
		struct expr *item = number(p, kind, "", INT64_MIN);

		if (!item || expr_push(p->arena, x, item))
			return NULL;
		if (same || ones)
			item->i = ones ? 1 : first;
	}
	return x;
}

static struct expr *dtype_value(struct call_plan *p, const struct backend_parameter *q)
{
	struct expr *x = expr_new(p->arena, EXPR_DTYPE, q->name, "");

	if (!x)
		return NULL;
	x->i = p->dtype;
	for (size_t i = 0; i < sizeof usual / sizeof *usual && !allows(q, (enum dtype)x->i); i++)
		x->i = usual[i];
	return x;
}

/* A number, or one for each of the last dimension of the role's shape. */
static struct expr *role_attribute(struct call_plan *p, size_t at, enum expr_kind kind, int is_list)
{
	const struct backend_parameter *q = &p->api->op->parameters[at];
	const struct role *role = p->api->roles[at];
	int64_t dims[ROLE_MAX_RANK] = {0};
	int rank = role->shape ? role_shape(role, &p->frame, dims) : 0;
	struct numbers n = {p, role, rank ? dims[rank - 1] : 1};
	struct expr *list = is_list ? expr_new(p->arena, EXPR_LIST, q->name, "") : NULL;

	p->numbers = rng_split(&p->structure, DRAW_MAX + at);
	for (size_t i = 0; is_list ? list && i < (size_t)n.last : !i; i++) { /* a single one there always is */
		struct expr *x = expr_new(p->arena, kind, is_list ? "" : q->name, "");

		if (!x)
			return NULL;
		x->f = number_at(i, &n);
		x->i = (int64_t)x->f;
		if (!is_list)
			return x;
		if (expr_push(p->arena, list, x))
			return NULL;
	}
	return list;
}

/* Plans were learned in PyTorch before it had words: these are drawn beside the structure. */
static const char *word_for(struct call_plan *p, size_t i)
{
	const struct backend_parameter *q = &p->api->op->parameters[i];
	struct rng apart = rng_split(&p->structure, DRAW_MAX + i);
	size_t length = 0;
	const char *text = q->n_allowed ? q->allowed[rng_below(&p->structure, q->n_allowed)]
					: role_text(p->api->roles[i], p->has_roles ? &p->structure : &apart, &length);

	return q->n_allowed ? text : arena_strndup(p->arena, text ? text : "", length);
}

static int has_numbers(const struct call_plan *p, size_t i)
{
	const struct role *role = p->by_role ? p->api->roles[i] : NULL;

	return role && role->numbers != NUMBERS_ANY && role->numbers != NUMBERS_SELDOM;
}

static struct expr *value_for(struct call_plan *p, size_t i)
{
	const struct backend_parameter *q = &p->api->op->parameters[i];
	enum parameter_kind kind = p->api->kinds[i];
	const char *name = q->name;

	if (has_numbers(p, i) && (kind == PARAMETER_INT || kind == PARAMETER_FLOAT))
		return role_attribute(p, i, kind == PARAMETER_INT ? EXPR_INT : EXPR_FLOAT, 0);
	if (has_numbers(p, i) && p->api->roles[i]->shape && (kind == PARAMETER_INTS || kind == PARAMETER_FLOATS))
		return role_attribute(p, i, kind == PARAMETER_INTS ? EXPR_INT : EXPR_FLOAT, 1);
	switch (kind) {
	case PARAMETER_TENSOR:
		return tensor_variable(p, i, name);
	case PARAMETER_TENSORS:
		return tensor_list(p, i, name);
	case PARAMETER_INT:
		return number(p, EXPR_INT, name, dialect_least(q));
	case PARAMETER_FLOAT:
		return number(p, EXPR_FLOAT, name, INT64_MIN);
	case PARAMETER_BOOL:
		return number(p, EXPR_BOOL, name, INT64_MIN);
	case PARAMETER_INTS:
		return numbers(p, EXPR_INT, q);
	case PARAMETER_FLOATS:
		return numbers(p, EXPR_FLOAT, q);
	case PARAMETER_DTYPE:
		return dtype_value(p, q);
	default:
		return expr_new(p->arena, EXPR_STRING, name, word_for(p, i));
	}
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static void draw_structure(struct call_plan *p)
{
	static const int ranks[] = {2, 2, 1, 3, 4, 4, 5, 0};

	p->frame.rank = ranks[rng_below(&p->structure, sizeof ranks / sizeof *ranks)];
	for (int i = 0; i < ROLE_RANK; i++)
		p->frame.dims[i] = (int64_t)(1 + rng_below(&p->structure, 4));
	if (one_in(p, 2))
		for (int i = 1; i < ROLE_RANK; i++)
			p->frame.dims[i] = p->frame.dims[0];
	if (one_in(p, 16) && p->frame.rank)
		p->frame.dims[rng_below(&p->structure, (uint64_t)p->frame.rank)] = 0;
	p->frame.listed = 1 + (int64_t)rng_below(&p->structure, 3);
	p->all = one_in(p, 2);
	p->dtype = one_in(p, 3) ? usual[rng_below(&p->structure, sizeof usual / sizeof *usual)] : DT_FLOAT;
	p->has_roles = p->r->dialect->roles && !p->r->dialect->texts_alone;
	if (!p->has_roles)
		return;
	p->by_role = !one_in(p, 8);
	if (p->by_role && p->api->rank)
		p->frame.rank = p->api->rank == RANK_SPATIAL ? 3 + (int)rng_below(&p->structure, 3) : p->api->rank;
	role_frame_draw(&p->frame, &p->structure);
}

/* What the registry calls optional is given one time in four; some do not say which inputs are. */
static int is_given(struct call_plan *p, size_t i)
{
	const struct backend_parameter *q = &p->api->op->parameters[i];
	const struct role *role = p->by_role ? p->api->roles[i] : NULL;
	int open = p->r->dialect->inputs_unsaid && q->is_input;

	if (!q->optional && !(open && p->bindings->n))
		return 1;
	if (role && role->numbers == NUMBERS_SELDOM)
		return one_in(p, 16);
	return (open && p->all) || one_in(p, open ? 2 : 4);
}

int registry_call(const struct registry *r, const struct api *api, const struct call_draw *draw, struct arena *a,
		  struct expr **out, struct bindings *bindings, struct err *e)
{
	struct call_plan p = {.r = r, .api = api, .how = draw->how, .arena = a, .bindings = bindings, .err = e};
	const uint64_t plan = draw->plan;
	struct expr *x = expr_new(a, EXPR_CALL, "", api->op->name);

	*bindings = (struct bindings){0};
	if (r->dialect->forms)
		return form_call(api, draw, a, out, bindings, e);
	if (x)
		x->output = EXPR_ALL_OUTPUTS;
	rng_init(&p.structure, plan & (((uint64_t)1 << PLAN_BITS) - 1));
	p.values = *draw->values;
	draw_structure(&p);
	if (PLAN_IS_EMPTY(plan) && p.frame.rank)
		p.frame.dims[PLAN_EMPTY_AXIS(plan) % (uint64_t)p.frame.rank] = 0;
	role_frame_raise(&p.frame, PLAN_RANK(plan));
	if (PLAN_IS_RARE(plan))
		p.dtype = registry_rare[PLAN_RARE_TYPE(plan) % RARE_TYPES];
	for (size_t i = 0; x && i < api->op->n_parameters; i++) {
		int given = is_given(&p, i);

		if (api->kinds[i] <= PARAMETER_SKIP || !given)
			continue;
		if (expr_push(a, x, value_for(&p, i))) {
			bindings_release(bindings);
			return e->code ? e->code : err_nomem(e, "a call", 0);
		}
	}
	if (!x)
		return err_nomem(e, "a call", 0);
	*out = x;
	if (draw_has_edges(p.how) && couple_numbers(bindings, p.dtype, draw->values, e)) {
		bindings_release(bindings);
		return e->code;
	}
	return 0;
}
