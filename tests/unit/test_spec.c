/* Backend names: what is found, what is chosen, and what the messages say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "worker/parent/spec.h"

static char root[] = "/tmp/assay-spec-XXXXXX";

static void make_folder(const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", root, name);
	assert_int_equal(mkdir(path, 0700), 0);
}

static void make_file(const char *name)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", root, name);
	f = fopen(path, "w");
	assert_non_null(f);
	fclose(f);
}

/* Two roots, one with three versions of ort, and programs for workers. */
static int set_up(void **state)
{
	char path[256];

	(void)state;
	assert_non_null(mkdtemp(root));
	make_folder("a");
	make_folder("a/ort");
	make_folder("a/ort/1.9.0");
	make_folder("a/ort/1.17.0");
	make_folder("a/ort/.part");
	make_folder("b");
	make_folder("b/backends");
	make_folder("b/backends/ort");
	make_folder("b/backends/ort/1.17.0");
	make_folder("b/backends/ort/1.31.1");
	make_folder("b/backends/mnn");
	make_folder("b/backends/mnn/3.6.1");
	make_folder("b/backends/torch-cuda");
	make_folder("b/backends/torch-cuda/2.15.0");
	make_folder("w");
	make_file("w/assay-worker-ort");
	make_file("w/assay-worker-torch");
	make_file("w/worker.py");
	snprintf(path, sizeof path, "%s/a", root);
	setenv("ASSAY_BACKENDS", path, 1);
	snprintf(path, sizeof path, "%s/b", root);
	setenv("ASSAY_DEPS", path, 1);
	setenv("XDG_DATA_HOME", "/nonexistent", 1);
	snprintf(path, sizeof path, "%s/w", root);
	setenv("ASSAY_WORKERS", path, 1);
	return 0;
}

static int remove_entry(const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s/%s", root, name);
	return remove(path);
}

static int tear_down(void **state)
{
	static const char *const entries[] = {"a/ort/1.9.0",
					      "a/ort/1.17.0",
					      "a/ort/.part",
					      "a/ort",
					      "a",
					      "b/backends/ort/1.17.0",
					      "b/backends/ort/1.31.1",
					      "b/backends/ort",
					      "b/backends/mnn/3.6.1",
					      "b/backends/mnn",
					      "b/backends/torch-cuda/2.15.0",
					      "b/backends/torch-cuda",
					      "b/backends",
					      "b",
					      "w/assay-worker-ort",
					      "w/assay-worker-torch",
					      "w/worker.py",
					      "w",
					      ""};

	(void)state;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		remove_entry(entries[i]);
	return 0;
}

static void test_versions(void **state)
{
	(void)state;
	assert_true(spec_version_order("1.9.0", "1.17.0") < 0);
	assert_true(spec_version_order("1.17.0", "1.9.0") > 0);
	assert_int_equal(spec_version_order("1.17.0", "1.17.0"), 0);
	assert_true(spec_version_order("1.17", "1.17.1") < 0);
	assert_true(spec_version_order("1.0.20250101", "1.0.20261020") < 0);
}

static void test_installed(void **state)
{
	struct spec_installed_list l;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_find_installed(NULL, &l, &e), 0);
	assert_int_equal(l.n, 5);
	assert_string_equal(l.at[0].name, "mnn");
	assert_string_equal(l.at[1].version, "1.31.1");
	assert_string_equal(l.at[2].version, "1.17.0");
	assert_non_null(strstr(l.at[2].folder, "/a/ort/1.17.0")); /* the first root wins */
	assert_string_equal(l.at[3].version, "1.9.0");
	spec_installed_release(&l);
}

static void test_names(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_make("ort", &s, &e), 0);
	assert_string_equal(s.version, "1.31.1");
	assert_string_equal(s.library, "onnxruntime");
	assert_string_equal(spec_option(&s, "level"), "O99");
	assert_string_equal(spec_option(&s, "threads"), "1");
	assert_null(spec_option(&s, "other"));
	assert_non_null(strstr(s.program, "/w/assay-worker-ort"));
	assert_false(spec_is_reference(&s));
	spec_release(&s);

	assert_int_equal(spec_make("ort@1.9.0:O0+threads=4", &s, &e), 0);
	assert_string_equal(s.name, "ort@1.9.0:O0+threads=4");
	assert_string_equal(s.version, "1.9.0");
	assert_string_equal(spec_option(&s, "level"), "O0");
	assert_string_equal(spec_option(&s, "threads"), "4");
	spec_release(&s);

	assert_int_equal(spec_make("reference", &s, &e), 0);
	assert_true(spec_is_reference(&s));
	spec_release(&s);

	assert_int_equal(spec_make("exec:sh  -c x", &s, &e), 0);
	assert_non_null(strstr(s.program, "/sh"));
	assert_string_equal(s.args[0], "-c");
	assert_string_equal(s.args[1], "x");
	assert_null(s.args[2]);
	spec_release(&s);
}

