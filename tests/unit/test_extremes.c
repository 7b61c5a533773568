/* test_extremes.c - every operator in every version at its ends, in every mode: see support/extremes.h.
 *
 * Of each operator and version a line of data/cases is changed; a version without a line has the last line of the
 * operator.  Operators with graphs and those on sequences and optionals, which lines cannot say, are changed in models
 * that are made for them (support/containers.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "model/case_file.h"
#include "reference/reference.h"
#include "support/containers.h"
#include "support/extremes.h"

/* Fewer than these, and the test does not look at what it is for. */
#define VERSIONS 600
#define MUTANTS 80000
#define VALUES 150000
#define CONTAINER_VERSIONS 40
#define CONTAINER_VALUES 50000

#define LOOP_WORK 2e6 /* loops that would go on for ever end after some hundred nodes */

static struct case_lines lines;

/* The since-version that a line is of; 0: it is of another operator. */
static int version_of(const char *line, const struct op_row *row)
{
	char head[128];
	int n = snprintf(head, sizeof head, "%s%s%s-", row->domain, *row->domain ? ":" : "", row->name);

	return strncmp(line, head, (size_t)n) ? 0 : ops_version(row, (int)strtol(line + n, NULL, 10));
}

static void run_line(struct extremes *x, const char *line, const struct op_row *row, int version)
{
	struct op_case c = {0};
	struct err e = ERR_INIT;

	assert_int_equal(case_parse(line, 1, &c, &e), 0);
	extremes_set_version(c.model, row, version);
	extremes_run(x, row, version, c.model, c.inputs);
	case_release(&c);
}

/* The first line of the version (all of them, when all are asked for), or the last of the operator; 0: none. */
static int run_version(struct extremes *x, const struct op_row *row, int version)
{
	const char *last = NULL;
	int n = 0;

	for (size_t i = 0; i < lines.all.n && (!n || extremes_all()); i++) {
		const char *line = lines.all.at[i].text;
		int is = version_of(line, row);

		last = is ? line : last;
		if (is != version)
			continue;
		run_line(x, line, row, version);
		n++;
	}
	if (!n && last)
		run_line(x, last, row, version);
	return last != NULL;
}

/* ---- what was found once ----------------------------------------------------------------------------------------- */

#define FLEX "ai.onnx.preview:FlexAttention-1 "
#define GROUPED "com.microsoft:GroupQueryAttention-1 "
#define QUANTIZED                                                                                        \
	"com.microsoft:QAttention-1 u8[2,3,4]@0:255 u8[4,12]@0:255 f32[12] f32{0.008}[] f32{0.006}[] - " \
	"u8{128}[] u8{120}[] "

static const struct {
	const char *line;
	const char *error; /* a part of it; NULL: there are values */
} known[] = {
	/* nothing is computed along 2^40 rows of no columns */
	{"EyeLike-22 f32[1099511627776,0]", NULL},
	{"TopK-11 f32[1099511627776,0] i64{0} -> 2", NULL},
	{"Unique-28 f32[1099511627776,0] axis=0", "memory"},
	/* a number for floats in the place of an integer */
	{"Pad-1 i64[2,3] paddings=[1,0,0,2] value=1.5", "wanted floats"},
	{"Pad-2 str[2,3] pads=[1,0,0,2]", "wanted floats"},
	/* queries that have no keys, keys that have no values */
	{FLEX "f32[2,2,3,4] f32[1,2,5,4] f32[1,2,5,4]", "batches"},
	{FLEX "f32[2,2,3,4] f32[2,2,5,4] f32[1,2,5,4]", "batches"},
	{FLEX "f32[1,2,3,4] f32[1,2,5,4] f32[1,1,5,4]", "heads"},
	{FLEX "f32[1,2,3,4] f32[1,2,5,4] f32[1,2,5,4] softmax_precision=8", "softmax_precision"},
	{FLEX "f32[1,2,3,4] f32[1,2,5,4] f32[1,2,5,4] softmax_precision=4294967297", "softmax_precision"},
	/* values of no size behind keys of some */
	{GROUPED "f32[2,3,32] f32[2,3,16] f32[2,3,0] - - i32{2,2} i32{3}[] num_heads=4 kv_num_heads=2 -> 3", "fit"},
	{GROUPED "f32[2,3,32] f32[2,3,16] f32[2,3,32] - - i32{2,2} i32{3}[] num_heads=4 kv_num_heads=2 -> 3", "fit"},
	{GROUPED "f32[2,3,48] - - - - i32{2,2} i32{3}[] num_heads=4 kv_num_heads=9000000000000000000 -> 3", "2^31"},
	{QUANTIZED "num_heads=9000000000000000000", "heads"},
	/* a mask that is one number for all */
	{"com.microsoft:QAttention-1 u8[2,3,4]@0:255 u8[4,12]@0:255 f32[12] f32{0.008}[] f32{0.006}[] i32{3}[] "
	 "u8{128}[] u8{120}[] num_heads=2",
	 "mask"},
	/* positions that count on from the last number there is */
	{"com.microsoft:RotaryEmbedding-1 f32[1,2000,2] i64{9223372036854774784} f32[4,1] f32[4,1]", "position"},
	/* nothing to tell a shape by, which was taken for a failure of assay itself */
	{"GatherND-11 f32[2,3] i64{1}[]", "scalar"},
	{"com.microsoft:QLinearConv-1 u8[2,3]@0:255 f32{0.1}[] u8{9}[] u8[2,2,2,2]@0:255 f32{0.1}[] u8{9}[] f32{0.1}[] "
	 "u8{9}[] channels_last=1",
	 "rank 2"},
	{"Einsum-12 f32[2,3] - equation=\"ij,jk->ik\"", "left out"},
	{"ai.onnx.ml:FeatureVectorizer-1 f32[2,3] -", "left out"},
	{"com.microsoft:Attention-1 f32[2,3,4] f32[12] f32[12] num_heads=2", "rank 1"},
	{GROUPED "f32[2,3,32] f32[2,3,16] f32[2,3,16] - - i32{2,2} i32[0] num_heads=4 kv_num_heads=2 -> 3", "empty"},
	{GROUPED "f32[2,3,32] f32[2,3,16] f32[2,3,16] f32[2] f32[2,2,4,8] i32{2,2} i32{3}[] num_heads=4 kv_num_heads=2 "
		 "-> 3",
	 "past_key"},
	{"DFT-20 f32[2,0,2] inverse=1 onesided=1", "half"},
	{"Resize-18 f32[1,1,1,2] - - i64{1,1,8000000000000000000,2} "
	 "keep_aspect_ratio_policy=\"not_smaller\"",
	 "sizes make"},
};

