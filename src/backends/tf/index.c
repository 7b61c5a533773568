/* index.c - operators that read or write at positions given by a tensor.
 *
 * ONNX counts negative positions from the end, TensorFlow refuses them: they are mended first.  GatherElements and
 * ScatterElements become GatherNd and TensorScatter* with the other coordinates written out. */
#include <string.h>

#include "backends/tf/tf.h"

/* index < 0 ? index + dim : index; `dim` broadcasts */
static struct tf_value *mended(struct bind_call *c, struct tf_value *index, struct tf_value *dim)
{
	struct tf_value *negative = tf_2(c, "Less", index, index ? tf_scalar(c, index->dtype, 0) : NULL);

	return tf_select(c, negative, tf_2(c, "AddV2", index, dim), index);
}

static int run_gather(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *index = tf_in(c, 1);
	int axis;

	if (tf_failed(c) || tf_static(c, x) || tf_axis(c, attr_int(c->node, "axis"), x->rank, &axis))
		return c->err->code;
	index = mended(c, index, tf_scalar(c, index->dtype, (double)x->dims[axis]));
	return tf_out(c, 0, tf_3(c, "GatherV2", x, index, tf_scalar(c, DT_INT32, axis)));
}

/* Dimensions of x as the coordinates (…, k) of `index` see them. */
static struct tf_value *dims_for(struct bind_call *c, const struct tf_value *x, const struct tf_value *index)
{
	int64_t k = index->rank ? index->dims[index->rank - 1] : 0;

	if (k > x->rank || !index->rank) {
		err_set(c->err, ERR_INPUT, "%lld coordinates for rank %d", (long long)k, x->rank);
		return NULL;
	}
	return tf_cast(c, tf_list(c, x->dims, (int)k), index->dtype);
}

static int run_gather_nd(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *index = tf_in(c, 1);

	if (tf_failed(c) || tf_static(c, x) || tf_static(c, index))
		return c->err->code;
	if (attr_int(c->node, "batch_dims"))
		return bind_unsupported(c, "batch_dims");
	return tf_out(c, 0, tf_2(c, "GatherNd", x, mended(c, index, dims_for(c, x, index))));
}

/* The coordinate along axis a of every element of a tensor shaped as `like`. */
static struct tf_value *coordinates(struct bind_call *c, const struct tf_value *like, int a)
{
	struct tensor *t = tensor_new(DT_INT64, like->rank, like->dims, c->err);
	size_t inner = 1;

	for (int i = a + 1; i < like->rank; i++)
		inner *= (size_t)like->dims[i];
	for (size_t i = 0; t && i < t->count; i++)
		t->i[i] = (int64_t)(i / inner % (size_t)like->dims[a]);
	return tf_constant(c, t);
}

/* (…) of positions along one axis → (…, rank) of full coordinates */
static struct tf_value *full_index(struct bind_call *c, const struct tf_value *x, struct tf_value *index, int axis)
{
	struct tf_value *parts[TENSOR_MAX_RANK];
	struct tf_op op;

	index = tf_cast(c, index, DT_INT64);
	for (int i = 0; i < x->rank && !tf_failed(c); i++)
		parts[i] = i == axis ? mended(c, index, tf_scalar(c, DT_INT64, (double)x->dims[i]))
				     : coordinates(c, index, i);
	if (tf_failed(c))
		return NULL;
	op = tf_op(c, "Pack");
	tf_op_in_list(&op, parts, x->rank);
	tf_op_int(&op, "axis", x->rank);
	return tf_op_run(&op);
}

static int check_elements(struct bind_call *c, struct tf_value *x, struct tf_value *index, int *axis)
{
	if (tf_failed(c) || tf_static(c, x) || tf_static(c, index) ||
	    tf_axis(c, attr_int(c->node, "axis"), x->rank, axis))
		return c->err->code;
	if (index->rank != x->rank)
		return err_set(c->err, ERR_INPUT, "indices of rank %d for rank %d", index->rank, x->rank);
	return 0;
}

static int run_gather_elements(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *index = tf_in(c, 1);
	int axis;

	if (check_elements(c, x, index, &axis))
		return c->err->code;
	return tf_out(c, 0, tf_2(c, "GatherNd", x, full_index(c, x, index, axis)));
}

/* The operation for `reduction`; NULL: there is none. */
static const char *scatter_name(const char *reduction)
{
	if (!strcmp(reduction, "none"))
		return "TensorScatterUpdate";
	if (!strcmp(reduction, "add"))
		return "TensorScatterAdd";
	if (!strcmp(reduction, "max"))
		return "TensorScatterMax";
	return !strcmp(reduction, "min") ? "TensorScatterMin" : NULL;
}

static int scatter(struct bind_call *c, struct tf_value *x, struct tf_value *index)
{
	const char *reduction = attr_string(c->node, "reduction"), *name = scatter_name(reduction);

	if (!name)
		return bind_unsupported(c, "reduction '%s'", reduction);
	return tf_out(c, 0, tf_3(c, name, x, index, tf_in(c, 2)));
}