/* Words as a shell makes them; nothing is replaced in them. */
static void test_quotes(void **state)
{
	static const struct {
		const char *command;
		const char *words[4];
	} cases[] = {
		{"exec:sh 'a b'c \"d e\"", {"a bc", "d e"}},
		{"exec:sh a\\ b '\\' \"\\\"\\\\\\n\"", {"a b", "\\", "\"\\\\n"}},
		{"exec:sh '' \"\"  $HOME", {"", "", "$HOME"}},
		{"exec:'sh' \"it's\" '\"'", {"it's", "\""}},
		{"exec:sh a\\", {"a\\"}},
	};
	struct worker_spec s;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		size_t n = 0;

		if (spec_make(cases[i].command, &s, &e))
			fail_msg("%s", e.msg);
		for (; cases[i].words[n]; n++)
			assert_string_equal(s.args[n], cases[i].words[n]);
		assert_null(s.args[n]);
		spec_release(&s);
	}
}

/* A command's library is what its worker says; others keep their own. */
static void test_adopt(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_make("exec:sh", &s, &e), 0);
	assert_int_equal(spec_adopt(&s, "mine", "2.0", &e), 0);
	assert_string_equal(s.library, "mine");
	assert_string_equal(s.version, "2.0");
	spec_release(&s);
	assert_int_equal(spec_make("ort@1.9.0", &s, &e), 0);
	assert_int_equal(spec_adopt(&s, "mine", "2.0", &e), 0);
	assert_string_equal(s.version, "1.9.0");
	spec_release(&s);
}

static void test_python(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;

	(void)state;
	setenv("ASSAY_PYTHON", "sh", 1); /* any program will do */
	assert_int_equal(spec_make("mnn", &s, &e), 0);
	assert_non_null(strstr(s.args[0], "/w/worker.py"));
	assert_string_equal(s.args[1], "mnn");
	assert_non_null(strstr(s.env[0], "PYTHONPATH="));
	assert_non_null(strstr(s.env[0], "/mnn/3.6.1/site"));
	spec_release(&s);
}

/* A library on another device has the same worker, and needs the device. */
static void test_devices(void **state)
{
	struct worker_spec s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_make("torch-cuda:device=cpu", &s, &e), 0);
	assert_non_null(strstr(s.program, "/w/assay-worker-torch"));
	assert_string_equal(s.backend, "torch-cuda");
	assert_non_null(strstr(s.folder, "/torch-cuda/2.15.0"));
	spec_release(&s);
	if (access("/dev/nvidia0", F_OK)) {
		assert_int_equal(spec_make("torch-cuda", &s, &e), ERR_UNSUPPORTED);
		assert_non_null(strstr(e.msg, "no GPU"));
		err_clear(&e);
		assert_int_equal(spec_make("jax-cuda@0.10.2", &s, &e), ERR_UNSUPPORTED);
	}
	assert_true(spec_is("torch", "torch") && spec_is("torch-cuda", "torch") && spec_is("torch-cuda", "torch-cuda"));
	assert_false(spec_is("torch", "torch-cuda") || spec_is("torchx", "torch") || spec_is("tf", "tflite"));
}

static void check_message(const char *name, const char *part)
{
	struct worker_spec s;
	struct err e = ERR_INIT;

	assert_int_equal(spec_make(name, &s, &e), ERR_USAGE);
	if (!strstr(e.msg, part))
		fail_msg("'%s' gave '%s', without '%s'", name, e.msg, part);
}

static void test_messages(void **state)
{
	(void)state;
	check_message("nope", "'assay backends' lists them");
	check_message("ort,jax", "is a list");
	check_message("ort:fast=1",
		      "has no option 'fast'; it has level, threads, accuracy, saved, disable, only, provider, save");
	check_message("ort:level=O7", "option level: 'O7' is not one of O99, O0, O1, O2");
	check_message("ort:threads=many", "option threads: 'many' is not a whole number from 0 to 1024");
	check_message("ort:accuracy=9", "option accuracy: '9' is not a whole number from 0 to 4");
	check_message("onnxconvert:to=now", "option to: 'now' is not a number, nor one of last, up, down");
	check_message("fault:relu6+precision=f12", "is not one of tf32, bf16, f16");
	check_message("", "without a name");
	check_message("ort@1.2.3", "'assay backends install ort@1.2.3'");
	check_message("openvino", "'assay backends install openvino'");
	check_message("ort:fast", "has no option set 'fast'; there are O0, O1, O2, O3, O99");
	check_message("mnn:fast", "it has none");
	check_message("reference:O0", "has no versions or options");
	check_message("exec:", "needs a command");
	check_message("exec:sh 'a", "a quote is not closed");
	check_message("exec:sh,name=a b", "wanted name=");
	check_message("exec:sh,version=", "wanted name=");
	check_message("exec:no-such-program-here", "cannot find program");
}