static void test_known(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		const struct ref_options o = {.mode = REF_NOISY, .noise_runs = 2};
		struct ref_result out = {0};
		struct err e = ERR_INIT;
		struct op_case c = {0};
		struct ref *r = NULL;
		int rc;

		assert_int_equal(case_parse(known[i].line, 1, &c, &e), 0);
		rc = ref_open(c.model, &r, &e);
		if (!rc)
			rc = ref_run(r, c.inputs, c.n, &o, &out, &e);
		if ((rc != 0) != (known[i].error != NULL) || (rc && !strstr(e.msg, known[i].error)))
			fail_msg("%s: %s", known[i].line, rc ? e.msg : "gives values");
		ref_result_release(&out);
		ref_close(r);
		case_release(&c);
	}
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

static void test_lines(void **state)
{
	struct extremes x = {0};
	size_t operators = 0, all = 0;

	(void)state;
	for (const struct op_row *row = op_rows; row->name; row++) {
		if (container_wanted(row->op) || !extremes_wants(row))
			continue;
		for (int i = 0; row->versions[i]; i++) {
			int found = run_version(&x, row, row->versions[i]);

			operators += i == 0 && found;
			x.versions += (size_t)found;
		}
		all++;
	}
	print_message("%zu operators in %zu versions, %zu mutants, %zu runs, %zu of them with values\n", operators,
		      x.versions, x.mutants, x.runs, x.values);
	assert_int_equal(operators, all);
	if (!extremes_all()) {
		assert_true(x.versions >= VERSIONS);
		assert_true(x.mutants >= MUTANTS);
		assert_true(x.values >= VALUES);
	}
}

/* Of operators with many versions each has the first case and a third of the others.  Of each version some run
 * must give values: else it is only looked at how it is refused. */
static void run_containers(struct extremes *x, const struct op_row *row, int at)
{
	size_t step = extremes_all() || !row->versions[1] || !row->versions[2] ? 1 : 3;
	int version = row->versions[at];
	struct container_case c;
	size_t values = x->values;

	for (size_t k = 0; container_make(row, version, k, &c); k++) {
		if (!k || k % step == (size_t)at % step)
			extremes_run(x, row, version, c.model, c.inputs);
		container_release(&c);
	}
	if (x->values == values)
		fail_msg("%s-%d: no run gives values", row->name, version);
	x->versions++;
}

static void test_containers(void **state)
{
	struct extremes x = {0};

	(void)state;
	ref_set_max_work(LOOP_WORK);
	for (const struct op_row *row = op_rows; row->name; row++)
		for (int i = 0; container_wanted(row->op) && extremes_wants(row) && row->versions[i]; i++)
			run_containers(&x, row, i);
	ref_set_max_work(REF_MAX_WORK);
	print_message("containers: %zu versions, %zu mutants, %zu runs, %zu of them with values\n", x.versions,
		      x.mutants, x.runs, x.values);
	if (!extremes_all()) {
		assert_true(x.versions >= CONTAINER_VERSIONS);
		assert_true(x.values >= CONTAINER_VALUES);
	}
}

static int set_up(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	extremes_begin();
	return case_lines_read("data/cases", &lines, &e);
}

static int tear_down(void **state)
{
	(void)state;
	case_lines_release(&lines);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_containers),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
