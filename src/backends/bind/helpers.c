/* helpers.c - what bindings ask of the driver; see bind.h. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "backends/bind/internal.h"

int bind_unsupported(struct bind_call *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_set(c->err, ERR_UNSUPPORTED, "%s", text);
}

int bind_has(const struct bind_call *c, int i)
{
	return i >= 0 && i < c->n_in && c->in[i];
}

const struct type *bind_type(struct bind_call *c, int i)
{
	if (bind_has(c, i) && type_is_static(&c->call->in_type[i]))
		return &c->call->in_type[i];
	bind_unsupported(c, "the shape of input %d is not known", i);
	return NULL;
}

const struct tensor *bind_known(struct bind_call *c, int i)
{
	struct tensor *packed = NULL;
	struct err ignored = ERR_INIT;

	if (!bind_has(c, i)) {
		err_set(c->err, ERR_INPUT, "input %d is not there", i);
		return NULL;
	}
	if (c->known[i])
		return c->known[i];
	if (c->library->to_tensor(c->ctx, c->in[i], &packed, c->err))
		return NULL;
	c->known[i] = tensor_widen(packed, c->err);
	tensor_unref(packed);
	if (!c->known[i])
		return NULL;
	c->call->err = &ignored; /* the output's shape may be known now; a clash will be the library's to report */
	call_infer(c->call);
	c->call->err = c->err;
	return c->known[i];
}

int bind_ints(struct bind_call *c, const char *attr, int input, const int64_t **list, size_t *n, int *found)
{
	enum ints_found how = INTS_ABSENT;
	int rc;

	if (bind_has(c, input) && !bind_known(c, input))
		return c->err->code;
	rc = call_ints(c->call, attr, input, list, n, &how);
	*found = how == INTS_GIVEN;
	return rc;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* "Conv", "ai.onnx.ml:Scaler" */
static int is_named(const struct binding *b, const char *domain, const char *op)
{
	size_t n = strlen(domain);

	if (!n)
		return !strcmp(b->op, op);
	return !strncmp(b->op, domain, n) && b->op[n] == ':' && !strcmp(b->op + n + 1, op);
}

const struct binding *bind_find(const struct bind_library *l, const char *domain, const char *op)
{
	for (const struct binding *const *family = l->families; *family; family++)
		for (const struct binding *b = *family; b->op; b++)
			if (is_named(b, domain, op))
				return b;
	return NULL;
}

static size_t count_rows(const struct bind_library *l)
{
	size_t n = 0;

	for (const struct binding *const *family = l->families; *family; family++)
		for (const struct binding *b = *family; b->op; b++)
			n++;
	return n;
}

/* Operators that the driver itself runs for every library. */
static int is_ours(const struct op_row *r)
{
	return !*r->domain && (!strcmp(r->name, "Constant") || (r->op->flags & OP_SHAPE_ONLY));
}

const char *const *bind_operators(const struct bind_library *l)
{
	static const struct bind_library *of;
	static const char **names;
	size_t n = 0;

	if (of == l)
		return names;
	names = mem_array(count_rows(l) + op_row_count + 1, sizeof *names);
	if (!names)
		return NULL;
	for (size_t i = 0; i < op_row_count; i++)
		if (is_ours(&op_rows[i]) && !bind_find(l, op_rows[i].domain, op_rows[i].name))
			names[n++] = op_rows[i].name;
	for (const struct binding *const *family = l->families; *family; family++)
		for (const struct binding *b = *family; b->op; b++)
			names[n++] = b->op;
	of = l;
	return names;
}
