/* assay.h - the public face of libassay.
 *
 * libassay knows the right answer of an ONNX model, and how far from it a correct library may land.  Every operator is
 * evaluated in double precision (integers in 64 bits), in one of three modes:
 *
 *   ASSAY_EXACT     no rounding to the tensors' own types: the value a library should come near to
 *   ASSAY_ROUNDED   each node's result rounded to its type: what a correct library computes, by construction
 *   ASSAY_NOISY     exact, and beside it k runs in which every node's result moves by random roundings.  The spread of
 *                   these runs is the rounding noise of each element: what float arithmetic alone can explain
 *
 * Gradients are computed in reverse mode, in double.
 *
 * Rules that hold everywhere
 *   - Functions that can fail return ASSAY_OK or a negative status, or a pointer that is NULL on failure; the sentence
 *     in struct assay_error says what happened, naming file, node and tensor.  It may be NULL.  On failure nothing is
 *     left to free, and nothing was written through the other pointers.
 *   - What a function returns through a pointer to a pointer belongs to the caller, who frees it with the _free() or
 *     _close() of its type.  Plain getters lend: their result lives as long as what it was read from.
 *   - NULL may be given to every _free() and _close().
 *   - A call that is wrong does no harm.  A NULL where something is needed, a size that does not fit and a mode that
 *     does not exist give ASSAY_ERR_USAGE; of NULL, and of an index that is too large, getters give 0, NULL or NaN.
 *   - Model and tensor files are hostile input: sizes are checked and capped, never trusted.
 *   - The library prints nothing, ends no process and leaves the environment, the locale, the signals and the
 *     allocator of its host alone.  How the calling thread rounds, whether it keeps subnormal numbers and which locale
 *     it has do not change a result, and are as before when a function returns.
 *   - Threads may use the library at once, from the first call on, and results do not depend on the thread.  Tensors
 *     and results never change, so many threads may read one of them, and run with it; it is freed once, by the last.
 *     A model and the references that are open on it belong to one thread at a time.
 *   - A program that runs large models again and again gains up to a fifth of the time by telling the C library to keep
 *     freed memory: mallopt(M_MMAP_THRESHOLD, 1 << 30) and mallopt(M_TRIM_THRESHOLD, 1 << 30).
 *
 * A worked example, which the tests compile and run: how sure is the first output of a model, when all its inputs are
 * read from .npy files?
 *
 * ---- example
 * #include <stdio.h>
 * #include "assay.h"
 *
 * int main(int argc, char **argv)
 * {
 *         struct assay_run_options options = {.mode = ASSAY_NOISY, .noise_runs = 8, .seed = 1};
 *         struct assay_tensor *inputs[16] = {NULL};
 *         struct assay_reference *reference = NULL;
 *         struct assay_result *result = NULL;
 *         struct assay_model *model = NULL;
 *         struct assay_error error;
 *         size_t n = argc > 2 ? (size_t)argc - 2 : 0;
 *         int rc;
 *
 *         if (argc < 2 || n > 16)
 *                 return 2;
 *         rc = assay_model_load(argv[1], &model, &error);
 *         for (size_t i = 0; i < n && !rc; i++)
 *                 rc = assay_tensor_load(argv[2 + i], &inputs[i], &error);
 *         if (!rc)
 *                 rc = assay_reference_open(model, &reference, &error);
 *         if (!rc)
 *                 rc = assay_reference_run(reference, inputs, n, &options, &result, &error);
 *         if (!rc && assay_result_tensor(result, 0)) {
 *                 const struct assay_tensor *y = assay_result_tensor(result, 0);
 *                 const float *noise = assay_result_noise(result, 0);
 *
 *                 for (size_t i = 0; i < assay_tensor_count(y); i++)
 *                         printf("%s[%zu] = %.9g +- %.2g\n", assay_result_name(result, 0), i, assay_tensor_get(y, i),
 *                                noise ? (double)noise[i] : 0.0);
 *         }
 *         if (rc)
 *                 fprintf(stderr, "%s: %s\n", assay_status_text(rc), error.message);
 *         assay_result_free(result);
 *         assay_reference_close(reference); // before its model
 *         assay_model_free(model);
 *         for (size_t i = 0; i < n; i++)
 *                 assay_tensor_free(inputs[i]);
 *         return rc != 0;
 * }
 * ---- end of example
 */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- version and errors ------------------------------------------------------------------------------------------ */

const char *assay_version(void); /* "0.1.0" */

enum assay_status {
	ASSAY_OK = 0,
	ASSAY_ERR_INPUT = -63,       /* a file or a value from outside is wrong */
	ASSAY_ERR_USAGE = -62,       /* the call is wrong */
	ASSAY_ERR_UNSUPPORTED = -61, /* valid perhaps, but not known here: an operator, a version, a type */
	ASSAY_ERR_LIMIT = -60,       /* a size is above a cap */
	ASSAY_ERR_IO = -59,          /* the system refused to read or write */
	ASSAY_ERR_MEMORY = -58,      /* an allocation failed */
	ASSAY_ERR_INTERNAL = -57     /* a fault of assay itself */
};

struct assay_error {
	int status;
	char message[1024];
};

const char *assay_status_text(int status); /* "bad input" */

/* ---- tensors ----------------------------------------------------------------------------------------------------- */

struct assay_tensor;

/* The codes of ONNX's TensorProto.DataType; these are the common ones, the functions below take all. */
enum assay_dtype {
	ASSAY_FLOAT = 1,
	ASSAY_UINT8 = 2,
	ASSAY_INT8 = 3,
	ASSAY_INT32 = 6,
	ASSAY_INT64 = 7,
	ASSAY_STRING = 8,
	ASSAY_BOOL = 9,
	ASSAY_FLOAT16 = 10,
	ASSAY_DOUBLE = 11,
	ASSAY_BFLOAT16 = 16
};

