/* reals.h - numbers as doubles or as floats: what a wide tensor holds, or a constant that stays packed because that is
 * half of the bytes to read. */
#ifndef OPS_KIT_REALS_H
#define OPS_KIT_REALS_H

#include "tensor/tensor.h"

struct reals {
	const double *f64;
	const float *f32; /* one of the two is NULL */
};

/* A wide tensor of floats, or a packed one of float32. */
static inline struct reals reals_of(const struct tensor *t)
{
	return t->wide ? (struct reals){.f64 = t->f} : (struct reals){.f32 = t->data};
}

static inline struct reals reals_at(struct reals x, size_t i)
{
	return x.f64 ? (struct reals){.f64 = x.f64 + i} : (struct reals){.f32 = x.f32 + i};
}

#endif
