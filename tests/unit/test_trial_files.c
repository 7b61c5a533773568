/* test_trial_files.c - cases written to files and read back are the same cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "support/trials.h"
#include "support/workers.h"

#define SEED 7

static void check_same_case(struct trial *a, struct trial *b)
{
	struct party p = trials_open("fault:relu6");
	struct outcome x, y;
	struct err e = ERR_INIT;

	assert_int_equal(trial_judge(a, &p, NULL, &x, &e), 0);
	assert_int_equal(trial_judge(b, &p, NULL, &y, &e), 0);
	assert_int_equal(x.verdict, VERDICT_WRONG);
	assert_int_equal(y.verdict, VERDICT_WRONG);
	assert_true(x.ratio == y.ratio);
	outcome_release(&x);
	outcome_release(&y);
	party_close(&p);
}

static void test_files(void **state)
{
	char folder[] = "/tmp/test-trial-XXXXXX", path[256];
	static const char *const files[] = {"model.onnx", "inputs.npz", "expected.npz"};
	struct trial t = trials_line("Relu-14 f32[3,4]@5:9", SEED), back, copy, again;
	struct buf npz;
	struct err e = ERR_INIT;

	(void)state;
	assert_non_null(mkdtemp(folder));
	assert_int_equal(trial_truth(&t, &e), 0);
	assert_int_equal(trial_save(&t, folder, &e), 0);
	if (trial_load(folder, 7, &back, &e))
		fail_msg("%s", e.msg);
	assert_int_equal(back.bytes.len, t.bytes.len);
	assert_memory_equal(back.bytes.data, t.bytes.data, t.bytes.len);
	check_same_case(&t, &back);
	assert_int_equal(trial_copy(&t, &copy, &e), 0);
	check_same_case(&t, &copy);
	buf_init(&npz, 1 << 20);
	assert_int_equal(trial_inputs_npz(&t, &npz, &e), 0);
	if (trial_from_bytes(t.bytes.data, t.bytes.len, npz.data, npz.len, 7, &again, &e))
		fail_msg("%s", e.msg);
	check_same_case(&t, &again);
	buf_clear(&npz);
	assert_int_equal(trial_expected_npz(&t, &npz, &e), 0);
	assert_true(npz.len > 100);
	buf_release(&npz);
	for (size_t i = 0; i < 3; i++) {
		snprintf(path, sizeof path, "%s/%s", folder, files[i]);
		assert_int_equal(unlink(path), 0);
	}
	rmdir(folder);
	trial_release(&t);
	trial_release(&back);
	trial_release(&copy);
	trial_release(&again);
}

/* Sequences and types that numpy lacks come back as they were. */
static void test_other_inputs_in_npz(void **state)
{
	static const char *const lines[] = {"Cast-19 bf16[2,3] to=1", "Cast-21 i4{1,-3,7} to=1"};
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct trial t = trials_line(lines[i], SEED), back;
		struct party p = trials_open("reference");
		struct outcome o;
		struct buf npz;

		buf_init(&npz, 1 << 20);
		assert_int_equal(trial_inputs_npz(&t, &npz, &e), 0);
		assert_int_equal(trial_from_bytes(t.bytes.data, t.bytes.len, npz.data, npz.len, 7, &back, &e), 0);
		trials_judge(&back, &p, VERDICT_AGREE, &o);
		outcome_release(&o);
		buf_release(&npz);
		party_close(&p);
		trial_release(&t);
		trial_release(&back);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, worker_setup, worker_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_files),
		TEST(test_other_inputs_in_npz),
	};

	return cmocka_run_group_tests(tests, worker_group_setup, worker_group_teardown);
}
