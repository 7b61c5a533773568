/* inline.c - calls of a model's own functions become the nodes of the function's body.
 *
 * Formal inputs are bound to the wires of the call; formal outputs are the wires the call makes; every other wire of
 * the body gets a name of its own, "<node>/<name>".  Node versions follow the function's own opset imports. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "model/read.h"

/* Domain, name and overload with a byte between them that no UTF-8 text has. */
static char *function_key(struct reader *r, const char *domain, const char *name, const char *overload)
{
	size_t size = strlen(domain) + strlen(name) + strlen(overload) + 3;
	char *key = mem_alloc(size);

	if (key)
		snprintf(key, size, "%s\xff%s\xff%s", domain, name, overload);
	else
		err_nomem(r->e, "a function's name", size);
	return key;
}

static int check_formals(struct reader *r, char *const *names, size_t n, const char *what)
{
	struct map seen = MAP_INIT;
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++) {
		const char *name = read_text(names[i]);

		rc = read_name(r, name, what);
		if (!rc && (!*name || map_get(&seen, name)))
			rc = err_set(r->e, ERR_INPUT, "%s '%s' is %s", what, name, *name ? "listed twice" : "empty");
		if (!rc && map_put(&seen, name, &seen))
			rc = err_nomem(r->e, "a table of names", n);
	}
	map_release(&seen);
	return rc;
}

static int collect(struct reader *r, const Onnx__FunctionProto *p)
{
	struct function *f = model_carve(r->m, 1, sizeof *f, "a function", r->e);
	char *key;
	int rc;

	if (!f || read_name(r, p->name, "a function's name") || read_name(r, p->domain, "a function's domain") ||
	    read_name(r, p->overload, "a function's overload") ||
	    check_formals(r, p->input, p->n_input, "a function's input") ||
	    check_formals(r, p->output, p->n_output, "a function's output") ||
	    read_opsets(r, p->opset_import, p->n_opset_import, &f->opsets, &f->n_opsets))
		return status_of(r->e);
	f->proto = p;
	key = function_key(r, read_domain(p->domain), read_text(p->name), read_text(p->overload));
	if (!key)
		return status_of(r->e);
	if (map_get(&r->functions, key))
		rc = err_set(r->e, ERR_INPUT, "it is defined twice");
	else
		rc = map_put(&r->functions, key, f) ? err_nomem(r->e, "a function", sizeof *f) : 0;
	mem_free(key);
	return rc;
}

int inline_collect(struct reader *r, Onnx__FunctionProto *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (collect(r, list[i]))
			return err_prefix(r->e, "function '%s'", read_text(list[i]->name));
	return 0;
}

