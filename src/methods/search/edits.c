/* edits.c - what the kinds of edits share: picking a node and a row, and giving a parameter a value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/plain.h"
#include "methods/search/internal.h"

#define MAX_LIST (2 * TENSOR_MAX_RANK)
#define MAX_STRINGS 8

const struct layer *edit_layer_of(struct editing *x, const struct node *n)
{
	const struct layer *found = NULL;
	uint64_t seen = 0;

	for (unsigned i = 0; i < x->layers->n; i++)
		if (layer_matches(&x->layers->at[i], n) && !rng_below(&x->rng, ++seen))
			found = &x->layers->at[i];
	return found;
}

/* A node's lot: by its name, so that it is the same whatever other nodes there are. */
static uint64_t draw_lot(uint64_t salt, const char *name)
{
	struct rng rng;

	rng_init(&rng, hash_bytes(salt, name, strlen(name)));
	return rng_u64(&rng);
}

/* The node with the highest lot: an edit means the same in a network that other edits have changed, so that genes can
 * be handed down, and taken back one by one. */
struct node *edit_pick(struct editing *x, int (*fits)(const struct editing *x, const struct node *n))
{
	const struct graph *g = x->model->graph;
	uint64_t salt = rng_u64(&x->rng), highest = 0;
	struct node *found = NULL;

	for (size_t i = 0; i < g->nodes.n; i++) {
		struct node *n = g->nodes.at[i];
		uint64_t lot = fits(x, n) ? draw_lot(salt, n->n_out && n->out[0] ? n->out[0]->name : n->name) : 0;

		if (lot > highest) {
			highest = lot;
			found = n;
		}
	}
	return found;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static int64_t whole(const struct node *n, const char *word)
{
	const struct type *t = n->n_in && n->in[0] ? &n->in[0]->type : NULL;

	if (strcmp(word, "channels") != 0)
		return strtoll(word, NULL, 10);
	return t && t->rank > 1 && t->dims[1] > 0 ? t->dims[1] : 1;
}

/* Lists have the same number everywhere, or (by a coin) another valid one on each axis. */
static int set_list(struct editing *x, struct node *n, const struct layer_parameter *p, const char *word, struct err *e)
{
	int spatial = n->in[0]->type.rank - 2;
	int count = p->kind == LAYER_PADS ? 2 * spatial : spatial;
	int mixed = p->values.n && !x->uniform && rng_below(&x->rng, 2);
	int64_t list[MAX_LIST];

	for (int i = 0; i < count; i++) {
		const char *other = mixed ? p->values.at[rng_below(&x->rng, p->values.n)] : word;

		list[i] = whole(n, i ? other : word);
	}
	return node_set_ints(n, p->name, list, (size_t)count, e);
}

/* Words of a list, separated by blanks. */
static int set_strings(struct node *n, const char *name, const char *word, struct err *e)
{
	char text[256];
	const char *list[MAX_STRINGS];
	char *rest = text;
	size_t count = 0;

	snprintf(text, sizeof text, "%s", word);
	while (count < MAX_STRINGS && (list[count] = strsep(&rest, " ")))
		count++;
	return node_set_strings(n, name, list, count, e);
}

/* Sizes of weights are no attributes: the weight itself becomes another, and repair_model() sees to the rest. */
static int set_size(struct editing *x, struct node *n, const struct layer_parameter *p, const char *word, struct err *e)
{
	const struct tensor *w = p->input < n->n_in && n->in[p->input] ? n->in[p->input]->init : NULL;
	int64_t dims[TENSOR_MAX_RANK];

	if (!w || p->axis >= w->rank || !dtype_is_float(w->dtype))
		return 0;
	memcpy(dims, w->dims, sizeof dims);
	dims[p->axis] = whole(n, word);
	if (dims[p->axis] < 1)
		return 0;
	return repair_weight(n, (int)p->input, w->rank, dims, &x->rng, e);
}

/* Room for input i; what is new is left out. */
static int reach_input(struct node *n, int64_t i, struct err *e)
{
	struct wire **in;

	if (i < n->n_in)
		return 0;
	in = arena_zalloc(&n->graph->model->arena, (size_t)(i + 1) * sizeof(struct wire *));
	if (!in)
		return err_nomem(e, "inputs", 0);
	memcpy(in, n->in, (size_t)n->n_in * sizeof(struct wire *));
	n->in = in;
	n->n_in = (int)i + 1;
	return 0;
}

/* A constant in the place of an input, of the type of the first one. */
static int set_number(struct node *n, const struct layer_parameter *p, const char *word, struct err *e)
{
	enum dtype dtype = n->in[0]->type.dtype;
	struct tensor *t, *packed;

	if (!dtype_is_float(dtype))
		return 0;
	if (reach_input(n, p->input, e) || !(t = tensor_new(dtype, 0, NULL, e)))
		return e->code;
	t->f[0] = strtod(word, NULL);
	tensor_round(t);
	packed = tensor_pack(t, e);
	tensor_unref(t);
	return packed ? repair_set(n, (int)p->input, packed, e) : e->code;
}

/* An input that comes gets a weight, whose shape repair_model() puts right. */
static int set_optional(struct editing *x, struct node *n, const struct layer_parameter *p, const char *word,
			struct err *e)
{
	int present = p->input < n->n_in && n->in[p->input];
	int rc = 0;

