/* compare.h - do two values agree, and if not, does rounding explain it? */
#ifndef METHODS_EQUIV_COMPARE_H
#define METHODS_EQUIV_COMPARE_H

#include "methods/equiv/equiv.h"

/* What of two values is to be compared. */
struct compare_how {
	int same_type; /* tensors of other types are not compared, else b is rounded to a's where both are floats */
	int zero_times_inf; /* padding meets what is not finite, in other code for b: a NaN of one side says nothing */
	int whole_apart;    /* whole numbers of side a stand for no floats of side b: the library promotes none */
	int derived;        /* derivatives: whether one overflows to NaN or an infinity says nothing */
	int overflows;      /* libraries.h: an infinity beside a number at the end of the type says nothing */
	int converts;       /* floats go in: a whole number may be what was made of a NaN */
	uint64_t unspecified; /* outputs that the library promises nothing of, by bit */
	double steps;         /* times the noise; 0: once */
	double roundoff;      /* of a lower type that a side rounds to on purpose; 0: neither does */
};

/* The same bits, of the same shape and type; but for unspecified outputs. */
int compare_same(const struct value *a, const struct value *b, uint64_t unspecified);

/* Whether the numbers of `wide` fit the types of `narrow`, where these are of whole numbers. */
int compare_fits(const struct value *narrow, const struct value *wide);

enum compare_result {
	COMPARE_CLOSE,  /* all tensors are within atol + rtol |b| */
	COMPARE_BEYOND, /* `detail` says what differs */
	COMPARE_NOTHING /* none of them can be compared: texts */
};

enum compare_result compare_close(const struct value *a, const struct value *b, const struct compare_how *how,
				  const struct equiv_options *o, char *detail, size_t size);

/* Whether every part that differs has an infinity on one side and a number on the other; with `nan` also a NaN beside
 * anything else.  0 where shapes differ. */
int compare_ends(const struct value *a, const struct value *b, const struct compare_how *how,
		 const struct equiv_options *o, int nan);

/* Whether both are off where they differ, each by more than the tolerance: `right` says what there should be. */
int compare_neither(const struct value *a, const struct value *b, const struct value *right,
		    const struct compare_how *how, const struct equiv_options *o);

/* Largest |a_i - b_i| / max(noise_i, u |b_i|) over elements that are beyond the tolerance; noise_i from further runs
 * of both sides.  INFINITY where one side is NaN or infinite alone. */
struct compare_noise {
	struct value *const *a, *const *b; /* [n], runs on nudged inputs; NULL: that run gave nothing */
	size_t n;
};
double compare_ratio(const struct value *a, const struct value *b, const struct compare_how *how,
		     const struct compare_noise *noise, const struct equiv_options *o);

#endif
