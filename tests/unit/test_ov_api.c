/* test_ov_api.c - every function of OpenVINO that assay declares, against the library's own header.
 *
 * The comparison is made by the compiler, when tests/CMakeLists.txt finds the header in an installed OpenVINO. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/backend.h"

#ifdef HAVE_OV_HEADER
#include <openvino/c/openvino.h>

#define OV_HEADER
#define OV_STATUS ov_status_e
#define OV_ELEMENT ov_element_type_e
#define OV_SHAPE ov_shape_t
#define OV_PROFILE ov_profiling_info_list_t
#include "backends/openvino/ov_api.h"

#define F(result, name, arguments)                                                           \
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), result(*) arguments), \
		       #name " is declared in another way");
OV_FUNCTIONS(F)
#ifdef HAVE_OV_STRINGS /* older headers have none of these */
OV_OPTIONAL_FUNCTIONS(F)
#endif
#undef F

_Static_assert(OV_EXECUTED == EXECUTED, "statuses of nodes");
_Static_assert(OV_OK == OK && OV_NOT_IMPLEMENTED == (int)NOT_IMPLEMENTED, "statuses");
_Static_assert(OV_INVALID_C_PARAM == (int)INVALID_C_PARAM, "statuses");
_Static_assert(OV_NOT_IMPLEMENTED_IN_C == (int)NOT_IMPLEMENT_C_METHOD, "statuses");

/* Numbers may all be one higher (ov_library.c finds out): their distances from boolean are what counts. */
#define SAME(ours, theirs) \
	_Static_assert((int)(ours) - (int)OV_BOOL == (int)(theirs) - (int)BOOLEAN, #theirs " has another number")
SAME(OV_BF16, BF16);
SAME(OV_F16, F16);
SAME(OV_F32, F32);
SAME(OV_F64, F64);
SAME(OV_I4, I4);
SAME(OV_I8, I8);
SAME(OV_I16, I16);
SAME(OV_I32, I32);
SAME(OV_I64, I64);
SAME(OV_U4, U4);
SAME(OV_U8, U8);
SAME(OV_U16, U16);
SAME(OV_U32, U32);
SAME(OV_U64, U64);
SAME(OV_F8E4M3, F8E4M3);
SAME(OV_F8E5M2, F8E5M3); /* spelt so there */
SAME(OV_STRING, STRING);
SAME(OV_F4E2M1, F4E2M1);
SAME(OV_F8E8M0, F8E8M0);

static void test_declarations(void **state)
{
	(void)state; /* it was compiled */
}
#else
static void test_declarations(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	err_set(&e, ERR_IO, "OpenVINO's headers are not installed (assay backends install openvino)");
	backend_skip(&e);
}
#endif

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_declarations)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
