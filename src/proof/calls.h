/* calls.h - what a worker told its library, read back: calls.py of backends/bind/record.h, with the values.
 *
 * A worker with the options record=FOLDER and values=1 writes one line for each operation, and after it the type of
 * what came of it; the elements lie beside it, v2.npy for v2:
 *
 *     v0 = take("x", inputs["x"], "float32")
 *     v1 = op("add.Tensor", v0, v0)
 *     made(v1, "float32")
 *
 * An operation without a line `made` did not come to its end: it was refused, or the process died of it. */
#ifndef PROOF_CALLS_H
#define PROOF_CALLS_H

#include "base/vec.h"
#include "model/expr.h"
#include "tensor/tensor.h"

#define CALLS_MAX_RESULTS 256

struct recorded_call {
	const char *name;                  /* "add.Tensor" */
	const char *line;                  /* as it stands in calls.py: v3 = op("add.Tensor", v0, v0) */
	size_t number;                     /* 3; its results are parts of it where they are not it */
	const struct expr *expr;           /* op("add.Tensor", v0, v0): arguments from items[1] on */
	size_t results[CALLS_MAX_RESULTS]; /* numbers of the values that came of it */
	size_t n_results;
	int done; /* it came to its end */
};

struct recorded_value {
	struct tensor *tensor; /* packed; NULL: it was not written down */
};

struct calls {
	VEC(struct recorded_call) calls;
	VEC(struct recorded_value) values; /* by number */
	struct arena arena;
};

/* Reads FOLDER/calls.py and the values it names; without that file no call was made.  ERR_INPUT: a line that cannot
 * be read. */
int calls_read(const char *folder, struct calls *out, struct err *e);
void calls_release(struct calls *c);

/* build_param="0=1": nothing that the library is told, but what a script needs to build the call. */
int calls_is_for_scripts(const struct expr *argument);

/* The value of a variable "v12"; NULL: there is none of that name, or it was not written down. */
struct tensor *calls_value(const struct calls *c, const char *name);

#endif
