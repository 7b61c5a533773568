/* spatial.c - geometry of windows that convolutions and pools share; see spatial.h. */
#include "backends/tf/spatial.h"

static void shift(int64_t *list, int64_t first)
{
	list[1] = list[0];
	list[0] = first;
}

void tf_spatial_widen(struct spatial *s)
{
	if (s->n != 1)
		return;
	shift(s->in, 1);
	shift(s->kernel, 1);
	shift(s->stride, 1);
	shift(s->dilation, 1);
	shift(s->out, 1);
	shift(s->pad_begin, 0);
	shift(s->pad_end, 0);
	s->n = 2;
}

int tf_spatial_dilated(const struct spatial *s)
{
	for (int i = 0; i < s->n; i++)
		if (s->dilation[i] != 1)
			return 1;
	return 0;
}

struct tf_value *tf_widen(struct bind_call *c, struct tf_value *x)
{
	int64_t dims[4];

	if (tf_failed(c) || x->rank != 3)
		return x;
	dims[0] = x->dims[0];
	dims[1] = x->dims[1];
	dims[2] = 1;
	dims[3] = x->dims[2];
	return tf_reshape(c, x, 4, dims);
}

struct tf_value *tf_narrow(struct bind_call *c, struct tf_value *x, int rank)
{
	int64_t dims[3];

	if (tf_failed(c) || rank != 3)
		return x;
	dims[0] = x->dims[0];
	dims[1] = x->dims[1];
	dims[2] = x->dims[3];
	return tf_reshape(c, x, 3, dims);
}
