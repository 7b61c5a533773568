/* ort_api.h - the part of ONNX Runtime's C interface that assay uses, declared by slot.
 *
 * The library exports one function, OrtGetApiBase(); behind it is a table of function pointers whose slots are only
 * ever appended to.  Each row here is slot number, name and signature; tests/unit/test_ort_api.c compares them with the
 * real header where one is found. */
#ifndef BACKENDS_ORT_ORT_API_H
#define BACKENDS_ORT_ORT_API_H

#include <stddef.h>
#include <stdint.h>

#define ORT_API_NEWEST 24 /* newest table version asked for; older libraries give the one of their minor version */

struct OrtStatus;
struct OrtEnv;
struct OrtSession;
struct OrtSessionOptions;
struct OrtRunOptions;
struct OrtValue;
struct OrtMemoryInfo;
struct OrtAllocator;
struct OrtTensorTypeAndShapeInfo;
struct OrtTypeInfo;

#ifndef ORT_ENUM /* an enum of the library is passed as an int; the test looks at the enums themselves */
#define ORT_ENUM(name) int
#endif

/* Values of those enums. */
#define ORT_STATUS_NOT_IMPLEMENTED 9
#define ORT_TYPE_TENSOR 1
#define ORT_TYPE_SEQUENCE 2
#define ORT_TYPE_OPTIONAL 6
#define ORT_LOG_ERROR 3
#define ORT_ALLOCATOR_DEVICE 0
#define ORT_MEMORY_DEFAULT 0

/* The minor version that has a slot: what is younger than 1.8 is NULL in older libraries. */
#define ORT_HAS_VALUE_SLOT 192
#define ORT_APPEND_PROVIDER_SLOT 216
#define ORT_SLOT_SINCE(slot) ((slot) < ORT_HAS_VALUE_SLOT ? 0 : (slot) < ORT_APPEND_PROVIDER_SLOT ? 10 : 12)

