/* test_einsum.c - Einsum against its definition, wrong equations, and determinants that are known.
 *
 * The definition is one loop nest over all letters; here it reads a second equation that has letters instead of
 * ellipses and an explicit result, so that it needs no parser of its own. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "reference/reference.h"

#define MAX_COUNT 512

static int run(const char *line, struct op_case *c, struct ref_result *out, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref *r = NULL;
	int rc = case_parse(line, 5, c, e);

	if (rc)
		return rc;
	rc = ref_open(c->model, &r, e);
	rc = rc ? rc : ref_run(r, c->inputs, c->n, &o, out, e);
	ref_close(r);
	return rc;
}

/* Offset of the element of a dense tensor that the letters' indices name; an axis of one element repeats. */
static size_t offset(const struct tensor *t, const char *letters, const int64_t *index)
{
	size_t at = 0;

	for (int a = 0; a < t->rank; a++)
		at = at * (size_t)t->dims[a] + (t->dims[a] == 1 ? 0 : (size_t)index[(int)letters[a]]);
	return at;
}

/* y[out] += Π in, over all indices of letters a … z that have a size. */
static void define(struct value *const *in, const char *equation, const struct tensor *out, double *y)
{
	int64_t size[128], index[128] = {0};
	char terms[64], *term[8];
	int n = 0, l;

	snprintf(terms, sizeof terms, "%s", equation);
	for (char *s = terms; *s; s++)
		if (s == terms || s[-1] == '\0')
			term[n++] = s;
		else if (*s == ',')
			*s = '\0';
	for (l = 0; l < 128; l++)
		size[l] = 1;
	for (int i = 0; i < n - 1; i++)
		for (int a = 0; a < in[i]->tensor->rank; a++)
			if (in[i]->tensor->dims[a] > 1)
				size[(int)term[i][a]] = in[i]->tensor->dims[a];
	do {
		double product = 1;

		for (int i = 0; i < n - 1; i++)
			product *= tensor_get(in[i]->tensor, offset(in[i]->tensor, term[i], index));
		y[offset(out, term[n - 1], index)] += product;
		for (l = 'a'; l <= 'z' && ++index[l] == size[l]; l++)
			index[l] = 0;
	} while (l <= 'z');
}

/* In the second column the result is the last term. */
static const struct {
	const char *line, *plain;
} equal[] = {
	{"Einsum-12 f32[3,4] equation=\"ij->ji\"", "ij,ji"},
	{"Einsum-12 f32[3,4] equation=\"ji\"", "ji,ij"},
	{"Einsum-12 f32[3,4] equation=\"Zb\"", "ab,ab"},
	{"Einsum-12 f32[3,4] equation=\"aB\"", "ab,ba"},
	{"Einsum-12 f32[2,3,3] equation=\" ... ii -> i ...\"", "aii,ia"},
	{"Einsum-12 f32[2,3,2,3] equation=\"abab->b\"", "abab,b"},
	{"Einsum-12 f32[3,4] f32[4,5] equation=\"ij,jk->ki\"", "ij,jk,ki"},
	{"Einsum-12 f32[2,3,4] f32[2,4,5] equation=\"bij,bjk\"", "bij,bjk,ik"},
	{"Einsum-12 f32[2,1,3,4] f32[1,5,4,2] equation=\"...ij,...jk\"", "abij,abjk,abik"},
	{"Einsum-12 f32[3,2,1] f32[5,2,4] equation=\"i...,j...->...j\"", "iab,jab,abj"},
	{"Einsum-12 f32[2,3] f32[4,5] equation=\"ab,cd->ca\"", "ab,cd,ca"},
	{"Einsum-12 f32[2,3,3] f32[3,4] equation=\"baa,ac->cb\"", "baa,ac,cb"},
	{"Einsum-12 f32[2,3] f32[4,3] f32[2,5] f32[3] equation=\"ab,cb,ad,b->dac\"", "ab,cb,ad,b,dac"},
	{"Einsum-12 f32[3] f32[4,2] f32[3,2,4] equation=\"i,jk,ikj->k\"", "i,jk,ikj,k"},
	{"Einsum-12 i32[3,4] i32[4,5] equation=\"ij,jk->ik\"", "ij,jk,ik"},
	{"Einsum-12 i64[3,4] i64[3] i64[4] equation=\"ij,i,j->j\"", "ij,i,j,j"},
};

static void test_definition(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof equal / sizeof *equal; k++) {
		struct ref_result got = {0};
		struct op_case c = {0};
		struct err e = {0};
		double want[MAX_COUNT] = {0};
		const struct tensor *y;

		if (run(equal[k].line, &c, &got, &e))
			fail_msg("%s: %s", equal[k].line, e.msg);
		y = got.outputs[0].value->tensor;
		assert_true(y->count <= MAX_COUNT);
		define(c.inputs, equal[k].plain, y, want);
		for (size_t i = 0; i < y->count; i++)
			if (fabs(tensor_get(y, i) - want[i]) > 1e-12 * (1 + fabs(want[i])))
				fail_msg("%s: element %zu is %.17g, not %.17g", equal[k].line, i, tensor_get(y, i),
					 want[i]);
		ref_result_release(&got);
		case_release(&c);
	}
}

