/* backend.h - MXNet as a backend. */
#ifndef BACKENDS_MXNET_BACKEND_H
#define BACKENDS_MXNET_BACKEND_H

#include "worker/backend.h"

extern const struct backend backend_mxnet;

/* native.c: operations of the library by their own names. */
int mx_backend_invoke(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e);
int mx_backend_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
		    struct err *e);

#endif
