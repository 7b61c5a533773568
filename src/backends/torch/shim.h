/* shim.h - PyTorch as seen from C.
 *
 * PyTorch has no C interface that reaches all its operators, so shim.cpp wraps its dispatcher: it is compiled
 * against the headers of the very package it will run with (step compile-shim of data/libraries/torch.lock) and opened
 * at run time.  This header is the contract of both sides and is read by C11 and C++20 alike.
 *
 * No function lets an exception out: a failure returns NULL or a negative number, and torch_error() then says why. */
#ifndef BACKENDS_TORCH_SHIM_H
#define BACKENDS_TORCH_SHIM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TORCH_SHIM_API 2
#define TORCH_MAX_RANK 32

/* Why a call failed. */
enum torch_failure { TORCH_OK, TORCH_REFUSED, TORCH_UNSUPPORTED, TORCH_NO_MEMORY };

/* One argument of an operator.  Numbers are converted to what the schema asks for. */
enum torch_kind {
	TORCH_DEFAULT, /* what the schema says when nothing is given */
	TORCH_NONE,
	TORCH_TENSOR, /* a NULL tensor is None */
	TORCH_INT,
	TORCH_FLOAT,
	TORCH_BOOL,
	TORCH_STRING,
	TORCH_DTYPE, /* i: a code of ONNX */
	TORCH_INTS,
	TORCH_FLOATS,
	TORCH_TENSORS, /* NULL entries are None */
	TORCH_STRINGS
};

struct torch_arg {
	const char *name; /* NULL: by position */
	enum torch_kind kind;
	void *tensor;
	int64_t i;
	double f;
	const char *s;
	const int64_t *ints;
	const double *floats;
	void *const *tensors;
	const char *const *strings;
	size_t n;
};

/* One result: a tensor, or several (Tensor[]). */
struct torch_result {
	int is_list;
	size_t n;
	void **tensors; /* new handles */
};

struct torch_parameter {
	const char *name, *type, *default_value; /* default_value NULL: must be given */
	int is_tensor, is_optional;
};

struct torch_schema {
	const char *name; /* "aten::add.Tensor" */
	const struct torch_parameter *parameters;
	size_t n_parameters, n_outputs;
	const char *text; /* the whole schema as PyTorch writes it */
};

typedef int torch_visit(void *arg, const struct torch_schema *s); /* not 0: stop */

/* result, name, arguments */
#define TORCH_FUNCTIONS(X)                                                                                            \
	X(int, assay_torch_api, (void))                                                                               \
	X(const char *, assay_torch_version, (void))                                                                  \
	X(const char *, assay_torch_error, (void))                                                                    \
	X(int, assay_torch_failure, (void))                                                                           \
	X(int, assay_torch_configure, (int threads, uint64_t seed))                                                   \
	/* "cpu", or "cuda": where tensors live from now on, and what operators that make tensors are told.  Float32  \
	 * is float32 there unless tf32 is set, and what has a deterministic kernel uses it. */                       \
	X(int, assay_torch_use_device, (const char *device, int tf32))                                                \
	X(void *, assay_torch_tensor, (int dtype, int rank, const int64_t *dims, const void *data, size_t bytes))     \
	X(int, assay_torch_shape, (void *tensor, int *dtype, int *rank, int64_t *dims))                               \
	X(int, assay_torch_read, (void *tensor, void *data, size_t bytes))                                            \
	X(void *, assay_torch_retain, (void *tensor))                                                                 \
	X(void, assay_torch_release, (void *tensor))                                                                  \
	/* Calls "aten::add.Tensor" (the overload may be left out when it is the unnamed one); results are allocated  \
	 * by the shim, to be given back with assay_torch_free_results, which leaves the tensors to the caller. */    \
	X(int, assay_torch_call,                                                                                      \
	  (const char *op, const struct torch_arg *args, size_t n, struct torch_result **out, size_t *n_out))         \
	X(void, assay_torch_free_results, (struct torch_result * results, size_t n))                                  \
	/* Autograd records what follows (1) or not (0). */                                                           \
	X(int, assay_torch_grad_mode, (int on))                                                                       \
	X(int, assay_torch_requires_grad, (void *tensor, int on))                                                     \
	/* grads[i]: new handles of d(sum seed*output)/d(wanted[i]); zeros where nothing depends on it. */            \
	X(int, assay_torch_backward,                                                                                  \
	  (void *const *outputs, void *const *seeds, size_t n, void *const *wanted, size_t n_wanted, void **grads))   \
	/* Between begin and end (or abandon) the operators that are called are also recorded.  What was named an     \
	 * input is one of the program; other tensors that it reads are its constants. */                             \
	X(int, assay_torch_trace_begin, (void))                                                                       \
	X(int, assay_torch_trace_input, (void *tensor))                                                               \
	X(void *, assay_torch_trace_end, (void *const *outputs, size_t n))                                            \
	X(void, assay_torch_trace_abandon, (void))                                                                    \
	X(int, assay_torch_program_run,                                                                               \
	  (void *program, void *const *inputs, size_t n, void **outputs, size_t n_outputs))                           \
	X(void, assay_torch_program_free, (void *program))                                                            \
	/* One operator as a program of TorchScript: tensors are its inputs, all else its constants.  saved: it is    \
	 * written as a file of TorchScript (in memory) and read again first.  Any call that differs from this one in \
	 * the values of tensors alone can be run by it. */                                                           \
	X(void *, assay_torch_compile, (const char *op, const struct torch_arg *args, size_t n, int saved))           \
	X(int, assay_torch_compiled_call,                                                                             \
	  (void *compiled, const struct torch_arg *args, size_t n, struct torch_result **out, size_t *n_out))         \
	X(void, assay_torch_compiled_free, (void *compiled))                                                          \
	X(int, assay_torch_list, (const char *prefix, torch_visit *visit, void *arg))

#define X(result, name, arguments) result name arguments;
TORCH_FUNCTIONS(X)
#undef X

#ifdef __cplusplus
}
#endif

#endif