static const char *const wrong[] = {
	"Einsum-12 f32[3,4] equation=\"ij,jk->ik\"",          /* more terms than inputs */
	"Einsum-12 f32[3,4] f32[4,5] equation=\"ij->ji\"",    /* fewer */
	"Einsum-12 f32[3,4] equation=\"i->i\"",               /* rank */
	"Einsum-12 f32[3,4] equation=\"ijk\"",                /* rank */
	"Einsum-12 f32[3,4] equation=\"...ijk\"",             /* rank */
	"Einsum-12 f32[3,4] equation=\"ii\"",                 /* sizes */
	"Einsum-12 f32[3,4] f32[5,4] equation=\"ij,jk\"",     /* sizes */
	"Einsum-12 f32[3,4] f32[1,4] equation=\"ij,ij->ij\"", /* letters do not broadcast */
	"Einsum-12 f32[3,4] f32[5] equation=\"...i,...\"",    /* ellipses of different length */
	"Einsum-12 f32[3,4] f32[2,4] equation=\"...i,...i\"", /* ellipsis does not broadcast */
	"Einsum-12 f32[3,4] equation=\"ij->ik\"",             /* unknown index */
	"Einsum-12 f32[3,4] equation=\"ij->ii\"",             /* index twice */
	"Einsum-12 f32[3,4] equation=\"ij->i->j\"",           /* two arrows */
	"Einsum-12 f32[3,4] equation=\"ij->i,j\"",            /* two results */
	"Einsum-12 f32[3,4] equation=\"......\"",             /* two ellipses */
	"Einsum-12 f32[3,4] equation=\"i..j\"",               /* half an ellipsis */
	"Einsum-12 f32[3,4] equation=\"ij-\"",                /* half an arrow */
	"Einsum-12 f32[3,4] equation=\"i1\"",                 /* not a letter */
	"Einsum-12 f32[3,4] equation=\"abcdefghijklmnopqrstuvwxyz\"",
	"Einsum-12 f32[3,4]",
	"Det-11 f32[3]",
	"Det-11 f32[2,3]",
};

static void test_wrong(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct ref_result got = {0};
		struct op_case c = {0};
		struct err e = {0};
		int rc = run(wrong[k], &c, &got, &e);

		if (rc != ERR_INPUT)
			fail_msg("%s: status %d, '%s'", wrong[k], rc, rc ? e.msg : "");
		case_release(&c);
	}
}

static const struct {
	const char *line;
	double det;
} dets[] = {
	{"Det-11 f32{3,1,2,5}[2,2]", 13},
	{"Det-11 f32{0,1,1,0}[2,2]", -1},
	{"Det-11 f32{0,0,2,3,0,0,0,4,0}[3,3]", 24},
	{"Det-11 f32{1,2,3,2,4,6,7,8,9}[3,3]", 0},
	{"Det-11 f32{-7}[1,1]", -7},
	{"Det-11 f32{2,0,0,0,0,0,3,0,0,5,0,0,0,0,0,7}[4,4]", -210},
};

static void test_det(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof dets / sizeof *dets; k++) {
		struct ref_result got = {0};
		struct op_case c = {0};
		struct err e = {0};

		if (run(dets[k].line, &c, &got, &e))
			fail_msg("%s: %s", dets[k].line, e.msg);
		if (fabs(tensor_get(got.outputs[0].value->tensor, 0) - dets[k].det) > 1e-12)
			fail_msg("%s: %.17g", dets[k].line, tensor_get(got.outputs[0].value->tensor, 0));
		ref_result_release(&got);
		case_release(&c);
	}
}

/* The cofactors of singular matrices, of rank n - 1 and n - 2. */
static const struct {
	const char *line;
	double values[9], cofactors[9];
} singular[] = {
	{"Det-11 f32[3,3]", {1, 2, 3, 2, 4, 6, 1, 0, 1}, {4, 4, -4, -2, -2, 2, 0, 0, 0}},
	{"Det-11 f32[3,3]", {1, 1, 1, 2, 2, 2, 3, 3, 3}, {0}},
	{"Det-11 f32[3,3]", {0, 0, 0, 0, 5, 0, 0, 0, 2}, {10, 0, 0, 0, 0, 0, 0, 0, 0}},
};

static void test_singular(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof singular / sizeof *singular; k++) {
		struct tensor *seed, *grad = NULL;
		struct ref_options o = {.mode = REF_EXACT};
		struct ref_gradient of;
		struct op_case c = {0};
		struct ref *r = NULL;
		struct err e = {0};

		assert_int_equal(case_parse(singular[k].line, 1, &c, &e), 0);
		memcpy(c.inputs[0]->tensor->f, singular[k].values, sizeof singular[k].values);
		seed = tensor_scalar_f(DT_DOUBLE, 1, &e);
		assert_int_equal(ref_open(c.model, &r, &e), 0);
		of = (struct ref_gradient){
			.inputs = c.inputs, .n = 1, .seeds = &seed, .wanted = c.model->graph->inputs.at, .n_wanted = 1};
		assert_int_equal(ref_backward(r, &of, &o, &grad, &e), 0);
		for (size_t i = 0; i < 9; i++)
			if (fabs(grad->f[i] - singular[k].cofactors[i]) > 1e-12)
				fail_msg("matrix %zu, element %zu: %.17g", k, i, grad->f[i]);
		tensor_unref(grad);
		tensor_unref(seed);
		ref_close(r);
		case_release(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_definition),
		cmocka_unit_test(test_wrong),
		cmocka_unit_test(test_det),
		cmocka_unit_test(test_singular),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
