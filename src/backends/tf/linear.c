/* linear.c - matrix products: MatMul, Gemm, Einsum. */
#include <ctype.h>
#include <string.h>

#include "backends/tf/tf.h"

static struct tf_value *product(struct bind_call *c, struct tf_value *a, struct tf_value *b, int transpose_a,
				int transpose_b)
{
	struct tf_op op;

	if (tf_failed(c))
		return NULL;
	if (a->rank == 2 && b->rank == 2) {
		op = tf_op(c, "MatMul");
		tf_op_in(&op, a);
		tf_op_in(&op, b);
		tf_op_bool(&op, "transpose_a", transpose_a);
		tf_op_bool(&op, "transpose_b", transpose_b);
		return tf_op_run(&op);
	}
	return tf_batch_product(c, a, b);
}

/* As numpy: a vector on the left is a row, on the right a column, and that axis goes away again. */
static int run_matmul(struct bind_call *c)
{
	struct tf_value *a = tf_in(c, 0), *b = tf_in(c, 1), *y;
	int64_t dims[TENSOR_MAX_RANK];
	int row, column, rank = 0;

	if (tf_failed(c) || tf_static(c, a) || tf_static(c, b))
		return c->err->code;
	if (!a->rank || !b->rank)
		return err_set(c->err, ERR_INPUT, "a factor is a scalar");
	row = a->rank == 1;
	column = b->rank == 1;
	if (row)
		a = tf_reshape(c, a, 2, (const int64_t[]){1, a->dims[0]});
	if (column)
		b = tf_reshape(c, b, 2, (const int64_t[]){b->dims[0], 1});
	y = product(c, a, b, 0, 0);
	if (tf_failed(c) || (!row && !column))
		return tf_out(c, 0, y);
	for (int i = 0; i < y->rank; i++)
		if (!((row && i == y->rank - 2) || (column && i == y->rank - 1)))
			dims[rank++] = y->dims[i];
	return tf_out(c, 0, tf_reshape(c, y, rank, dims));
}

/* alpha A' B' + beta C */
static int run_gemm(struct bind_call *c)
{
	double alpha = attr_float(c->node, "alpha"), beta = attr_float(c->node, "beta");
	struct tf_value *y = product(c, tf_in(c, 0), tf_in(c, 1), attr_int(c->node, "transA") != 0,
				     attr_int(c->node, "transB") != 0);

	if (alpha != 1 && !tf_failed(c))
		y = tf_2(c, "Mul", y, tf_scalar(c, y->dtype, alpha));
	if (tf_has(c, 2) && beta != 0 && !tf_failed(c)) {
		struct tf_value *bias = tf_in(c, 2);

		if (beta != 1)
			bias = tf_2(c, "Mul", bias, tf_scalar(c, bias->dtype, beta));
		y = tf_2(c, "AddV2", y, bias);
	}
	return tf_out(c, 0, y);
}

/* Without blanks; an equation without an arrow gets its output: the letters that stand once, in order. */
static char *plain_equation(struct bind_call *c, const char *text)
{
	size_t n = strlen(text), k = 0, counts[128] = {0};
	char *out = arena_alloc(c->tmp, n + 128 + 8);

	if (!out)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		if (isspace((unsigned char)text[i]))
			continue;
		out[k++] = text[i];
		if (isalpha((unsigned char)text[i]))
			counts[(unsigned char)text[i]]++;
	}
	out[k] = '\0';
	if (strstr(out, "->"))
		return out;
	out[k++] = '-';
	out[k++] = '>';
	if (strstr(text, "..."))
		for (int i = 0; i < 3; i++)
			out[k++] = '.';
	for (int letter = 0; letter < 128; letter++)
		if (counts[letter] == 1)
			out[k++] = (char)letter;
	out[k] = '\0';
	return out;
}

static int run_einsum(struct bind_call *c)
{
	const char *text = attr_string(c->node, "equation");
	char *equation = plain_equation(c, text);
	struct tf_op op;

	if (!equation)
		return err_nomem(c->err, "an equation", strlen(text));
	if (c->n_in > 2)
		return bind_unsupported(c, "tensorflow's Einsum takes one or two tensors, not %d", c->n_in);
	if (strstr(equation, "...") && !strstr(strstr(equation, "->"), "..."))
		return bind_unsupported(c, "tensorflow's Einsum does not sum over an ellipsis");
	op = tf_op(c, "Einsum");
	tf_op_in_list(&op, (struct tf_value *const *)c->in, c->n_in);
	tf_op_string(&op, "equation", equation);
	return tf_out(c, 0, tf_op_run(&op));
}

const struct binding tf_rows_linear[] = {
	{"Einsum", run_einsum, NULL},
	{"Gemm", run_gemm, NULL},
	{"MatMul", run_matmul, NULL},
	{0},
};