int inline_find(struct reader *r, const Onnx__NodeProto *p, const struct function **out)
{
	char *key;

	*out = NULL;
	if (!map_first(&r->functions))
		return 0;
	key = function_key(r, read_domain(p->domain), read_text(p->op_type), read_text(p->overload));
	if (!key)
		return status_of(r->e);
	*out = map_get(&r->functions, key);
	mem_free(key);
	return 0;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static int check_call(struct reader *r, const struct scope *s, const Onnx__NodeProto *p, const struct function *f)
{
	const Onnx__FunctionProto *fp = f->proto;

	if (s->depth >= MODEL_MAX_DEPTH)
		return err_set(r->e, ERR_LIMIT, "functions nested deeper than %d", MODEL_MAX_DEPTH);
	for (const struct call_site *c = s->fn; c; c = c->scope->fn)
		if (c->function == f)
			return err_set(r->e, ERR_INPUT, "function '%s' calls itself", read_text(fp->name));
	if (p->n_input > fp->n_input)
		return err_set(r->e, ERR_INPUT, "%zu inputs, but the function has %zu", p->n_input, fp->n_input);
	if (p->n_output > fp->n_output)
		return err_set(r->e, ERR_INPUT, "%zu outputs, but the function has %zu", p->n_output, fp->n_output);
	return read_spend(r, 1 + fp->n_input + fp->n_output + fp->n_node);
}

static int check_call_attrs(struct reader *r, const Onnx__NodeProto *p, const Onnx__FunctionProto *f)
{
	if (read_spend(r, p->n_attribute * (f->n_attribute + f->n_attribute_proto)))
		return status_of(r->e);
	for (size_t i = 0; i < p->n_attribute; i++) {
		const char *name = read_text(p->attribute[i]->name);
		int known = 0;

		for (size_t k = 0; k < f->n_attribute && !known; k++)
			known = !strcmp(read_text(f->attribute[k]), name);
		for (size_t k = 0; k < f->n_attribute_proto && !known; k++)
			known = !strcmp(read_text(f->attribute_proto[k]->name), name);
		if (!known)
			return err_set(r->e, ERR_INPUT, "the function has no attribute '%s'", name);
	}
	return 0;
}

static int bind_inputs(struct reader *r, const struct scope *s, const Onnx__NodeProto *p, struct scope *body)
{
	const Onnx__FunctionProto *f = body->fn->function->proto;

	for (size_t i = 0; i < f->n_input; i++) {
		const char *name = i < p->n_input ? read_text(p->input[i]) : "";
		struct wire *w = (struct wire *)&read_absent;

		if (read_name(r, name, "an input's name"))
			return status_of(r->e);
		if (*name)
			w = read_lookup(s, name);
		if (!w)
			return err_set(r->e, ERR_INPUT, "input '%s' is made by no node, input or initializer", name);
		if (map_put(&body->names, f->input[i], w))
			return err_nomem(r->e, "a table of names", f->n_input);
	}
	return 0;
}

static int bind_outputs(struct reader *r, const struct scope *s, const Onnx__NodeProto *p, struct scope *body)
{
	const Onnx__FunctionProto *f = body->fn->function->proto;

	for (size_t i = 0; i < p->n_output; i++)
		if (*read_text(p->output[i]) && map_put(body->results, f->output[i], map_get(&s->names, p->output[i])))
			return err_nomem(r->e, "a table of names", f->n_output);
	return 0;
}

/* A formal output that is a formal input as well: the caller's wire is a copy of it. */
static int add_identity(struct reader *r, const struct scope *body, struct wire *from, struct wire *to)
{
	const struct function *f = body->fn->function;
	const struct node_spec spec = {.name = to->name, .op_type = "Identity", .n_in = 1, .n_out = 1};
	struct node *n = node_new(body->graph, &spec, 0, r->e);

	if (!n)
		return status_of(r->e);
	n->opset = model_opset(r->m, "");
	for (size_t i = 0; i < f->n_opsets; i++)
		if (!*f->opsets[i].domain)
			n->opset = f->opsets[i].version;
	if (!n->opset)
		n->opset = 1;
	n->in[0] = from;
	node_set_output(n, 0, to);
	return node_append(n, r->e);
}

static int finish_outputs(struct reader *r, const struct scope *body)
{
	const Onnx__FunctionProto *f = body->fn->function->proto;
	int rc = 0;

	for (size_t i = 0; i < f->n_output && !rc; i++) {
		struct wire *made = map_get(&body->names, f->output[i]);
		struct wire *wanted = map_get(body->results, f->output[i]);

		if (!wanted || made == wanted)
			continue;
		if (!made || made == &read_absent)
			return err_set(r->e, ERR_INPUT, "the function makes no output '%s'", f->output[i]);
		rc = add_identity(r, body, made, wanted);
	}
	return rc;
}

static int read_function_body(struct reader *r, const struct scope *s, const Onnx__NodeProto *p, struct scope *body)
{
	const Onnx__FunctionProto *f = body->fn->function->proto;
	int rc = bind_inputs(r, s, p, body);

	if (!rc)
		rc = bind_outputs(r, s, p, body);
	if (!rc)
		rc = read_declare_outputs(r, body, f->node, f->n_node);
	if (!rc)
		rc = read_nodes(r, body, f->node, f->n_node);
	return rc ? rc : finish_outputs(r, body);
}

int inline_call(struct reader *r, struct scope *s, const Onnx__NodeProto *p, const char *name, const struct function *f)
{
	struct map results = MAP_INIT;
	struct call_site call = {.function = f, .node = p, .scope = s};
	struct scope body = {.graph = s->graph, .results = &results, .fn = &call, .depth = s->depth + 1};
	size_t size = strlen(name) + 2;
	char *prefix = model_carve(r->m, size, 1, "a name", r->e);
	int rc;

	if (!prefix)
		return status_of(r->e);
	snprintf(prefix, size, "%s/", name);
	body.prefix = prefix;
	call.defaults = (struct scope){.graph = s->graph, .prefix = prefix, .depth = s->depth + 1};
	rc = check_call(r, s, p, f);
	if (!rc)
		rc = check_call_attrs(r, p, f->proto);
	if (!rc)
		rc = read_function_body(r, s, p, &body);
	map_release(&body.names);
	map_release(&results);
	return rc;
}
