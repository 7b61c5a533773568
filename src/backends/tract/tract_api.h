/* tract_api.h - the part of tract's C interface that assay uses.
 *
 * Each row is result, name and arguments of one function; the table is filled by dlsym.  Functions that may fail return
 * 0 or 1, and tract_get_last_error() then has the message. */
#ifndef BACKENDS_TRACT_TRACT_API_H
#define BACKENDS_TRACT_TRACT_API_H

#include <stddef.h>
#include <stdint.h>

struct TractOnnx;
struct TractInferenceModel;
struct TractInferenceFact;
struct TractModel;
struct TractRunnable;
struct TractTensor;

/* Element types. */
enum tract_type {
	TRACT_BOOL = 1,
	TRACT_U8 = 17,
	TRACT_U16 = 18,
	TRACT_U32 = 20,
	TRACT_U64 = 24,
	TRACT_I8 = 33,
	TRACT_I16 = 34,
	TRACT_I32 = 36,
	TRACT_I64 = 40,
	TRACT_F16 = 50,
	TRACT_F32 = 52,
	TRACT_F64 = 56
};

/* F(result, name, arguments) */
#define TRACT_FUNCTIONS(F)                                                                                             \
	F(const char *, tract_version, (void))                                                                         \
	F(const char *, tract_get_last_error, (void))                                                                  \
	F(int, tract_onnx_create, (struct TractOnnx **))                                                               \
	F(int, tract_onnx_destroy, (struct TractOnnx **))                                                              \
	F(int, tract_onnx_load, (const struct TractOnnx *, const char *, struct TractInferenceModel **))               \
	F(int, tract_onnx_load_buffer,                                                                                 \
	  (const struct TractOnnx *, const void *, uintptr_t, struct TractInferenceModel **))                          \
	F(int, tract_inference_model_input_count, (const struct TractInferenceModel *, uintptr_t *))                   \
	F(int, tract_inference_fact_parse, (struct TractInferenceModel *, const char *, struct TractInferenceFact **)) \
	F(int, tract_inference_model_set_input_fact,                                                                   \
	  (struct TractInferenceModel *, uintptr_t, const struct TractInferenceFact *))                                \
	F(int, tract_inference_fact_destroy, (struct TractInferenceFact **))                                           \
	F(int, tract_inference_model_into_model, (struct TractInferenceModel **, struct TractModel **))                \
	F(int, tract_inference_model_destroy, (struct TractInferenceModel **))                                         \
	F(int, tract_model_into_runnable, (struct TractModel **, struct TractRunnable **))                             \
	F(int, tract_model_destroy, (struct TractModel **))                                                            \
	F(int, tract_runnable_input_count, (const struct TractRunnable *, uintptr_t *))                                \
	F(int, tract_runnable_output_count, (const struct TractRunnable *, uintptr_t *))                               \
	F(int, tract_runnable_run, (struct TractRunnable *, struct TractTensor **, struct TractTensor **))             \
	F(int, tract_runnable_release, (struct TractRunnable **))                                                      \
	F(int, tract_tensor_from_bytes, (int, uintptr_t, const uintptr_t *, void *, struct TractTensor **))            \
	F(int, tract_tensor_convert_to, (const struct TractTensor *, int, struct TractTensor **))                      \
	F(int, tract_tensor_as_bytes, (struct TractTensor *, int *, uintptr_t *, const uintptr_t **, const void **))   \
	F(int, tract_tensor_destroy, (struct TractTensor **))

struct tract_api {
#define F(result, name, arguments) result(*name) arguments;
	TRACT_FUNCTIONS(F)
#undef F
};

#endif
