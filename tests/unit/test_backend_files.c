/* test_backend_files.c - models whose data lie in further files: libraries that can read the file themselves.
 *
 * The largest message is lowered, as if the data were some gigabytes: what is left to send lacks them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "judge/session.h"
#include "support/backend.h"
#include "support/networks.h"

#define SMALL 64 /* bytes of a message: even this model is larger */

static const char path[] = "tests/fixtures/external/linear.onnx";

static struct trial read_trial(size_t max_message)
{
	struct value **in = mem_array(1, sizeof *in);
	size_t usual = model_max_message;
	struct err e = ERR_INIT;
	struct model *m;
	struct trial t;
	struct buf bytes;

	buf_init(&bytes, MODEL_MAX_FILE);
	model_max_message = max_message;
	assert_int_equal(trial_read_model(path, &bytes, &m, &e), 0);
	model_max_message = usual;
	in[0] = value_tensor(net_random(5, 2, (int64_t[]){2, 3}, -1, 1), &e);
	assert_non_null(in[0]);
	assert_int_equal(trial_init_bytes(&t, m, &bytes, in, 1, &e), 0);
	return t;
}

/* The data are in the message where they fit, and the file is known in any case. */
static void put_together(void **state)
{
	struct trial t = read_trial(model_max_message), large = read_trial(SMALL), copy;
	struct err e = ERR_INIT;

	(void)state;
	assert_false(t.model->too_large);
	assert_true(large.model->too_large);
	assert_int_equal(large.model->file[0], '/');
	assert_true(strstr(large.model->file, path) != NULL);
	assert_true(t.bytes.len > large.bytes.len);
	assert_int_equal(trial_copy(&large, &copy, &e), 0);
	assert_true(copy.model->too_large);
	assert_string_equal(copy.model->file, large.model->file);
	trial_release(&copy);
	trial_release(&large);
	trial_release(&t);
}

static void read_by(const char *name)
{
	struct trial t = read_trial(SMALL);
	struct backend_names exposed = {(const char *const[]){"m"}, 1};
	struct outcome o = {.verdict = VERDICT_AGREE};
	struct err e = ERR_INIT;
	struct party p;
	uint64_t session;

	if (party_open(&p, name, NULL, &e)) {
		trial_release(&t);
		backend_skip(&e);
		return;
	}
	assert_int_equal(trial_judge(&t, &p, NULL, &o, &e), 0);
	if (o.verdict != VERDICT_AGREE && o.verdict != VERDICT_ROUNDING)
		fail_msg("%s: %s", name, o.reason);
	outcome_release(&o);
	/* What would have to be sent is not tried. */
	o = (struct outcome){.verdict = VERDICT_AGREE};
	session_load_exposing(&p, &t, &exposed, &session, &o);
	assert_int_equal(o.report.result, WORKER_UNSUPPORTED);
	party_close(&p);
	trial_release(&t);
}

static void ort(void **state)
{
	(void)state;
	read_by("ort");
}

static void openvino(void **state)
{
	(void)state;
	read_by("openvino");
}

static void tract(void **state)
{
	(void)state;
	read_by("tract");
}

static void torch(void **state)
{
	(void)state;
	read_by("torch");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(put_together), cmocka_unit_test(ort),   cmocka_unit_test(openvino),
		cmocka_unit_test(tract),        cmocka_unit_test(torch),
	};

	return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
