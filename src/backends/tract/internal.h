/* internal.h - tract, opened at run time: what the files of this folder share. */
#ifndef BACKENDS_TRACT_INTERNAL_H
#define BACKENDS_TRACT_INTERNAL_H

#include "backends/onnx/onnx.h"
#include "backends/tract/tract_api.h"
#include "tensor/tensor.h"

struct tract {
	void *handle;
	struct tract_api api;
	struct TractOnnx *onnx;
};

/* Opens lib/libtract.so of a folder.  tract_close_library() also after a failure. */
int tract_open_library(struct tract *t, const char *folder, struct err *e);
void tract_close_library(struct tract *t);

/* Turns a result (0 or 1) and the library's last message into a status of ours: ERR_UNSUPPORTED where it says that it
 * does not have something, ERR_INPUT otherwise. */
int tract_check(const struct tract *t, int result, const char *doing, struct err *e);

/* Name of an element type in tract's text form ("f32"), or NULL when it has none. */
const char *tract_type_name(enum dtype t);

/* Copies of tensors, there and back. */
int tract_from_tensor(const struct tract *t, const struct tensor *from, struct TractTensor **out, struct err *e);
int tract_to_tensor(const struct tract *t, struct TractTensor *from, struct tensor **out, struct err *e);

#endif
