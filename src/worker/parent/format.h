/* format.h - model files that are not ONNX: a script of the library that wrote them makes ONNX of them.
 *
 * The script runs in a process of its own, with the library's packages and without the library itself (FORMAT rows of
 * backends.def).  What a damaged file does to it is a message. */
#ifndef WORKER_PARENT_FORMAT_H
#define WORKER_PARENT_FORMAT_H

#include "base/buf.h"
#include "base/err.h"

/* Whether a file's name says that it is of such a format. */
int format_is_known(const char *path);

/* Appends the ONNX model that a file of such a format becomes. */
int format_read(const char *path, struct buf *out, struct err *e);

#endif
