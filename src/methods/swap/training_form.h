/* training_form.h - a network as it is trained, made so that two libraries can be compared.
 *
 *   BatchNormalization   normalizes by the mini-batch (training_mode = 1, from version 14 on)
 *   Dropout              becomes a product with a mask: an input that assay draws, so that all sides have the same one
 */
#ifndef METHODS_SWAP_TRAINING_FORM_H
#define METHODS_SWAP_TRAINING_FORM_H

#include "model/model.h"

#define TRAINING_MOST_MASKS 64

struct training_mask {
	struct type type;
	double ratio; /* of elements that are 0 */
};

struct training_masks {
	struct training_mask at[TRAINING_MOST_MASKS]; /* by the inputs that were added, in their order */
	size_t n;
	size_t normalizations; /* that are in their training form now */
};

/* The model's types are known.  ERR_UNSUPPORTED: there is nothing that is otherwise in training, or a shape is open. */
int training_form(struct model *m, struct training_masks *out, struct err *e);

/* Mask i of a step: 0, or 1 / (1 - ratio).  NULL: e says why. */
struct value *training_form_mask(const struct training_masks *masks, size_t i, uint64_t seed, size_t step,
				 struct err *e);

#endif
