/* judge.h - the rounding oracle: is a library's output what the reference says, up to what float rounding explains?
 *
 * A deviation is measured in units of the rounding noise of its element (reference.h, REF_NOISY):
 *
 *     ratio_i = |got_i - exact_i| / max(noise_i, u |exact_i|)        u: unit roundoff of the output's type
 *
 * A correct library stays within a few units, whatever the network.  Integers and bools have no unit roundoff: they
 * must be equal unless the noisy runs flipped them too. */
#ifndef JUDGE_JUDGE_H
#define JUDGE_JUDGE_H

#include "base/verdict.h"
#include "tensor/value.h"

/* Largest ratio that is still rounding; docs/oracle.md shows what it is chosen from.  The largest that ONNX Runtime
 * shows on ten thousand cases is 10.6 (a mean over thousands of elements, added one after the other), on trained
 * networks 4.4. The margin is for other processors and for elements whose noise eight runs estimate too low; one wrong
 * epsilon or one mirrored filter stands in the hundreds. */
#define JUDGE_LIMIT 20.0

struct judgement {
	enum verdict verdict;
	double ratio;      /* the largest noise ratio over the elements that were judged */
	size_t worst;      /* its element */
	double exact, got; /* … and what stands there */
	size_t beyond;     /* elements above the limit */
	size_t unstable;   /* elements whose noise is infinite: not judged */
	char reason[256];  /* one sentence, "" when it agrees; has the worst element where numbers cannot: see below */
};

/* Are exact and got of no use to tell what is wrong?  Strings are no numbers, and integers of 64 bits may differ where
 * a double does not; reason says then what stands at the worst element. */
int judge_is_told(const struct judgement *j);

/* Judges one output.  exact: wide, as ref_run() gives it; noise: one number an element, NULL: none (then only rounding
 * of the result is allowed); got: packed or wide.  limit: JUDGE_LIMIT, or another. */
void judge_tensor(const struct tensor *exact, const float *noise, const struct tensor *got, double limit,
		  struct judgement *out);

/* The noise of what is right, for another answer to be held against: NULL when that has more or fewer elements, which
 * libraries are free to give. */
const float *judge_noise_for(const float *noise, size_t right, size_t other);

/* Noise ratio of one element; 0 when it is the exact value rounded once, infinite when no noise explains it. */
double judge_element(const struct tensor *exact, size_t i, double noise, double got);
/* The same of an element of a tensor; infinite also where integers of 64 bits differ in places that a double does not
 * have. */
double judge_element_of(const struct tensor *exact, const struct tensor *got, size_t i, double noise);

/* The same for a value of any kind, item by item; noise as ref_run() gives it.  `worst` counts the elements of all
 * items, one item after the other. */
void judge_value(const struct value *exact, const float *noise, const struct value *got, double limit,
		 struct judgement *out);

/* An output that is random by specification: only its kind, type and rank can be wrong; else it is vacuous. */
void judge_random(const struct value *exact, const struct value *got, struct judgement *out);

#endif
