/* test_backend_cntk.c - CNTK in its worker, against the reference, in the opsets that it knows.  Skipped where it is
 * not installed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/backend.h"

static const char *const lines[] = {
	"Conv-1 f32[1,2,5,6] f32[3,2,3,3] f32[3] kernel_shape=[3,3] pads=[1,1,1,1]",
	"MaxPool-8 f32[1,2,6,6] kernel_shape=[2,2] strides=[2,2]",
	"AveragePool-7 f32[1,2,6,6] kernel_shape=[2,2] strides=[2,2]",
	"GlobalAveragePool-1 f32[1,3,4,5]",
	"Relu-6 f32[2,3]",
	"Sigmoid-6 f32[2,3]",
	"Add-7 f32[2,3] f32[3]",
	"Gemm-9 f32[2,3] f32[3,4] f32[4]",
	"Softmax-1 f32[2,5]",
	"Reshape-5 f32[2,6] i64{3,4}",
	"Concat-4 f32[2,3] f32[2,2] axis=1",
	"LRN-1 f32[1,6,3,4] size=3 alpha=0.5 beta=0.7 bias=2.0",
	"Gather-1 f32[7,3] i64{0,6,2}[1,3] axis=0",
	"Clip-6 f32[2,3]@-9:9 min=0.0 max=6.0",
	"RNN-7 f32[3,1,2] f32{0.5,-0.25,0.75,1}[1,2,2] f32{0.3,-0.6,0.2,0.4}[1,2,2] hidden_size=2",
};

static void test_operators(void **state)
{
	(void)state;
	BACKEND_CHECK_LINES(lines);
}

/* Conversion, refusal and what means something else by now are told apart. */
static void test_statuses(void **state)
{
	struct worker_report report;

	(void)state;
	assert_int_equal(backend_try("Softmax-13 f32[2,3,4] axis=1", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "CNTK knows opset 9"));
	assert_int_equal(backend_try("Acosh-9 f32[2]@1:2", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "convert the model"));
	assert_int_equal(backend_try("Add-7 f64[2] f64[2]", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "float32 alone"));
	assert_int_equal(backend_try("Cast-9 f16[2,3] to=1", &report), WORKER_UNSUPPORTED);
	assert_non_null(strstr(report.message, "float32 alone"));
	assert_int_equal(backend_try("ai.onnx.preview.training:Adagrad-1 f32{0.1}[] i64{3}[] f32[2] f32[2] f32[2] -> 2",
				     &report),
			 WORKER_UNSUPPORTED); /* an operator of another domain */
	assert_non_null(strstr(report.message, "No Op or Function registered"));
	assert_int_equal(backend_try("RNN-7 f32[3,1,2] f32[1,2,2] f32[1,2,2] hidden_size=2", &report),
			 WORKER_UNSUPPORTED); /* weights that are no constants */
	assert_non_null(strstr(report.message, "Not Implemented"));
	assert_int_equal(backend_try("Conv-1 f32[2,4,10] f32[5,4,3] f32[5] kernel_shape=[3]", &report),
			 WORKER_REJECTED); /* a bias on one axis; addresses of stack frames are none of the message */
	assert_non_null(strstr(report.message, "not compatible"));
	assert_null(strstr(report.message, "0x"));
	assert_int_equal(backend_try("Transpose-1 f32[2,3]", &report), WORKER_REJECTED);
	assert_non_null(strstr(report.message, "missing attribute perm"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operators),
		cmocka_unit_test(test_statuses),
	};

	return BACKEND_TEST_RUN("cntk", tests);
}