	if (!strcmp(word, "yes") && !present) {
		rc = reach_input(n, p->input, e);
		return rc ? rc : repair_weight(n, (int)p->input, 1, (int64_t[]){1}, &x->rng, e);
	}
	if (!strcmp(word, "no") && present && n->in[p->input]->init) {
		n->in[p->input] = NULL;
		while (n->n_in && !n->in[n->n_in - 1])
			n->n_in--;
	}
	return rc;
}

/* Two directions give two states: where the one was squeezed out, both are added up (Keras's merge_mode "sum"). */
static int add_directions(struct node *n, struct err *e)
{
	const struct graph *g = n->graph;
	int rc = 0;

	for (size_t i = 0; i < g->nodes.n && !rc; i++) {
		struct node *after = g->nodes.at[i];
		int reads = 0;

		for (int k = 0; k < n->n_out; k++)
			reads |= after->n_in && n->out[k] && after->in[0] == n->out[k];
		if (!reads || *after->domain || strcmp(after->op_type, "Squeeze") != 0)
			continue;
		after->op_type = "ReduceSum"; /* which takes the axes as Squeeze does, in every version */
		after->op = NULL;
		rc = node_set_int(after, "keepdims", 0, e);
	}
	return rc;
}

static int set_string(struct node *n, const struct layer_parameter *p, const char *word, struct err *e)
{
	int rc = node_set_string(n, p->name, word, e);

	return !rc && !strcmp(p->name, "direction") && !strcmp(word, "bidirectional") ? add_directions(n, e) : rc;
}

int edit_set(struct editing *x, struct node *n, const struct layer_parameter *p, const char *word, struct err *e)
{
	int is_list = p->kind == LAYER_SPATIAL || p->kind == LAYER_PADS;

	if (is_list && (!n->n_in || !n->in[0] || n->in[0]->type.rank < 3))
		return 0;
	if (p->excludes)
		node_remove_attr(n, p->excludes);
	if (is_list)
		return set_list(x, n, p, word, e);
	if (p->kind == LAYER_SIZE)
		return set_size(x, n, p, word, e);
	if (p->kind == LAYER_INT)
		return node_set_int(n, p->name, whole(n, word), e);
	if (p->kind == LAYER_FLOAT)
		return node_set_float(n, p->name, (double)strtof(word, NULL), e);
	if (p->kind == LAYER_STRINGS)
		return set_strings(n, p->name, word, e);
	if (p->kind == LAYER_NUMBER)
		return set_number(n, p, word, e);
	if (p->kind == LAYER_OPTIONAL)
		return set_optional(x, n, p, word, e);
	return set_string(n, p, word, e);
}

/* ---- a parameter by chance --------------------------------------------------------------------------------------- */

static int has_parameters(const struct editing *x, const struct node *n)
{
	for (unsigned i = 0; i < x->layers->n; i++)
		if (x->layers->at[i].n_parameters && layer_matches(&x->layers->at[i], n))
			return 1;
	return 0;
}

/* Another value of some parameter of some node: a valid one, or one that is not. */
static enum edit_result change_parameter(struct editing *x, int invalid, struct err *e)
{
	struct node *n = edit_pick(x, has_parameters);
	const struct layer *l = n ? edit_layer_of(x, n) : NULL;
	const struct layer_parameter *p;
	const struct layer_words *words;
	const char *word;
	int rc;

	if (!l || !l->n_parameters)
		return EDIT_IMPOSSIBLE;
	p = &l->parameters[rng_below(&x->rng, l->n_parameters)];
	words = invalid ? &p->invalid : &p->values;
	if (!words->n)
		return EDIT_IMPOSSIBLE;
	word = words->at[rng_below(&x->rng, words->n)];
	rc = edit_set(x, n, p, word, e);
	snprintf(x->said, SEARCH_SAID, "%s '%s': %s=%s", n->op_type, PLAIN(n->name), p->name, word);
	return rc ? EDIT_FAILED : EDIT_DONE;
}

static enum edit_result apply_parameter(struct editing *x, struct err *e)
{
	return change_parameter(x, 0, e);
}

static enum edit_result apply_invalid(struct editing *x, struct err *e)
{
	return change_parameter(x, 1, e);
}

const struct edit edit_parameter = {
	.summary = "another value of a parameter",
	.share = 10,
	.apply = apply_parameter,
};

const struct edit edit_invalid = {
	.summary = "a value of a parameter that ONNX forbids",
	.share = 2,
	.invalid = 1,
	.apply = apply_invalid,
};