static int run_scatter_elements(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *index = tf_in(c, 1);
	int axis;

	if (check_elements(c, x, index, &axis))
		return c->err->code;
	return scatter(c, x, full_index(c, x, index, axis));
}

static int run_scatter_nd(struct bind_call *c)
{
	struct tf_value *x = tf_in(c, 0), *index = tf_in(c, 1);

	if (tf_failed(c) || tf_static(c, x) || tf_static(c, index))
		return c->err->code;
	return scatter(c, x, mended(c, index, dims_for(c, x, index)));
}

/* ---- made from positions ----------------------------------------------------------------------------------------- */

/* (rank, n) of positions; TensorFlow's Where gives (n, rank). */
static int run_non_zero(struct bind_call *c)
{
	static const int order[] = {1, 0};

	if (!tf_failed(c) && tf_in(c, 0) && !tf_in(c, 0)->rank)
		return bind_unsupported(c, "positions in a scalar");
	return tf_out(c, 0, tf_transpose(c, tf_1(c, "Where", tf_in(c, 0)), order));
}

/* values = [off, on]; positions outside of [-depth, depth) give a row of off */
static int run_one_hot(struct bind_call *c)
{
	struct tf_value *index = tf_in(c, 0), *values = tf_in(c, 2);
	const struct tensor *depth = tf_known(c, 1);
	int64_t axis = attr_int(c->node, "axis"), n;
	struct tf_op op;

	if (tf_failed(c))
		return c->err->code;
	if (depth->count != 1)
		return err_set(c->err, ERR_INPUT, "depth must be one number");
	n = (int64_t)tensor_get(depth, 0);
	if (axis < 0)
		axis += index->rank + 1;
	index = tf_cast(c, index, DT_INT64);
	op = tf_op(c, "OneHot");
	tf_op_in(&op, mended(c, index, tf_scalar(c, DT_INT64, (double)n)));
	tf_op_in(&op, tf_scalar(c, DT_INT32, (double)n));
	for (int64_t i = 1; i >= 0; i--)
		tf_op_in(&op, tf_reshape(c, tf_slice(c, values, &i, (const int64_t[]){1}), 0, NULL));
	tf_op_int(&op, "axis", axis);
	return tf_out(c, 0, tf_op_run(&op));
}

static int run_range(struct bind_call *c)
{
	struct tf_value *v[3];

	for (int i = 0; i < 3; i++)
		v[i] = tf_reshape(c, tf_in(c, i), 0, NULL);
	return tf_out(c, 0, tf_3(c, "Range", v[0], v[1], v[2]));
}

static int run_reverse_sequence(struct bind_call *c)
{
	struct tf_op op = tf_op(c, "ReverseSequence");

	tf_op_in(&op, tf_in(c, 0));
	tf_op_in(&op, tf_in(c, 1));
	tf_op_int(&op, "seq_dim", attr_int(c->node, "time_axis"));
	tf_op_int(&op, "batch_dim", attr_int(c->node, "batch_axis"));
	return tf_out(c, 0, tf_op_run(&op));
}

/* Keeps column - row >= k (upper) or <= k (lower). */
static int run_trilu(struct bind_call *c)
{
	int upper = attr_int(c->node, "upper") != 0;
	const struct tensor *known = tf_has(c, 1) ? tf_known(c, 1) : NULL;
	struct tf_value *x = tf_in(c, 0);
	int64_t k = known && known->count ? known->i[0] : 0, rows, columns;
	struct tensor *mask;

	if (tf_failed(c) || tf_static(c, x))
		return c->err->code;
	if (x->rank < 2)
		return err_set(c->err, ERR_INPUT, "rank %d has no matrices", x->rank);
	rows = x->dims[x->rank - 2];
	columns = x->dims[x->rank - 1];
	if (upper ? k <= 0 && k > -rows
		  : k >= 0 && k < columns) /* the diagonal is in it: TensorFlow has an operation */
		return tf_out(c, 0,
			      tf_3(c, "MatrixBandPart", x, tf_scalar(c, DT_INT64, upper ? (double)-k : -1),
				   tf_scalar(c, DT_INT64, upper ? -1 : (double)k)));
	mask = tensor_new(DT_BOOL, 2, x->dims + x->rank - 2, c->err);
	for (size_t i = 0; mask && i < mask->count; i++) {
		int64_t off = (int64_t)(i % (size_t)columns) - (int64_t)(i / (size_t)columns);

		mask->i[i] = upper ? off >= k : off <= k;
	}
	return tf_out(c, 0, tf_select(c, tf_constant(c, mask), x, tf_scalar(c, x->dtype, 0)));
}

const struct binding tf_rows_index[] = {
	{"Gather", run_gather, NULL},
	{"GatherElements", run_gather_elements, NULL},
	{"GatherND", run_gather_nd, NULL},
	{"NonZero", run_non_zero, NULL},
	{"OneHot", run_one_hot, NULL},
	{"Range", run_range, NULL},
	{"ReverseSequence", run_reverse_sequence, NULL},
	{"Scatter", run_scatter_elements, NULL},
	{"ScatterElements", run_scatter_elements, NULL},
	{"ScatterND", run_scatter_nd, NULL},
	{"Trilu", run_trilu, NULL},
	{0},
};
