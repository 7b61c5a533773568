/* complex.c - complex tensors as meanings see them: real numbers, with an axis of 2 more (declared in meaning.h). */
#include <string.h>

#include "proof/meaning.h"

/* A complex tensor as one of real numbers, with an axis of 2 at its end. */
static struct tensor *real_view(struct tensor *t, struct err *e)
{
	enum dtype part = dtype_part(t->dtype);
	int64_t dims[TENSOR_MAX_RANK];
	struct tensor *wide, *real, *packed;

	if (t->rank == TENSOR_MAX_RANK) {
		err_set(e, ERR_UNSUPPORTED, "a complex tensor of rank %d", t->rank);
		return NULL;
	}
	memcpy(dims, t->dims, sizeof dims);
	dims[t->rank] = 2;
	wide = tensor_widen(t, e);
	real = wide ? tensor_new(part, t->rank + 1, dims, e) : NULL;
	if (real)
		memcpy(real->f, wide->f, real->count * sizeof *real->f);
	packed = real ? tensor_pack(real, e) : NULL;
	tensor_unref(wide);
	tensor_unref(real);
	return packed;
}

int meaning_is_complex(const struct tensor *t)
{
	return t->dtype == DT_COMPLEX64 || t->dtype == DT_COMPLEX128;
}

struct tensor *meaning_real(struct tensor *t, struct err *e)
{
	return meaning_is_complex(t) ? real_view(t, e) : tensor_ref(t);
}
