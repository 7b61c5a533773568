/* test_backend_versions.c - versions that differ from the newest in their interface: the oldest of each library that
 * has several.
 *
 * What every version can do is compared with the reference.  A version that is not installed is skipped, with the
 * reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/backend.h"

static const char *const lines[] = {
	"Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,2,1] strides=[2,1]",
	"MatMul-13 f32[2,3] f32[3,4]",
	"Add-13 i64[2,3] i64[3]",
	"MaxPool-12 f32[1,2,7,7] kernel_shape=[3,3] strides=[2,2] pads=[0,1,1,0]",
	"AveragePool-11 f32[1,2,7,7] kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]",
	"Softmax-13 f32[2,3,4] axis=1",
	"ReduceMean-11 f32[2,3,4] axes=[1]",
	"Transpose-13 f32[2,3,4] perm=[2,0,1]",
	"Concat-13 f32[2,3] f32[2,1] axis=-1",
	"Cast-13 f32{0,1,2.5} to=6",
};

static int n_tested;

static void check_version(const char *name)
{
	int rc = backend_test_start(name);

	if (rc == BACKEND_SKIPPED)
		skip();
	assert_int_equal(rc, 0);
	BACKEND_CHECK_LINES(lines);
	backend_check_intermediates();
	backend_check_dynamic_shapes();
	backend_check_rejections();
	backend_test_stop();
	n_tested++;
}

#define VERSION(id, name)            \
	static void id(void **state) \
	{                            \
		(void)state;         \
		check_version(name); \
	}

VERSION(test_ort, "ort@1.8.1")
VERSION(test_mxnet, "mxnet@1.6.0")
VERSION(test_tf, "tf@2.12.0")
VERSION(test_openvino, "openvino@2024.6.0")

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ort),
		cmocka_unit_test(test_mxnet),
		cmocka_unit_test(test_tf),
		cmocka_unit_test(test_openvino),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_tested ? 0 : BACKEND_SKIPPED;
}
