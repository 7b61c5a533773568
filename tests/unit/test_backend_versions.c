/* test_backend_versions.c - versions that differ from the newest in their interface: the oldest of each library that
 * has several.
 *
 * What every version can do is compared with the reference.  A version that is not installed is skipped, with the
 * reason. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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
	backend_test_intermediates(NULL);
	backend_test_dynamic_shapes(NULL);
	backend_test_rejections(NULL);
	backend_test_stop();
	n_tested++;
}

#define VERSION(id, name)            \
	static void id(void **state) \
	{                            \
		(void)state;         \
		check_version(name); \
	}

/* What TensorFlow 1 says with other operations than today's. */
static void test_tf_1(void **state)
{
	static const char *const older[] = {
		"Where-9 bool[2,1] f32[3] f32[2,3]",
		"MatMul-13 f32[2,1,3,4] f32[5,4,2]",
		"LeakyRelu-6 f32[2,3] alpha=0.2",
		"BatchNormalization-15 f32[2,3,4,5] f32[3] f32[3] f32[3] f32[3]@0.5:2 epsilon=0.01",
		"Expand-13 f32[3,1] i64{2,3,4}",
		"LSTM-14 f32[3,2,4] f32[1,12,4] f32[1,12,3] f32[1,24] hidden_size=3 -> 3",
	};
	struct worker_report report;

	(void)state;
	check_version("tf@1.12.0");
	assert_int_equal(backend_test_start("tf@1.12.0"), 0);
	BACKEND_CHECK_LINES(older);
	assert_int_equal(backend_try("Einsum-12 f32[2,3] f32[3,2] equation=\"ij,jk\"", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "not registered"));
	assert_int_equal(backend_try("Cast-13 f32{0,1} to=17", &report), WORKER_UNSUPPORTED);
	assert_int_equal(backend_try("Conv-11 f32[1,1,2,3,3] f32[1,1,2,2,2] dilations=[1,2,1]", &report),
			 WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "no kernel for CPUs"));
	backend_test_stop();
}

VERSION(test_ort, "ort@1.8.1")
VERSION(test_mxnet, "mxnet@1.6.0")
VERSION(test_tf, "tf@2.12.0")
VERSION(test_tf_2_10, "tf@2.10.1")
VERSION(test_openvino, "openvino@2024.6.0")

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ort),     cmocka_unit_test(test_mxnet), cmocka_unit_test(test_tf),
		cmocka_unit_test(test_tf_2_10), cmocka_unit_test(test_tf_1),  cmocka_unit_test(test_openvino),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	return failed ? failed : n_tested ? 0 : BACKEND_SKIPPED;
}