/* S(slot, result, name, arguments) */
#define ORT_SLOTS(S)                                                                                                   \
	S(1, ORT_ENUM(OrtErrorCode), GetErrorCode, (const struct OrtStatus *))                                         \
	S(2, const char *, GetErrorMessage, (const struct OrtStatus *))                                                \
	S(3, struct OrtStatus *, CreateEnv, (ORT_ENUM(OrtLoggingLevel), const char *, struct OrtEnv **))               \
	S(7, struct OrtStatus *, CreateSession,                                                                        \
	  (const struct OrtEnv *, const char *, const struct OrtSessionOptions *, struct OrtSession **))               \
	S(8, struct OrtStatus *, CreateSessionFromArray,                                                               \
	  (const struct OrtEnv *, const void *, size_t, const struct OrtSessionOptions *, struct OrtSession **))       \
	S(9, struct OrtStatus *, Run,                                                                                  \
	  (struct OrtSession *, const struct OrtRunOptions *, const char *const *, const struct OrtValue *const *,     \
	   size_t, const char *const *, size_t, struct OrtValue **))                                                   \
	S(10, struct OrtStatus *, CreateSessionOptions, (struct OrtSessionOptions **))                                 \
	S(11, struct OrtStatus *, SetOptimizedModelFilePath, (struct OrtSessionOptions *, const char *))               \
	S(23, struct OrtStatus *, SetSessionGraphOptimizationLevel,                                                    \
	  (struct OrtSessionOptions *, ORT_ENUM(GraphOptimizationLevel)))                                              \
	S(24, struct OrtStatus *, SetIntraOpNumThreads, (struct OrtSessionOptions *, int))                             \
	S(31, struct OrtStatus *, SessionGetOutputCount, (const struct OrtSession *, size_t *))                        \
	S(34, struct OrtStatus *, SessionGetOutputTypeInfo,                                                            \
	  (const struct OrtSession *, size_t, struct OrtTypeInfo **))                                                  \
	S(37, struct OrtStatus *, SessionGetOutputName,                                                                \
	  (const struct OrtSession *, size_t, struct OrtAllocator *, char **))                                         \
	S(48, struct OrtStatus *, CreateTensorAsOrtValue,                                                              \
	  (struct OrtAllocator *, const int64_t *, size_t, ORT_ENUM(ONNXTensorElementDataType), struct OrtValue **))   \
	S(49, struct OrtStatus *, CreateTensorWithDataAsOrtValue,                                                      \
	  (const struct OrtMemoryInfo *, void *, size_t, const int64_t *, size_t, ORT_ENUM(ONNXTensorElementDataType), \
	   struct OrtValue **))                                                                                        \
	S(51, struct OrtStatus *, GetTensorMutableData, (struct OrtValue *, void **))                                  \
	S(52, struct OrtStatus *, FillStringTensor, (struct OrtValue *, const char *const *, size_t))                  \
	S(53, struct OrtStatus *, GetStringTensorDataLength, (const struct OrtValue *, size_t *))                      \
	S(54, struct OrtStatus *, GetStringTensorContent, (const struct OrtValue *, void *, size_t, size_t *, size_t)) \
	S(56, struct OrtStatus *, GetOnnxTypeFromTypeInfo, (const struct OrtTypeInfo *, ORT_ENUM(ONNXType) *))         \
	S(60, struct OrtStatus *, GetTensorElementType,                                                                \
	  (const struct OrtTensorTypeAndShapeInfo *, ORT_ENUM(ONNXTensorElementDataType) *))                           \
	S(61, struct OrtStatus *, GetDimensionsCount, (const struct OrtTensorTypeAndShapeInfo *, size_t *))            \
	S(62, struct OrtStatus *, GetDimensions, (const struct OrtTensorTypeAndShapeInfo *, int64_t *, size_t))        \
	S(65, struct OrtStatus *, GetTensorTypeAndShape,                                                               \
	  (const struct OrtValue *, struct OrtTensorTypeAndShapeInfo **))                                              \
	S(67, struct OrtStatus *, GetValueType, (const struct OrtValue *, ORT_ENUM(ONNXType) *))                       \
	S(69, struct OrtStatus *, CreateCpuMemoryInfo,                                                                 \
	  (ORT_ENUM(OrtAllocatorType), ORT_ENUM(OrtMemType), struct OrtMemoryInfo **))                                 \
	S(76, struct OrtStatus *, AllocatorFree, (struct OrtAllocator *, void *))                                      \
	S(78, struct OrtStatus *, GetAllocatorWithDefaultOptions, (struct OrtAllocator **))                            \
	S(80, struct OrtStatus *, GetValue, (const struct OrtValue *, int, struct OrtAllocator *, struct OrtValue **)) \
	S(81, struct OrtStatus *, GetValueCount, (const struct OrtValue *, size_t *))                                  \
	S(82, struct OrtStatus *, CreateValue,                                                                         \
	  (const struct OrtValue *const *, size_t, ORT_ENUM(ONNXType), struct OrtValue **))                            \
	S(92, void, ReleaseEnv, (struct OrtEnv *))                                                                     \
	S(93, void, ReleaseStatus, (struct OrtStatus *))                                                               \
	S(94, void, ReleaseMemoryInfo, (struct OrtMemoryInfo *))                                                       \
	S(95, void, ReleaseSession, (struct OrtSession *))                                                             \
	S(96, void, ReleaseValue, (struct OrtValue *))                                                                 \
	S(98, void, ReleaseTypeInfo, (struct OrtTypeInfo *))                                                           \
	S(99, void, ReleaseTensorTypeAndShapeInfo, (struct OrtTensorTypeAndShapeInfo *))                               \
	S(100, void, ReleaseSessionOptions, (struct OrtSessionOptions *))                                              \
	S(130, struct OrtStatus *, AddSessionConfigEntry, (struct OrtSessionOptions *, const char *, const char *))    \
	S(192, struct OrtStatus *, HasValue, (const struct OrtValue *, int *))                                         \
	S(216, struct OrtStatus *, SessionOptionsAppendExecutionProvider,                                              \
	  (struct OrtSessionOptions *, const char *, const char *const *, const char *const *, size_t))

struct ort_api_base {
	const void *(*get_api)(uint32_t version);
	const char *(*get_version)(void);
};

struct ort_api {
#define S(slot, result, name, arguments) result(*name) arguments;
	ORT_SLOTS(S)
#undef S
};

#endif