/* What was read and not typed chooses among libraries that are installed, and names no program and no file. */
static void test_found(void **state)
{
	static const char *const refused[] = {
		"exec:sh",         "exec:",          "ort=/tmp",         "ort=",  "ort@1.17.0=/tmp", "nope=x:O0",
		"ort:save=/tmp/x", "ort:O0+save=/x", "ort:a=b+c=./d+O0", "ort:=/"};
	static const char *const taken[] = {"ort", "ort@1.17.0:O0", "ort:threads=2+O1", "reference"};
	struct worker_spec s;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		if (spec_make_found(refused[i], &s, &e) != ERR_USAGE || !strstr(e.msg, "was not typed"))
			fail_msg("%s is taken, or not for that reason: %s", refused[i], e.msg);
		err_clear(&e);
	}
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
		if (spec_make_found(taken[i], &s, &e))
			fail_msg("%s: %s", taken[i], e.msg);
		spec_release(&s);
	}
	assert_false(spec_names_file("fault:relu6@/layer/node"));
}

static void test_lists(void **state)
{
	struct spec_list l;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(spec_make_list("reference,ort:O0,exec:sh 'a,b' \\, \",\",reference", &l, &e), 0);
	assert_int_equal(l.n, 4);
	assert_string_equal(l.at[1].name, "ort:O0");
	assert_string_equal(l.at[2].args[0], "a,b");
	assert_string_equal(l.at[2].args[1], ",");
	assert_string_equal(l.at[2].args[2], ",");
	assert_null(l.at[2].args[3]);
	assert_string_equal(l.at[3].name, "reference");
	spec_list_release(&l);
	assert_int_equal(spec_make_list("exec:sh a,version=1.2,name=mine,ort:O0", &l, &e), 0);
	assert_int_equal(l.n, 2);
	assert_string_equal(l.at[0].library, "mine");
	assert_string_equal(l.at[0].version, "1.2");
	assert_string_equal(l.at[0].args[0], "a");
	assert_null(l.at[0].args[1]);
	spec_list_release(&l);
	assert_int_equal(spec_make_list("ort,nope", &l, &e), ERR_USAGE);
	assert_int_equal(spec_make_list("", &l, &e), ERR_USAGE);
}

static void test_shown(void **state)
{
	static const char *const rows[][2] = {
		{"exec:sh a,name=mine,version=1.2", "mine@1.2"},
		{"exec:sh a,version=1.2,name=mine", "mine@1.2"},
		{"exec:sh a,name=mine", "mine"},
		{"exec:sh 'a,name=no' \\,name=no,name=mine", "mine"},
		{"exec:sh a,version=1.2", "exec:sh a,version=1.2"},
		{"exec:sh 'a,name=no'", "exec:sh 'a,name=no'"},
		{"exec:sh a,name=", "exec:sh a,name="},
		{"ort@1.17.0:O1", "ort@1.17.0:O1"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(SHOWN_AS(rows[i][0]), rows[i][1]);
}

/* Whatever allocation fails, there is an error and nothing is left over (the sanitizer sees leaks). */
static void test_memory(void **state)
{
	int rc = -1;

	(void)state;
	for (size_t k = 1; rc; k++) {
		struct worker_spec s;
		struct err e = ERR_INIT;

		mem_fail_after(k, 0);
		rc = spec_make("ort@1.17.0:O1+threads=2", &s, &e);
		mem_fail_after(0, 0);
		if (!rc)
			spec_release(&s);
		assert_true(k < 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_versions), cmocka_unit_test(test_installed), cmocka_unit_test(test_names),
		cmocka_unit_test(test_quotes),   cmocka_unit_test(test_adopt),     cmocka_unit_test(test_python),
		cmocka_unit_test(test_messages), cmocka_unit_test(test_lists),     cmocka_unit_test(test_devices),
		cmocka_unit_test(test_memory),   cmocka_unit_test(test_found),     cmocka_unit_test(test_shown),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
