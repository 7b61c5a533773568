/* api.h - the functions of TensorFlow's C interface that assay uses, declared once.
 *
 * Each row is result, name, arguments; the table is filled by dlsym() from libtensorflow_cc.so.2 when the library is
 * opened, so no header and no link dependency of TensorFlow is needed.  Types of the library are opaque here.  In
 * version 1 the same functions are in the module that Python loads; those that begin with TFE_ are not all there
 * before 1.14. */
#ifndef BACKENDS_TF_API_H
#define BACKENDS_TF_API_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#ifndef TF_STATUS
#define TF_STATUS TF_Status /* newer headers give the type another name */
#endif
#ifndef TF_TYPE
#define TF_TYPE unsigned /* an enum in the headers: passed alike, but not the same behind a pointer */
#endif

struct TF_STATUS;
struct TF_Tensor;
struct TF_Graph;
struct TF_Operation;
struct TF_OperationDescription;
struct TF_Session;
struct TF_SessionOptions;
struct TFE_Context;
struct TFE_ContextOptions;
struct TFE_Op;
struct TFE_TensorHandle;
struct TF_ImportGraphDefOptions;
struct TF_Function;
struct TF_FunctionOptions;

/* Layouts that the interface itself publishes. */
#ifndef HAVE_TF_HEADER
struct TF_Output {
	struct TF_Operation *oper;
	int index;
};

struct TF_Buffer {
	const void *data;
	size_t length;
	void (*data_deallocator)(void *data, size_t length);
};
#endif

/* Status codes that are told apart. */
enum { TF_CODE_OK = 0, TF_CODE_NOT_FOUND = 5, TF_CODE_EXHAUSTED = 8, TF_CODE_UNIMPLEMENTED = 12 };

