/* test_processor.c - what the processor is said to have is what Linux says of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "base/processor.h"

/* Whether the first processor has a flag; on other machines than x86-64 none. */
static int has_flag(const char *name)
{
	char line[8192] = "";
	int found = 0;

#ifdef __x86_64__
	FILE *f = fopen("/proc/cpuinfo", "r");

	assert_non_null(f);
	while (strncmp(line, "flags", 5) != 0 && fgets(line, sizeof line, f))
		;
	fclose(f);
	assert_non_null(strstr(line, " sse2 "));
#endif
	for (char *rest, *word = strtok_r(line, " \t\n", &rest); word; word = strtok_r(NULL, " \t\n", &rest))
		found |= !strcmp(word, name);
	return found;
}

static void test_vnni(void **state)
{
	(void)state;
	assert_int_equal(processor_has_vnni(), has_flag("avx512_vnni") || has_flag("avx_vnni"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_vnni)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
