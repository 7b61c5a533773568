/* tf.c - TensorFlow, from outside. */
#include <string.h>

#include "libraries/internal.h"
#include "libraries/role.h"

static const struct library_switch switches[] = {
	{"mode=graph", "noopt", "Grappler", NULL},   {"mode=graph", "eager", "graph mode", NULL},
	{"mode=eager", "noopt", "eager mode", NULL}, {"", "onednn0", "oneDNN kernels", NULL},
	{"", "threads=1", "threads", NULL},          {0},
};

static const struct library_pair pairs[] = {
	{PAIR_OPTIMIZED, NULL, "onednn0", 1}, /* kernels without oneDNN */
	{PAIR_OPTIMIZED, NULL, "graph", 0},   /* a session, with its optimizer (Grappler) */
	{PAIR_OPTIMIZED, NULL, "noopt", 0},   /* a session without it */
	{PAIR_PIPELINE, NULL, "pipeline", 0}, /* a function of the call, mapped over a data set of one element */
	{PAIR_SAVED, "graph", "saved", 0},    /* GraphDef */
	{0},
};

/* ---- its registry ------------------------------------------------------------------------------------------------ */

static const struct dialect_type types[] = {
	{"list(int)", PARAMETER_INTS},
	{"list(float)", PARAMETER_FLOATS},
	{"int", PARAMETER_INT},
	{"float", PARAMETER_FLOAT},
	{"bool", PARAMETER_BOOL},
	{"type", PARAMETER_DTYPE},
	{0},
};

static const struct role roles[] = {
#include "libraries/tf_roles.def"
	{0},
};

/* Does an input have the type, or the count, that this attribute says? */
static int follows(const struct backend_operation *op, const char *attribute)
{
	for (size_t i = 0; i < op->n_parameters; i++) {
		const struct backend_parameter *p = &op->parameters[i];

		if (p->is_input && (!strcmp(dialect_element(p), attribute) || dialect_is_counted_by(p, attribute)))
			return 1;
	}
	return 0;
}

/* Inputs: an element type, the name of a type attribute, or "N * T". */
static enum parameter_kind kind(const struct dialect *d, const struct backend_operation *op,
				const struct backend_parameter *p)
{
	static const char *const handles[] = {"resource", "variant", "string", "list("};

	if (!p->is_input)
		return follows(op, p->name) ? PARAMETER_SKIP : dialect_word_kind(d, p);
	for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
		if (!strncmp(p->type, handles[i], strlen(handles[i])))
			return PARAMETER_UNKNOWN;
	return dialect_element(p) != p->type ? PARAMETER_TENSORS : PARAMETER_TENSOR;
}

/* Quantized types and texts cannot be passed. */
static int has_type(const struct backend_operation *op, const struct backend_parameter *p)
{
	const char *name = p->is_input ? dialect_element(p) : p->name;

	for (size_t i = 0; i < op->n_parameters; i++) {
		const struct backend_parameter *q = &op->parameters[i];
		size_t known = 0;

		if (q->is_input || strcmp(q->type, "type") != 0 || strcmp(q->name, name) != 0)
			continue;
		for (size_t k = 0; k < q->n_allowed; k++)
			known += dtype_from_name(q->allowed[k]) != DT_UNDEFINED && strcmp(q->allowed[k], "string") != 0;
		return known || !q->n_allowed;
	}
	return !p->is_input || dtype_from_name(name) != DT_UNDEFINED;
}

static const char *const gradient_marks[] = {"BackpropFilter", "BackpropInput", "Gradient", "Grad", NULL};

static const struct dialect dialect_tf = {
	.name = "tf",
	.types = types,
	.roles = roles,
	.kind = kind,
	.has_type = has_type,
	.gradient_marks = gradient_marks,
	.lists_by_rank = 1,
};

const struct library library_tf = {
	.name = "tf",
	.switches = switches,
	.pairs = pairs,
	.dialect = &dialect_tf,
	.repro = {.how = REPRO_CALLS, .text = repro_tf, .package = "tensorflow"},
	.script = {.text = equiv_tf, .package = "tensorflow"},
	.calls = {.bound = 1, .eager = "mode=eager"},
};
