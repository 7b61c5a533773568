/* words.h - a recorded call in words: for people, and as a script of its own. */
#ifndef PROOF_WORDS_H
#define PROOF_WORDS_H

#include "judge/trial.h"
#include "proof/calls.h"
#include "tensor/io.h"

/* "add.Tensor(float32[2,3], float32[3], alpha=1)" */
void words_of_call(const struct calls *c, const struct recorded_call *call, struct buf *out);

/* That one call as lines of calls.py, which give what `meaning` gives; *arguments are the tensors it takes:
 *
 *     v0 = take("v0", inputs["v0"], "float32")
 *     v3 = op("add.Tensor", v0, v0)
 *     give("y", v3)                                                                                        */
int words_of_script(const struct calls *c, const struct recorded_call *call, const struct trial *meaning,
		    struct buf *out, struct tensor_set *arguments, struct err *e);

#endif
