/* test_malformed.c - every file of tests/malformed is refused: with a status that ends the program with 2, and with a
 * message that names the file and has the word EXPECT lists for it.  scripts/make-malformed makes the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/model.h"
#include "tensor/io.h"

#define FOLDER "tests/malformed/"
#define LEAST_CASES 60 /* fewer means that the list was not read */

static int load_model(const char *path, struct err *e)
{
	struct model *m = NULL;
	int rc = model_load(path, &m, e);

	model_free(m);
	return rc;
}

static int load_npy(const char *path, struct err *e)
{
	struct tensor *t = NULL;
	int rc = npy_load(path, &t, e);

	tensor_unref(t);
	return rc;
}

static int load_npz(const char *path, struct err *e)
{
	struct tensor_set set = TENSOR_SET_INIT;
	int rc = npz_load(path, &set, e);

	tensor_set_release(&set);
	return rc;
}

static int load_value(const char *path, enum value_kind kind, struct err *e)
{
	struct value *v = NULL;
	int rc = pb_load_value(path, kind, &v, NULL, e);

	value_unref(v);
	return rc;
}

static int load_tensor(const char *path, struct err *e)
{
	return load_value(path, VALUE_NONE, e);
}

static int load_sequence(const char *path, struct err *e)
{
	return load_value(path, VALUE_SEQUENCE, e);
}

/* The first ending that fits counts. */
static const struct {
	const char *ending;
	int (*load)(const char *path, struct err *e);
} loaders[] = {{".onnx", load_model},
	       {".npy", load_npy},
	       {".npz", load_npz},
	       {".seq.pb", load_sequence},
	       {".pb", load_tensor}};

static int load(const char *path, struct err *e)
{
	for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) {
		size_t n = strlen(path), k = strlen(loaders[i].ending);

		if (n > k && !strcmp(path + n - k, loaders[i].ending))
			return loaders[i].load(path, e);
	}
	fail_msg("'%s' has no known ending", path);
	return 0;
}

/* Returns 1 when the file was refused as it should be. */
static int check(const char *name, const char *word)
{
	struct err e = ERR_INIT;
	char path[512];
	int rc;

	snprintf(path, sizeof path, FOLDER "%s", name);
	rc = load(path, &e);
	if (rc && rc == e.code && err_exit_status(rc) == 2 && strstr(e.msg, path) && strstr(e.msg, word))
		return 1;
	print_error("%s: %s: '%s', wanted '%s'\n", name, err_name(rc), e.msg, word);
	return 0;
}

static void test_files(void **state)
{
	struct err e = ERR_INIT;
	struct buf list;
	int cases = 0, good = 0;

	(void)state;
	buf_init(&list, 1 << 20);
	if (buf_read_file(&list, FOLDER "EXPECT", 1 << 20, &e))
		fail_msg("%s", e.msg);
	for (char *line = list.data, *end; (end = strchr(line, '\n')); line = end + 1) {
		char *tab = memchr(line, '\t', (size_t)(end - line));

		*end = '\0';
		if (*line == '#')
			continue;
		assert_non_null(tab);
		*tab = '\0';
		cases++;
		good += check(line, tab + 1);
	}
	buf_release(&list);
	assert_true(cases >= LEAST_CASES);
	assert_int_equal(good, cases);
	assert_int_equal(tensor_memory_live(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_files)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
