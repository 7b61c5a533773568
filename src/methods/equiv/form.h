/* form.h - calls of documented functions.
 *
 * The list of a package in a language (torch, jax.numpy) has names; what a valid call of one looks like, its signature
 * does not say.  So valid calls stand in data/equiv/forms-<dialect>.tsv, which scripts/equiv-forms makes with the
 * package itself: dialect, name, form, with tabs between.  A form is the variables (draw.h), and an expression of the
 * language over them:
 *
 *     t0:float32[2,3] t1:float32[3] | torch.add(t0, t1, alpha=2)
 *     t0:float32[2,4] | torch.nn.Linear(4, 3) | m(t0)            m: made once, of the same random numbers every time
 *
 * An operation has two parameters, `form`, whose allowed words they are, and `tensors`, a list. */
#ifndef METHODS_EQUIV_FORM_H
#define METHODS_EQUIV_FORM_H

#include "methods/equiv/registry.h"

/* Gives the operations of a registry their forms; those without any get a reason. */
int form_read(struct registry *r, const char *folder, struct err *e);

/* One call, as registry_call(). */
int form_call(const struct api *api, const struct call_draw *draw, struct arena *a, struct expr **out,
	      struct bindings *bindings, struct err *e);

/* How many forms an operation has, and which of them a plan takes. */
size_t form_count(const struct api *api);
size_t form_of_plan(const struct api *api, uint64_t plan);

/* Whether calls of it make an object first, such as a layer, that can be saved and has batches. */
int form_makes(const struct api *api);

/* Whole numbers that a call has where its form has floats become those floats; *changed 1: there are some. */
int form_floats(const struct expr *call, struct bindings *b, int *changed, struct err *e);

#endif