#define ASSAY_MAX_RANK 32

/* A tensor with a copy of `bytes` bytes of elements: little endian, row-major, as in ONNX's raw_data.  Not for strings.
 */
int assay_tensor_new(int dtype, int rank, const int64_t *dims, const void *data, size_t bytes,
		     struct assay_tensor **out, struct assay_error *e);
int assay_tensor_load(const char *path, struct assay_tensor **out, struct assay_error *e); /* .npy or .pb */
int assay_tensor_save(const struct assay_tensor *t, const char *path, struct assay_error *e);
void assay_tensor_free(struct assay_tensor *t);

int assay_tensor_dtype(const struct assay_tensor *t);
const char *assay_tensor_dtype_name(const struct assay_tensor *t); /* "float32" */
int assay_tensor_rank(const struct assay_tensor *t);
const int64_t *assay_tensor_dims(const struct assay_tensor *t);
size_t assay_tensor_count(const struct assay_tensor *t);

/* Element i (row-major, i < count) as a double; NaN for strings and where there is no such element. */
double assay_tensor_get(const struct assay_tensor *t, size_t i);

/* ---- models ------------------------------------------------------------------------------------------------------ */

struct assay_model;

int assay_model_load(const char *path, struct assay_model **out, struct assay_error *e);
/* From memory.  External data are looked for beside `path`, and refused when it is "". */
int assay_model_parse(const void *data, size_t bytes, const char *path, struct assay_model **out,
		      struct assay_error *e);
void assay_model_free(struct assay_model *m);

size_t assay_model_input_count(const struct assay_model *m);
const char *assay_model_input_name(const struct assay_model *m, size_t i);
int assay_model_input_has_default(const struct assay_model *m, size_t i); /* 1: may be left out (NULL) in a run */
size_t assay_model_output_count(const struct assay_model *m);
const char *assay_model_output_name(const struct assay_model *m, size_t i);

/* ---- the reference ----------------------------------------------------------------------------------------------- */

struct assay_reference;
struct assay_result;

enum assay_mode { ASSAY_EXACT, ASSAY_ROUNDED, ASSAY_NOISY };

/* All zero is a good default. */
struct assay_run_options {
	enum assay_mode mode;
	int noise_runs; /* of ASSAY_NOISY; 0: 8, at most 64 */
	uint64_t seed;  /* of the noise and of random operators */
	int training;   /* 1: Dropout and BatchNormalization train where the model does not say */
};

/* The most steps that one run may take, for all runs of the process from now on; 0 or less: the default, 1e14, which is
 * some hours.  A step is a multiplication of a product; an element that is read or written counts 64, a node 10000, and
 * with ASSAY_NOISY all of that once more for each noise run.  What a node costs is known before it is run: beyond the
 * limit it gives ASSAY_ERR_LIMIT, and the message names it. */
void assay_set_max_work(double most);

/* How many threads a run may have, the caller counted, for all runs of the process from now on: 1 at first, 0: as many
 * as there are processors that the process may use, 256 at most.  Results are the same, bit for bit.  One run at a time
 * has the other threads; they are started by the first that is large enough, block all signals and wait until they are
 * ended by the next call, for which to wait until no run has them: call it with 1 before you unload the library.  A
 * child after fork() has one thread until it asks for more. */
void assay_set_threads(size_t threads);

/* Prepares a model for many runs.  The model must live longer than the reference.  An operator that is not known gives
 * ASSAY_ERR_UNSUPPORTED here. */
int assay_reference_open(struct assay_model *m, struct assay_reference **out, struct assay_error *e);
void assay_reference_close(struct assay_reference *r);

/* One run.  inputs[i] is for input i of the model, all of them tensors (NULL: its default); options NULL: exact. */
int assay_reference_run(struct assay_reference *r, struct assay_tensor *const *inputs, size_t n,
			const struct assay_run_options *options, struct assay_result **out, struct assay_error *e);

size_t assay_result_count(const struct assay_result *r);
const char *assay_result_name(const struct assay_result *r, size_t i); /* lives as long as the model */
/* NULL when output i is no tensor but a sequence or an optional.  Lent: the result frees it. */
const struct assay_tensor *assay_result_tensor(const struct assay_result *r, size_t i);
/* ASSAY_NOISY: one number an element, its standard deviation over the runs; infinity where rounding alone can change
 * the tensor's shape.  NULL in other modes and for strings. */
const float *assay_result_noise(const struct assay_result *r, size_t i);
void assay_result_free(struct assay_result *r);

/* What reverse mode is asked for: how some number depends on tensors of the model, when it is known how it depends on
 * the outputs.  All of it stays the caller's. */
struct assay_gradient {
	struct assay_tensor *const *inputs; /* as in assay_reference_run() */
	size_t n_inputs;
	struct assay_tensor *const *seeds; /* seeds[k]: gradient of that number by output k of the model; NULL: zero */
	size_t n_seeds;                    /* as many as the model has outputs */
	const char *const *wanted;         /* names of inputs, initializers or any other tensors of the main graph */
	size_t n_wanted;
};

/* Reverse mode.  grads[j], of which there is room for n_wanted, becomes the gradient with respect to wanted[j]: a
 * float64 tensor.  options NULL: exact; ASSAY_NOISY is not for gradients.  ASSAY_ERR_UNSUPPORTED names an operator on
 * the way that has no gradient. */
int assay_reference_gradient(struct assay_reference *r, const struct assay_gradient *of,
			     const struct assay_run_options *options, struct assay_tensor **grads,
			     struct assay_error *e);

#ifdef __cplusplus
}
#endif

#endif
