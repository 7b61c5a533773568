/* ort.h - ONNX Runtime through its C interface, opened at run time: no header and no link dependency. */
#ifndef BACKENDS_ORT_ORT_H
#define BACKENDS_ORT_ORT_H

#include "base/err.h"
#include "tensor/tensor.h"

struct ort;
struct ort_session;

/* Opens a libonnxruntime. */
int ort_open(const char *library, struct ort **out, struct err *e);
void ort_close(struct ort *o); /* after all its sessions; NULL is fine */
const char *ort_version(const struct ort *o);

struct ort_session_options {
	int level;   /* graph optimization: 0, 1, 2 or 99 */
	int threads; /* 0: the library's choice */
};

/* A session for a serialized model.  ERR_UNSUPPORTED when the library says "not implemented", ERR_INPUT when it refuses
 * the model; the message is the library's. */
int ort_session_open(struct ort *o, const void *model, size_t n, const struct ort_session_options *options,
		     struct ort_session **out, struct err *e);
void ort_session_close(struct ort_session *s);

/* Runs with packed tensors; outputs[i] are new packed tensors (the caller unrefs them).  Not for strings. */
int ort_session_run(struct ort_session *s, const char *const *in_names, struct tensor *const *in, size_t n_in,
		    const char *const *out_names, struct tensor **out, size_t n_out, struct err *e);

#endif
