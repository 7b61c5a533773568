/* test_tf_api.c - the declarations of api.h against TensorFlow's own headers.
 *
 * The comparison is made by the compiler, where CMake found an installed TensorFlow with its headers
 * (`assay backends install tf`).  A difference does not compile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#ifdef HAVE_TF_HEADER
#include <tensorflow/c/c_api.h>
#include <tensorflow/c/eager/c_api.h>

#define TF_STATUS TSL_Status /* the type behind TF_Status */
#define TF_TYPE TF_DataType

/* c_api_experimental.h, which has it, is C++ by now. */
void TFE_ContextSetRunEagerOpAsFunction(TFE_Context *ctx, unsigned char enable, TF_Status *status);
#endif

#include "backends/tf/api.h"
#include "support/backend.h"

#ifdef HAVE_TF_HEADER
#define F(result, name, arguments) static result(*const same_##name) arguments __attribute__((unused)) = name;
TF_FUNCTIONS(F)
#undef F

#define SAME_VALUE(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #ours " is not " #theirs)

SAME_VALUE(TF_CODE_OK, TF_OK);
SAME_VALUE(TF_CODE_NOT_FOUND, TF_NOT_FOUND);
SAME_VALUE(TF_CODE_EXHAUSTED, TF_RESOURCE_EXHAUSTED);
SAME_VALUE(TF_CODE_UNIMPLEMENTED, TF_UNIMPLEMENTED);
_Static_assert(sizeof(TF_DataType) == sizeof(unsigned), "enums are not passed as unsigned");
#endif

static void test_declarations(void **state)
{
#ifndef HAVE_TF_HEADER
	struct err e = ERR_INIT;

	err_set(&e, ERR_IO, "TensorFlow's headers are not installed (assay backends install tf)");
	backend_skip(&e);
#endif
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_declarations)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
