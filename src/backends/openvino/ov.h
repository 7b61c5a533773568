/* ov.h - OpenVINO on the CPU, opened at run time: what the files of this folder share. */
#ifndef BACKENDS_OPENVINO_OV_H
#define BACKENDS_OPENVINO_OV_H

#include "backends/onnx/onnx.h"
#include "backends/openvino/ov_api.h"
#include "tensor/tensor.h"
#include "worker/backend.h"

struct ov {
	void *handle;
	struct ov_api api;
	char version[64];   /* "2026.4.1" */
	int element_offset; /* added to the numbers of enum ov_element */
	struct ov_core *core;
};

/* Opens lib/libopenvino_c.so.* of a folder.  ov_close() also after a failure. */
int ov_open(struct ov *o, const char *folder, struct err *e);
void ov_close(struct ov *o);

/* Turns a status of the library, and its last message, into ours: ERR_UNSUPPORTED where it says that it does not have
 * something, ERR_INPUT otherwise. */
int ov_check(const struct ov *o, int status, const char *doing, struct err *e);

/* A tensor of the library over the memory of a packed one, which must outlive it (strings are copied). */
int ov_from_tensor(const struct ov *o, const struct tensor *t, struct ov_tensor **out, struct err *e);

/* A copy of a tensor of the library. */
int ov_to_tensor(const struct ov *o, const struct ov_tensor *from, struct tensor **out, struct err *e);

#endif
