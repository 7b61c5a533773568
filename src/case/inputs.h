/* inputs.h - the inputs of a model: from files, and made up where no file gives them.
 *
 * A file is .npy (one tensor), .npz (members by graph names), .pb (TensorProto, SequenceProto, OptionalProto) or a
 * folder of input_<n>.pb, n being the position in graph.input. */
#ifndef CASE_INPUTS_H
#define CASE_INPUTS_H

#include <jansson.h>

#include "base/texts.h"
#include "model/model.h"

struct input_options {
	struct texts files;         /* FILE or NAME=FILE */
	struct texts dims;          /* NAME=SIZE: of symbolic dimensions, or INPUT.AXIS=SIZE */
	struct number_range random; /* given: inputs without a file are made up even when others have one */
	uint64_t seed;
};

/* What the help of a verb with these options says of them. */
extern const char inputs_notes[];

/* Values for graph->inputs, in that order; NULL where the input has a default that nothing replaces.  The caller frees
 * the result with inputs_free().  *sizes (or NULL): what sizes they have, as told_sizes.h has it. */
int inputs_make(const struct graph *g, const struct input_options *o, struct value ***out, json_t **sizes,
		struct err *e);
void inputs_free(struct value **in, size_t n); /* NULL is fine */

/* What inputs_make() is made of: each fills entries of in[] that are still NULL. */
int inputs_from_files(const struct graph *g, const struct texts *files, struct value **in, struct err *e);
int inputs_make_up(const struct graph *g, const struct input_options *o, struct value **in, struct err *e);
/* inputs_make_up(), and what sizes all have then; only when *sizes is NULL, sizes NULL: not wanted. */
int inputs_complete(const struct graph *g, const struct input_options *o, struct value **in, json_t **sizes,
		    struct err *e);

#endif
