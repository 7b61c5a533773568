/* What the doctor advises for the words that broken libraries leave. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "install/advice.h"

static const struct {
	struct failure failure;
	const char *wanted; /* "": no advice at all */
} rows[] = {
	{{"mxnet@1.6.0", "cannot start: libquadmath.so.0: cannot open shared object file: No such file or directory",
	  "", 0, 0},
	 "'libquadmath.so.0' is missing: apt-get install libquadmath0"},
	{{"x@1", "", "error: 'libfoo.so.9: cannot open shared object file'", 0, 0}, "'libfoo.so.9' is missing"},
	{{"x@1", "", ": cannot open shared object file", 0, 0}, "the shared library '' is missing"},
	{{"ort@1", "cannot start: '/proc/self/exe': cannot open shared object file: No such file or directory", "", 0,
	  0},
	 "'/proc/self/exe' is there, but not for this kind of processor"},
	{{"ort@1", "cannot start: '/no/libx.so': cannot open shared object file", "", 0, 0},
	 "the shared library '/no/libx.so' is missing"},
	{{"torch@2", "libcuda.so.1: cannot open shared object file", NULL, 0, 0}, "driver of an NVIDIA GPU"},
	{{"ort@1", "libm.so.6: version `GLIBC_2.38' not found (required by libonnxruntime.so)", "", 0, 0},
	 "built for a newer system"},
	{{"jax@1", "exited", "ModuleNotFoundError: No module named 'numpy'", 0, 0}, "no module 'numpy'"},
	{{"jax@1", "exited", "No module named", 0, 0}, "no module :"},
	{{"ort@1", "crash", "", SIGILL, 0}, "this processor lacks instructions"},
	{{"ort@1", "crash", "", SIGKILL, 0}, "too little memory"},
	{{"ort@1", "x has changed", "", 0, 1}, "install --force ort@1"},
	{{"ort@1", "something else", "", SIGSEGV, 0}, ""},
	{{"ort@1", NULL, NULL, 0, 0}, ""},
};

static void test_advice(void **state)
{
	char out[512], small[8];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		advice_for(&rows[i].failure, out, sizeof out);
		if (*rows[i].wanted ? !strstr(out, rows[i].wanted) : *out)
			fail_msg("row %zu: '%s' is not '%s'", i, out, rows[i].wanted);
		advice_for(&rows[i].failure, small, sizeof small);
		assert_true(strlen(small) < sizeof small);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_advice)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
