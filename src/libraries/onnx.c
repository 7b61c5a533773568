/* onnx.c - the dialect of libraries that read ONNX: they list its operators as its schemas have them. */
#include "libraries/dialect.h"

static const struct dialect_type types[] = {
	{"tensors", PARAMETER_UNKNOWN}, {"ints", PARAMETER_INTS},   {"int", PARAMETER_INT},
	{"floats", PARAMETER_FLOATS},   {"float", PARAMETER_FLOAT}, {0},
};

/* Types of inputs are lists of element types. */
static enum parameter_kind kind(const struct dialect *d, const struct backend_operation *op,
				const struct backend_parameter *p)
{
	(void)op;
	return p->is_input ? PARAMETER_TENSOR : dialect_word_kind(d, p);
}

const struct dialect dialect_onnx = {.name = "onnx", .types = types, .kind = kind};
