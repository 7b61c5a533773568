/* torch.h - the backend's parts.
 *
 * Installed folder: lib/ (libtorch_cpu.so, libc10.so, libgomp.so.1, libcudart.so.13, libcupti.so.13: the last two
 * must be there for the first to load, no GPU is needed), include/ (to build the shim) and shim/libassay_torch.so. */
#ifndef BACKENDS_TORCH_TORCH_H
#define BACKENDS_TORCH_TORCH_H

#include "backends/torch/th.h"
#include "worker/backend.h"

extern const struct backend backend_torch;

/* jit.c: a run that is recorded as a program of TorchScript, which then gives the outputs; as bind_run, without a
 * watch */
int torch_run_compiled(struct th *th, struct bind_session *s, const struct backend_run *q, void **out, struct err *e);

/* native.c: operators of the dispatcher by their own names */
int torch_invoke(void *ctx, const struct backend_call *c, struct backend_answer *out, struct err *e);
void torch_forget_programs(struct th *th);
int torch_list(void *ctx, const char *prefix, struct arena *arena, struct backend_operation **out, size_t *n,
	       struct err *e);

#endif
