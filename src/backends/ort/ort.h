/* ort.h - ONNX Runtime through its C interface, opened at run time: no header and no link dependency. */
#ifndef BACKENDS_ORT_ORT_H
#define BACKENDS_ORT_ORT_H

#include "worker/backend.h"

struct ort;
struct ort_session;

/* Opens a libonnxruntime. */
int ort_open(const char *library, struct ort **out, struct err *e);
void ort_close(struct ort *o); /* after all its sessions; NULL is fine */
const char *ort_version(const struct ort *o);

struct ort_session_options {
	int level;           /* graph optimization: 0, 1, 2, 3 or 99 */
	int threads;         /* 0: the library's choice */
	int accuracy;        /* of MatMulNBits in the place of MatMul, 1 to 4; 0: the library's choice */
	const char *disable; /* names of optimizers to leave out, separated by commas or semicolons; NULL: none */
	const char
		*provider; /* execution provider that goes first ("OpenVINO"); NULL: the library's own kernels alone */
	const char *save;  /* file for the model as optimized; NULL: none */
};

/* A session for a model; of the bytes and the path the latter counts, when it is there.  ERR_UNSUPPORTED when the
 * library says that it does not have something, ERR_INPUT when it refuses the model; the message is the library's. */
int ort_session_open(struct ort *o, const struct backend_model *m, const struct ort_session_options *options,
		     struct ort_session **out, struct err *e);
void ort_session_close(struct ort_session *s);

size_t ort_session_outputs(const struct ort_session *s, const char *const **names);

/* Runs with packed tensors, or sequences and optionals of them; out[i] for wanted.at[i] are new references.  What the
 * interface has no way to say is ERR_UNSUPPORTED: empty optionals and empty sequences as inputs, maps, sparse tensors,
 * strings with a NUL inside. */
int ort_session_run(struct ort_session *s, const struct backend_run *q, struct value **out, struct err *e);

#endif
