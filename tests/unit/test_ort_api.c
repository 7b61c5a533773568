/* test_ort_api.c - the slots of ort_api.h against ONNX Runtime's own header.
 *
 * The comparison is made by the compiler, where CMake found an onnxruntime_c_api.h (ASSAY_ORT_HEADER names one, or a Go
 * module in the module cache has it): place, type and enum values of everything that assay declares.  A difference does
 * not compile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef HAVE_ORT_HEADER
#include <onnxruntime_c_api.h>
#define ORT_ENUM(name) enum name
#endif

#include "backends/ort/ort_api.h"
#include "tensor/dtype.h"

#ifdef HAVE_ORT_HEADER
#define S(slot, result, name, arguments)                                                                               \
	_Static_assert(offsetof(OrtApi, name) == (slot) * sizeof(void *), #name " is in another slot");                \
	_Static_assert(__builtin_types_compatible_p(__typeof__(((OrtApi *)0)->name), __typeof__(result(*) arguments)), \
		       #name " has another type");
ORT_SLOTS(S)
#undef S

#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)
#define SAME_TYPE(name) SAME_VALUE(DT_##name, ONNX_TENSOR_ELEMENT_DATA_TYPE_##name)

SAME_VALUE(ORT_STATUS_NOT_IMPLEMENTED, ORT_NOT_IMPLEMENTED);
SAME_VALUE(ORT_TYPE_TENSOR, ONNX_TYPE_TENSOR);
SAME_VALUE(ORT_TYPE_SEQUENCE, ONNX_TYPE_SEQUENCE);
SAME_VALUE(ORT_TYPE_OPTIONAL, ONNX_TYPE_OPTIONAL);
SAME_VALUE(ORT_LOG_ERROR, ORT_LOGGING_LEVEL_ERROR);
SAME_VALUE(ORT_ALLOCATOR_DEVICE, OrtDeviceAllocator);
SAME_VALUE(ORT_MEMORY_DEFAULT, OrtMemTypeDefault);
SAME_VALUE(99, ORT_ENABLE_ALL);
SAME_VALUE(0, ORT_DISABLE_ALL);
SAME_VALUE(ORT_API_NEWEST <= ORT_API_VERSION, 1);
_Static_assert(sizeof(enum ONNXTensorElementDataType) == sizeof(int), "enums are not passed as ints");
_Static_assert(offsetof(OrtApiBase, GetApi) == offsetof(struct ort_api_base, get_api), "GetApi");
_Static_assert(offsetof(OrtApiBase, GetVersionString) == offsetof(struct ort_api_base, get_version), "GetVersion");

SAME_TYPE(FLOAT);
SAME_TYPE(UINT8);
SAME_TYPE(INT8);
SAME_TYPE(UINT16);
SAME_TYPE(INT16);
SAME_TYPE(INT32);
SAME_TYPE(INT64);
SAME_TYPE(STRING);
SAME_TYPE(BOOL);
SAME_TYPE(FLOAT16);
SAME_TYPE(DOUBLE);
SAME_TYPE(UINT32);
SAME_TYPE(UINT64);
SAME_TYPE(COMPLEX64);
SAME_TYPE(COMPLEX128);
SAME_TYPE(BFLOAT16);
SAME_TYPE(FLOAT8E4M3FN);
SAME_TYPE(FLOAT8E4M3FNUZ);
SAME_TYPE(FLOAT8E5M2);
SAME_TYPE(FLOAT8E5M2FNUZ);
SAME_TYPE(UINT4);
SAME_TYPE(INT4);
#endif

static const int slots[] = {
#define S(slot, result, name, arguments) slot,
	ORT_SLOTS(S)
#undef S
};

#define N_SLOTS (sizeof slots / sizeof *slots)

static void test_header(void **state)
{
	(void)state;
#ifdef HAVE_ORT_HEADER
	print_message("%zu slots and types are those of version %d of the header\n", N_SLOTS, ORT_API_VERSION);
#else
	print_message("%zu slots were not compared: no onnxruntime_c_api.h here; ASSAY_ORT_HEADER may name one\n",
		      N_SLOTS);
#endif
}

/* Holds with and without a header: no slot is declared twice. */
static void test_order(void **state)
{
	(void)state;
	for (size_t i = 1; i < N_SLOTS; i++)
		assert_true(slots[i - 1] < slots[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
