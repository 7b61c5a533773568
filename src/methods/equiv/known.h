/* known.h - what is known of an operation before it is asked: which results nobody promises, and which arguments are
 * outside of what is documented.
 *
 * The registry tells some of it: names of outputs and inputs that are reserved, seeds, state.  The rest stands in
 * data/equiv/said-<library>.tsv, which scripts/equiv-said reads out of a package's documentation and headers, and in
 * data/equiv/said.tsv, by hand, where neither tells a program.  A line: library, pattern of operations, fact, source.
 *
 *     internal                 nothing documented calls it: a result of it that differs is no claim
 *     unordered                the order of its steps is not fixed, and the result hangs on it
 *     same-shape A B           tensors A and B have one shape
 *     least NAME NUMBER        an argument is not below
 *     most NAME NUMBER         an argument is not above
 *     not NAME VALUE           an argument, or a tensor's first element, is not this
 *     among NAME A|B           each element is one of these numbers
 *     between NAME A..B        each element is one from A to B
 *     recursion NAME           so many steps follow one another, each of which rounds
 *     matrix                   equations are solved, or squares summed: an error is one by the size of the matrix, not
 *                              of each element, and nothing is promised of numbers that are not finite, or whose
 *                              squares do not fit the type
 *     finite                   nothing is promised of numbers that are not finite
 *     one-nan                  nor of several NaNs: which of them is picked nobody says
 *     pads                     it multiplies padding: 0 times infinity is NaN, or is left out
 *     sums                     it sums products in an order that nobody fixes: of numbers whose squares do not fit the
 *                              type, an infinity or NaN of one side alone tells nothing */
#ifndef METHODS_EQUIV_KNOWN_H
#define METHODS_EQUIV_KNOWN_H

#include "methods/equiv/registry.h"

/* What the registry tells of one operation. */
void known_of_registry(struct api *api);

/* Reads both files. */
int known_read(struct registry *r, const char *folder, struct err *e);

/* Drawn numbers become such as "among" and "between" let them be. */
int known_fit(const struct api *api, const struct expr *call, struct bindings *in, struct err *e);

/* Whether a call's arguments are inside of what is documented. */
int known_allows(const struct api *api, const struct expr *call, const struct bindings *in);

/* Whether the call has numbers that its function promises nothing of: matrix, finite, one-nan. */
int known_strays(const struct api *api, const struct bindings *in);

/* Whether it sums products, and has numbers that these may overflow of. */
int known_overflows(const struct api *api, const struct bindings *in);

/* How many steps of a recursion round one after the other; 1 unless a fact says that there is one. */
double known_steps(const struct api *api, const struct expr *call, const struct bindings *in);

/* The argument of that name; NULL: the call has none.  Its tensor; NULL: it is none. */
const struct expr *known_argument(const struct expr *call, const char *name);
const struct tensor *known_tensor(const struct expr *argument, const struct bindings *in);

#endif