#define TF_FUNCTIONS(F)                                                                                               \
	F(const char *, TF_Version, (void))                                                                           \
	F(struct TF_STATUS *, TF_NewStatus, (void))                                                                   \
	F(void, TF_DeleteStatus, (struct TF_STATUS *))                                                                \
	F(unsigned, TF_GetCode, (const struct TF_STATUS *))                                                           \
	F(const char *, TF_Message, (const struct TF_STATUS *))                                                       \
	F(struct TF_Tensor *, TF_AllocateTensor, (unsigned, const int64_t *, int, size_t))                            \
	F(void, TF_DeleteTensor, (struct TF_Tensor *))                                                                \
	F(unsigned, TF_TensorType, (const struct TF_Tensor *))                                                        \
	F(int, TF_NumDims, (const struct TF_Tensor *))                                                                \
	F(int64_t, TF_Dim, (const struct TF_Tensor *, int))                                                           \
	F(size_t, TF_TensorByteSize, (const struct TF_Tensor *))                                                      \
	F(void *, TF_TensorData, (const struct TF_Tensor *))                                                          \
	F(void, TF_DeleteBuffer, (struct TF_Buffer *))                                                                \
	F(struct TF_Buffer *, TF_GetAllOpList, (void))                                                                \
	F(struct TF_Buffer *, TF_GetAllRegisteredKernels, (struct TF_STATUS *))                                       \
	F(struct TFE_ContextOptions *, TFE_NewContextOptions, (void))                                                 \
	F(void, TFE_ContextOptionsSetConfig, (struct TFE_ContextOptions *, const void *, size_t, struct TF_STATUS *)) \
	F(void, TFE_DeleteContextOptions, (struct TFE_ContextOptions *))                                              \
	F(struct TFE_Context *, TFE_NewContext, (const struct TFE_ContextOptions *, struct TF_STATUS *))              \
	F(void, TFE_DeleteContext, (struct TFE_Context *))                                                            \
	F(void, TFE_ContextSetRunEagerOpAsFunction, (struct TFE_Context *, unsigned char, struct TF_STATUS *))        \
	F(struct TFE_TensorHandle *, TFE_NewTensorHandle, (const struct TF_Tensor *, struct TF_STATUS *))             \
	F(void, TFE_DeleteTensorHandle, (struct TFE_TensorHandle *))                                                  \
	F(unsigned, TFE_TensorHandleDataType, (struct TFE_TensorHandle *))                                            \
	F(int, TFE_TensorHandleNumDims, (struct TFE_TensorHandle *, struct TF_STATUS *))                              \
	F(int64_t, TFE_TensorHandleDim, (struct TFE_TensorHandle *, int, struct TF_STATUS *))                         \
	F(struct TF_Tensor *, TFE_TensorHandleResolve, (struct TFE_TensorHandle *, struct TF_STATUS *))               \
	F(struct TFE_Op *, TFE_NewOp, (struct TFE_Context *, const char *, struct TF_STATUS *))                       \
	F(void, TFE_DeleteOp, (struct TFE_Op *))                                                                      \
	F(void, TFE_OpAddInput, (struct TFE_Op *, struct TFE_TensorHandle *, struct TF_STATUS *))                     \
	F(void, TFE_OpAddInputList, (struct TFE_Op *, struct TFE_TensorHandle **, int, struct TF_STATUS *))           \
	F(void, TFE_OpSetAttrString, (struct TFE_Op *, const char *, const void *, size_t))                           \
	F(void, TFE_OpSetAttrInt, (struct TFE_Op *, const char *, int64_t))                                           \
	F(void, TFE_OpSetAttrFloat, (struct TFE_Op *, const char *, float))                                           \
	F(void, TFE_OpSetAttrBool, (struct TFE_Op *, const char *, unsigned char))                                    \
	F(void, TFE_OpSetAttrType, (struct TFE_Op *, const char *, unsigned))                                         \
	F(void, TFE_OpSetAttrShape, (struct TFE_Op *, const char *, const int64_t *, int, struct TF_STATUS *))        \
	F(void, TFE_OpSetAttrIntList, (struct TFE_Op *, const char *, const int64_t *, int))                          \
	F(void, TFE_OpSetAttrFloatList, (struct TFE_Op *, const char *, const float *, int))                          \
	F(void, TFE_OpSetAttrStringList, (struct TFE_Op *, const char *, const void *const *, const size_t *, int))   \
	F(void, TFE_Execute, (struct TFE_Op *, struct TFE_TensorHandle **, int *, struct TF_STATUS *))                \
	F(struct TF_Graph *, TF_NewGraph, (void))                                                                     \
	F(void, TF_DeleteGraph, (struct TF_Graph *))                                                                  \
	F(struct TF_OperationDescription *, TF_NewOperation, (struct TF_Graph *, const char *, const char *))         \
	F(void, TF_AddInput, (struct TF_OperationDescription *, struct TF_Output))                                    \
	F(void, TF_AddInputList, (struct TF_OperationDescription *, const struct TF_Output *, int))                   \
	F(void, TF_SetAttrString, (struct TF_OperationDescription *, const char *, const void *, size_t))             \
	F(void, TF_SetAttrInt, (struct TF_OperationDescription *, const char *, int64_t))                             \
	F(void, TF_SetAttrFloat, (struct TF_OperationDescription *, const char *, float))                             \
	F(void, TF_SetAttrBool, (struct TF_OperationDescription *, const char *, unsigned char))                      \
	F(void, TF_SetAttrType, (struct TF_OperationDescription *, const char *, unsigned))                           \
	F(void, TF_SetAttrShape, (struct TF_OperationDescription *, const char *, const int64_t *, int))              \
	F(void, TF_SetAttrIntList, (struct TF_OperationDescription *, const char *, const int64_t *, int))            \
	F(void, TF_SetAttrFloatList, (struct TF_OperationDescription *, const char *, const float *, int))            \
	F(void, TF_SetAttrStringList,                                                                                 \
	  (struct TF_OperationDescription *, const char *, const void *const *, const size_t *, int))                 \
	F(void, TF_SetAttrTensor,                                                                                     \
	  (struct TF_OperationDescription *, const char *, struct TF_Tensor *, struct TF_STATUS *))                   \
	F(struct TF_Operation *, TF_FinishOperation, (struct TF_OperationDescription *, struct TF_STATUS *))          \
	F(int, TF_OperationNumOutputs, (struct TF_Operation *))                                                       \
	F(unsigned, TF_OperationOutputType, (struct TF_Output))                                                       \
	F(int, TF_GraphGetTensorNumDims, (struct TF_Graph *, struct TF_Output, struct TF_STATUS *))                   \
	F(void, TF_GraphGetTensorShape, (struct TF_Graph *, struct TF_Output, int64_t *, int, struct TF_STATUS *))    \
	F(void, TF_AddGradients,                                                                                      \
	  (struct TF_Graph *, struct TF_Output *, int, struct TF_Output *, int, struct TF_Output *,                   \
	   struct TF_STATUS *, struct TF_Output *))                                                                   \
	F(const char *, TF_OperationName, (struct TF_Operation *))                                                    \
	F(struct TF_Operation *, TF_GraphOperationByName, (struct TF_Graph *, const char *))                          \
	F(struct TF_Buffer *, TF_NewBuffer, (void))                                                                   \
	F(void, TF_GraphToGraphDef, (struct TF_Graph *, struct TF_Buffer *, struct TF_STATUS *))                      \
	F(struct TF_ImportGraphDefOptions *, TF_NewImportGraphDefOptions, (void))                                     \
	F(void, TF_DeleteImportGraphDefOptions, (struct TF_ImportGraphDefOptions *))                                  \
	F(void, TF_GraphImportGraphDef,                                                                               \
	  (struct TF_Graph *, const struct TF_Buffer *, const struct TF_ImportGraphDefOptions *, struct TF_STATUS *)) \
	F(struct TF_Function *, TF_GraphToFunction,                                                                   \
	  (const struct TF_Graph *, const char *, unsigned char, int, const struct TF_Operation *const *, int,        \
	   const struct TF_Output *, int, const struct TF_Output *, const char *const *,                              \
	   const struct TF_FunctionOptions *, const char *, struct TF_STATUS *))                                      \
	F(void, TF_DeleteFunction, (struct TF_Function *))                                                            \
	F(void, TFE_ContextAddFunction, (struct TFE_Context *, struct TF_Function *, struct TF_STATUS *))             \
	F(void, TFE_ContextRemoveFunction, (struct TFE_Context *, const char *, struct TF_STATUS *))                  \
	F(void, TFE_OpSetAttrFunctionName, (struct TFE_Op *, const char *, const char *, size_t))                     \
	F(void, TFE_OpSetAttrTypeList, (struct TFE_Op *, const char *, const TF_TYPE *, int))                         \
	F(void, TFE_OpSetAttrShapeList,                                                                               \
	  (struct TFE_Op *, const char *, const int64_t **, const int *, int, struct TF_STATUS *))                    \
	F(struct TF_SessionOptions *, TF_NewSessionOptions, (void))                                                   \
	F(void, TF_SetConfig, (struct TF_SessionOptions *, const void *, size_t, struct TF_STATUS *))                 \
	F(void, TF_DeleteSessionOptions, (struct TF_SessionOptions *))                                                \
	F(struct TF_Session *, TF_NewSession,                                                                         \
	  (struct TF_Graph *, const struct TF_SessionOptions *, struct TF_STATUS *))                                  \
	F(void, TF_CloseSession, (struct TF_Session *, struct TF_STATUS *))                                           \
	F(void, TF_DeleteSession, (struct TF_Session *, struct TF_STATUS *))                                          \
	F(void, TF_SessionRun,                                                                                        \
	  (struct TF_Session *, const struct TF_Buffer *, const struct TF_Output *, struct TF_Tensor *const *, int,   \
	   const struct TF_Output *, struct TF_Tensor **, int, const struct TF_Operation *const *, int,               \
	   struct TF_Buffer *, struct TF_STATUS *))

struct tf_api {
#define F(result, name, arguments) result(*name) arguments;
	TF_FUNCTIONS(F)
#undef F
	int has_eager; /* all of TFE_* are there */
};

/* Fills the table from the library in folder/lib; the error names the first function that is missing.  The library
 * stays loaded: it has threads of its own. */
int tf_api_open(const char *folder, struct tf_api *out, struct err *e);

#endif
