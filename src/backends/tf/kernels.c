/* kernels.c - which operations and element types TensorFlow has code for on this processor, from its KernelList:
 *
 *     KernelList     { kernel (1): KernelDef }
 *     KernelDef      { op (1), device_type (2), constraint (3): AttrConstraint, label (5) }
 *     AttrConstraint { name (1), allowed_values (2): AttrValue { list (1) } }
 *
 * A kernel with a label is chosen by rewriting of graphs alone.  "DEFAULT" stands for all devices. */
#include <stdlib.h>
#include <string.h>

#include "backends/tf/native.h"

#define MAX_NAMED 64

struct kernel {
	struct proto_field def;
	struct kernel *next;
};

struct narrowing {
	struct arena *arena;
	struct backend_operation *ops;
	size_t n;
	struct kernel **kernels; /* by operation */
};

static int by_name(const void *key, const void *op)
{
	return strcmp(key, ((const struct backend_operation *)op)->name);
}

static int is_text(const struct proto_field *f, const char *text)
{
	return f->n == strlen(text) && !memcmp(f->data, text, f->n);
}

/* Notes a kernel of this processor with its operation. */
static int note_kernel(struct narrowing *w, const struct proto_field *def)
{
	struct backend_operation *op = NULL;
	struct proto_reader r;
	struct proto_field f;
	struct kernel *k;
	int here = 0, labelled = 0;

	proto_reader_init(&r, def->data, def->n);
	while (proto_next(&r, &f) == PROTO_FIELD) {
		if (f.id == 1) {
			const char *name = arena_strndup(w->arena, (const char *)f.data, f.n);

			if (!name)
				return ERR_MEMORY;
			op = bsearch(name, w->ops, w->n, sizeof *w->ops, by_name);
		} else if (f.id == 2) {
			here = is_text(&f, "CPU") || is_text(&f, "DEFAULT");
		} else if (f.id == 5) {
			labelled = f.n > 0;
		}
	}
	if (!op || !here || labelled)
		return 0;
	k = arena_alloc(w->arena, sizeof *k);
	if (!k)
		return ERR_MEMORY;
	*k = (struct kernel){*def, w->kernels[op - w->ops]};
	w->kernels[op - w->ops] = k;
	return 0;
}

/* The list of types that a kernel allows for an attribute; 0: it says nothing about it. */
static int find_constraint(const struct kernel *k, const char *attribute, struct proto_field *list)
{
	struct proto_reader r, inner, value;
	struct proto_field f, g;

	proto_reader_init(&r, k->def.data, k->def.n);
	while (proto_next(&r, &f) == PROTO_FIELD) {
		int ours = 0;

		if (f.id != 3)
			continue;
		proto_reader_init(&inner, f.data, f.n);
		while (proto_next(&inner, &g) == PROTO_FIELD) {
			if (g.id == 1)
				ours = is_text(&g, attribute);
			if (g.id != 2 || !ours)
				continue;
			proto_reader_init(&value, g.data, g.n);
			if (proto_next(&value, list) == PROTO_FIELD && list->id == 1)
				return 1;
		}
	}
	return 0;
}

/* Texts that kernels name, each once. */
struct named {
	char *at[MAX_NAMED];
	size_t n;
	struct arena *arena;
};

static int is_named(const struct named *w, const char *text)
{
	for (size_t i = 0; i < w->n; i++)
		if (!strcmp(w->at[i], text))
			return 1;
	return 0;
}

static int add_named(void *arg, const char *text)
{
	struct named *w = arg;

	if (w->n == MAX_NAMED || is_named(w, text))
		return 0;
	w->at[w->n] = arena_strdup(w->arena, text);
	return w->at[w->n++] ? 0 : ERR_MEMORY;
}

/* Keeps the allowed types that some kernel has; where the definition allows any, those that kernels name are all. */
static int narrow(struct arena *arena, const struct kernel *kernels, struct backend_parameter *p)
{
	struct named w = {.arena = arena};
	struct proto_field list;
	size_t n = 0;

	for (const struct kernel *k = kernels; k; k = k->next) {
		if (!find_constraint(k, p->name, &list))
			return 0;
		if (tf_list_items(&list, add_named, &w))
			return ERR_MEMORY;
	}
	if (!p->n_allowed) {
		p->allowed = arena_array(arena, w.n + 1, sizeof *p->allowed);
		if (!p->allowed)
			return ERR_MEMORY;
		memcpy(p->allowed, w.at, w.n * sizeof *w.at);
		p->n_allowed = w.n;
		return 0;
	}
	for (size_t i = 0; i < p->n_allowed; i++)
		if (is_named(&w, p->allowed[i]))
			p->allowed[n++] = p->allowed[i];
	p->n_allowed = n ? n : p->n_allowed;
	return 0;
}

static int narrow_operation(struct narrowing *w, size_t i)
{
	struct backend_operation *op = &w->ops[i];
	int rc = 0;

	if (!w->kernels[i]) {
		if (!op->unusable)
			op->unusable = arena_strdup(w->arena, "it has no kernel for this processor");
		return op->unusable ? 0 : ERR_MEMORY;
	}
	for (size_t k = 0; k < op->n_parameters && !rc; k++) {
		struct backend_parameter *p = &op->parameters[k];

		if (!p->is_input && !strcmp(p->type, "type"))
			rc = narrow(w->arena, w->kernels[i], p);
	}
	return rc;
}

int tf_kernels_narrow(struct tf *t, struct arena *arena, struct backend_operation *ops, size_t n, struct err *e)
{
	struct narrowing w = {arena, ops, n, arena_array(arena, n + 1, sizeof *w.kernels)};
	struct TF_Buffer *bytes;
	struct proto_reader r;
	struct proto_field f;
	enum proto_step step = PROTO_END;
	int rc = w.kernels ? 0 : ERR_MEMORY;

	if (!t->api.TF_GetAllRegisteredKernels)
		return 0;
	bytes = t->api.TF_GetAllRegisteredKernels(t->status);
	if (!bytes)
		return err_set(e, ERR_INPUT, "tensorflow's list of kernels cannot be read");
	proto_reader_init(&r, bytes->data, bytes->length);
	while (!rc && (step = proto_next(&r, &f)) == PROTO_FIELD)
		if (f.id == 1)
			rc = note_kernel(&w, &f);
	for (size_t i = 0; i < n && !rc && step == PROTO_END; i++)
		rc = narrow_operation(&w, i);
	t->api.TF_DeleteBuffer(bytes);
	if (step == PROTO_BAD)
		return err_set(e, ERR_INPUT, "tensorflow's list of kernels cannot be read");
	return rc ? err_nomem(e, "kernels", 0) : 0;
}
