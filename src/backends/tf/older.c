/* older.c - what older versions of TensorFlow lack, said with what they have; see tf.h.
 *
 * A version's own list of operations tells what it has; from 2.0 on all that the bindings use is there.  What can be
 * said neither way fails with the library's own words ("Op type not registered"), which counts as unsupported. */
#include <stdlib.h>
#include <string.h>

#include "backends/tf/native.h"

/* Operations that took the place of others with the same inputs and attributes. */
static const struct {
	const char *newer, *older;
} replaced[] = {
	{"AddV2", "Add"},
	{"FusedBatchNormV3", "FusedBatchNorm"},
	{"SelectV2", "Select"},           /* of equal shapes: tf_select() */
	{"BatchMatMulV2", "BatchMatMul"}, /* of equal batches: tf_batch_product() */
};

int tf_before(struct tf *t, long major, long minor)
{
	char *end;
	long has = strtol(t->api.TF_Version(), &end, 10);

	return has < major || (has == major && *end == '.' && strtol(end + 1, NULL, 10) < minor);
}

int tf_lacks(struct tf *t, const char *name)
{
	const struct tf_definition *d;
	struct err ignored = {0};

	return tf_before(t, 2, 0) && tf_definition(t, name, &d, &ignored) != 0;
}

const char *tf_name_here(struct tf *t, const char *name)
{
	for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
		if (!strcmp(replaced[i].newer, name) && tf_lacks(t, name))
			return replaced[i].older;
	return name;
}

/* The shape that two shapes broadcast to. */
static int join(struct bind_call *c, const struct tf_value *v, int keep_last, int *rank, int64_t *dims)
{
	int n = v->rank - keep_last, old = *rank;

	if (tf_static(c, v))
		return c->err->code;
	if (n > old) {
		memmove(dims + (n - old), dims, (size_t)old * sizeof *dims);
		for (int i = 0; i < n - old; i++)
			dims[i] = 1;
		*rank = n;
	}
	for (int i = 0; i < n; i++) {
		int64_t *d = &dims[*rank - n + i];

		if (*d == 1)
			*d = v->dims[i];
		else if (v->dims[i] != 1 && v->dims[i] != *d)
			return err_set(c->err, ERR_INPUT, "shapes do not broadcast");
	}
	return 0;
}

/* Ones in front and copies along axes of size 1: what BroadcastTo does. */
static struct tf_value *tiled(struct bind_call *c, struct tf_value *x, int rank, const int64_t *dims)
{
	int64_t full[TENSOR_MAX_RANK] = {0}, copies[TENSOR_MAX_RANK];
	int any = 0;

	if (tf_failed(c) || tf_static(c, x))
		return NULL;
	for (int i = 0; i < rank; i++) {
		int at = i - (rank - x->rank);

		full[i] = at < 0 ? 1 : x->dims[at];
		copies[i] = full[i] == 1 ? dims[i] : 1;
		any |= copies[i] != 1;
	}
	if (x->rank < rank)
		x = tf_reshape(c, x, rank, full);
	return any ? tf_2(c, "Tile", x, tf_list(c, copies, rank)) : x;
}

struct tf_value *tf_broadcast(struct bind_call *c, struct tf_value *x, int rank, const int64_t *dims)
{
	if (!tf_failed(c) && tf_lacks(tf_of(c), "BroadcastTo"))
		return tiled(c, x, rank, dims);
	return tf_2(c, "BroadcastTo", x, tf_list(c, dims, rank));
}

struct tf_value *tf_select(struct bind_call *c, struct tf_value *which, struct tf_value *a, struct tf_value *b)
{
	int64_t dims[TENSOR_MAX_RANK];
	int rank = 0;

	if (tf_failed(c))
		return NULL;
	if (tf_lacks(tf_of(c), "SelectV2")) {
		if (join(c, which, 0, &rank, dims) || join(c, a, 0, &rank, dims) || join(c, b, 0, &rank, dims))
			return NULL;
		which = tiled(c, which, rank, dims);
		a = tiled(c, a, rank, dims);
		b = tiled(c, b, rank, dims);
	}
	return tf_3(c, "SelectV2", which, a, b);
}

struct tf_value *tf_batch_product(struct bind_call *c, struct tf_value *a, struct tf_value *b)
{
	int64_t dims[TENSOR_MAX_RANK + 2];
	int rank = 0;

	if (tf_failed(c))
		return NULL;
	if (tf_lacks(tf_of(c), "BatchMatMulV2")) {
		if (join(c, a, 2, &rank, dims) || join(c, b, 2, &rank, dims))
			return NULL;
		memcpy(dims + rank, a->dims + a->rank - 2, 2 * sizeof *dims);
		a = tiled(c, a, rank + 2, dims);
		memcpy(dims + rank, b->dims + b->rank - 2, 2 * sizeof *dims);
		b = tiled(c, b, rank + 2, dims);
	}
	return tf_2(c, "BatchMatMulV2", a, b);
}
