/* api.h - the part of libmxnet.so's C interface that is used, as a table of functions found with dlsym.
 *
 * The library of 1.6.0 is packed, so that no linker can read it; opening it at run time works for all versions.  All
 * functions return 0, or -1 with the reason in MXGetLastError(). */
#ifndef BACKENDS_MXNET_API_H
#define BACKENDS_MXNET_API_H

#include <stddef.h>
#include <stdint.h>

/* F(result, name, arguments) */
#define MX_FUNCTIONS(F)                                                                                                \
	F(const char *, MXGetLastError, (void))                                                                        \
	F(int, MXGetVersion, (int *out))                                                                               \
	F(int, MXSetIsNumpyShape, (int on, int *before))                                                               \
	F(int, MXRandomSeed, (int seed))                                                                               \
	F(int, MXNDArrayCreateEx64,                                                                                    \
	  (const int64_t *shape, int rank, int device, int device_id, int delay, int dtype, void **out))               \
	F(int, MXNDArrayFree, (void *array))                                                                           \
	F(int, MXShallowCopyNDArray, (void *array, void **out))                                                        \
	F(int, MXNDArrayGetShapeEx64, (void *array, int *rank, const int64_t **dims))                                  \
	F(int, MXNDArrayGetDType, (void *array, int *dtype))                                                           \
	F(int, MXNDArraySyncCopyFromCPU, (void *array, const void *data, size_t elements))                             \
	F(int, MXNDArraySyncCopyToCPU, (void *array, void *data, size_t elements))                                     \
	F(int, NNGetOpHandle, (const char *name, void **out))                                                          \
	F(int, MXImperativeInvokeEx,                                                                                   \
	  (void *op, int n_in, void **in, int *n_out, void ***out, int n_params, const char **keys,                    \
	   const char **values, const int **storage))                                                                  \
	F(int, MXSymbolListAtomicSymbolCreators, (uint32_t * n, void ***out))                                          \
	F(int, MXSymbolGetAtomicSymbolInfo,                                                                            \
	  (void *op, const char **name, const char **text, uint32_t *n, const char ***names, const char ***types,      \
	   const char ***texts, const char **count_key, const char **result))                                          \
	F(int, MXSymbolCreateVariable, (const char *name, void **out))                                                 \
	F(int, MXSymbolCreateAtomicSymbol, (void *op, uint32_t n, const char **keys, const char **values, void **out)) \
	F(int, MXSymbolCompose, (void *symbol, const char *name, uint32_t n, const char **keys, void **arguments))     \
	F(int, MXSymbolGetOutput, (void *symbol, uint32_t i, void **out))                                              \
	F(int, MXSymbolCreateGroup, (uint32_t n, void **symbols, void **out))                                          \
	F(int, MXSymbolListArguments, (void *symbol, uint32_t *n, const char ***names))                                \
	F(int, MXSymbolListAuxiliaryStates, (void *symbol, uint32_t *n, const char ***names))                          \
	F(int, MXSymbolSaveToJSON, (void *symbol, const char **text))                                                  \
	F(int, MXSymbolCreateFromJSON, (const char *text, void **out))                                                 \
	F(int, MXSymbolFree, (void *symbol))                                                                           \
	F(int, MXExecutorBindEX,                                                                                       \
	  (void *symbol, int device, int device_id, uint32_t n_groups, const char **groups, const int *devices,        \
	   const int *device_ids, uint32_t n, void **arguments, void **gradients, uint32_t *requests,                  \
	   uint32_t n_states, void **states, void *shared, void **out))                                                \
	F(int, MXExecutorForward, (void *executor, int train))                                                         \
	F(int, MXExecutorOutputs, (void *executor, uint32_t *n, void ***out))                                          \
	F(int, MXExecutorFree, (void *executor))                                                                       \
	F(int, MXAutogradSetIsRecording, (int on, int *before))                                                        \
	F(int, MXAutogradSetIsTraining, (int on, int *before))                                                         \
	F(int, MXAutogradMarkVariables, (uint32_t n, void **arrays, uint32_t *requests, void **gradients))             \
	F(int, MXAutogradBackwardEx,                                                                                   \
	  (uint32_t n, void **outputs, void **seeds, uint32_t n_variables, void **variables, int retain, int create,   \
	   int train, void ***gradients, int **storage))

struct mx_api {
#define F(result, name, arguments) result(*name) arguments;
	MX_FUNCTIONS(F)
#undef F
};

#define MX_DEVICE_CPU 1
#define MX_WRITE_GRADIENT 1 /* a request of MXAutogradMarkVariables */

#endif
