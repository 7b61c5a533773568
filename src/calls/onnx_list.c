/* onnx_list.c - see onnx_list.h.  The rows of ops.def say what there is; whether a library has an operator shows when
 * it is tried. */
#include "calls/onnx_list.h"

#include <limits.h>
#include <string.h>

#include "ops/attr.h"

static const char *const attr_words[] = {
	[ATTR_NONE] = "",           [ATTR_FLOAT] = "float",     [ATTR_INT] = "int",       [ATTR_STRING] = "string",
	[ATTR_TENSOR] = "tensor",   [ATTR_GRAPH] = "graph",     [ATTR_FLOATS] = "floats", [ATTR_INTS] = "ints",
	[ATTR_STRINGS] = "strings", [ATTR_TENSORS] = "tensors", [ATTR_GRAPHS] = "graphs", [ATTR_SPARSE] = "sparse",
	[ATTR_TYPE] = "type",
};

static size_t count_ports(const struct op_port *p)
{
	size_t n = 0;

	while (n < OP_MAX_PORTS && p[n].name)
		n++;
	return n;
}

/* An attribute has several rows where versions differ: the newest counts. */
static int is_newest(const struct op *op, const struct op_attr *a)
{
	return a == attr_row(op, a->name, INT_MAX);
}

static size_t count_attrs(const struct op *op)
{
	size_t n = 0;

	for (const struct op_attr *a = op->attrs; a && a->name; a++)
		n += (size_t)is_newest(op, a);
	return n;
}

/* An input: its element types are the values allowed. */
static int fill_input(struct arena *arena, const struct op_port *p, struct backend_parameter *out)
{
	size_t n = 0;

	for (int t = 1; t < DT_COUNT; t++)
		n += (p->types & TM(t)) != 0;
	out->name = arena_strdup(arena, p->name);
	out->type = arena_strdup(arena, p->flags & PORT_VARIADIC ? "tensors" : "tensor");
	out->default_value = arena_strdup(arena, "");
	out->allowed = arena_array(arena, n + 1, sizeof *out->allowed);
	out->is_input = 1;
	out->optional = (p->flags & PORT_OPTIONAL) != 0;
	for (int t = 1; t < DT_COUNT && out->allowed; t++)
		if (p->types & TM(t))
			out->allowed[out->n_allowed++] = arena_strdup(arena, dtype_name((enum dtype)t));
	for (size_t i = 0; i < out->n_allowed; i++)
		if (!out->allowed[i])
			return -1;
	return out->name && out->type && out->default_value && out->allowed ? 0 : -1;
}

static int fill_attr(struct arena *arena, const struct op_attr *a, struct backend_parameter *out)
{
	out->name = arena_strdup(arena, a->name);
	out->type = arena_strdup(arena, attr_words[a->type]);
	out->default_value = arena_strdup(arena, "");
	out->optional = !a->required;
	return out->name && out->type && out->default_value ? 0 : -1;
}

static const char *full_name(struct arena *arena, const struct op_row *row)
{
	return *row->domain ? arena_printf(arena, "%s:%s", row->domain, row->name) : arena_strdup(arena, row->name);
}

static int fill_operation(struct arena *arena, const struct op_row *row, const char *name,
			  struct backend_operation *out)
{
	size_t n_in = count_ports(row->op->in), n_attrs = count_attrs(row->op);
	int rc = 0;

	out->name = arena_strdup(arena, name);
	out->doc = arena_strdup(arena, "");
	out->n_outputs = count_ports(row->op->out);
	out->n_parameters = n_in + n_attrs;
	out->parameters = arena_array(arena, out->n_parameters + 1, sizeof *out->parameters);
	if (!out->name || !out->doc || !out->parameters)
		return -1;
	for (size_t i = 0; i < n_in && !rc; i++)
		rc = fill_input(arena, &row->op->in[i], &out->parameters[i]);
	for (const struct op_attr *a = row->op->attrs; a && a->name && !rc; a++)
		if (is_newest(row->op, a))
			rc = fill_attr(arena, a, &out->parameters[n_in++]);
	return rc;
}

int onnx_list(const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n, struct err *e)
{
	struct backend_operation *list = arena_array(arena, op_row_count + 1, sizeof *list);
	size_t found = 0;

	if (!list)
		return err_nomem(e, "the list of operators", op_row_count * sizeof *list);
	for (size_t i = 0; i < op_row_count; i++) {
		const char *name = full_name(arena, &op_rows[i]);

		if (!name)
			return err_nomem(e, "an operator's name", 0);
		if (strncmp(name, prefix, strlen(prefix)))
			continue;
		if (fill_operation(arena, &op_rows[i], name, &list[found++]))
			return err_nomem(e, "an operator", 0);
	}
	*out = list;
	*n = found;
	return 0;
}
