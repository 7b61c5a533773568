/* Tensors, values, summaries: sharing, accounting, limits, and what happens when memory runs out. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "tensor/stats.h"
#include "tensor/value.h"

static const int64_t two_by_three[] = {2, 3};

static int nothing_is_live(void **state)
{
	(void)state;
	assert_int_equal(tensor_memory_live(), 0);
	return 0;
}

static void shapes(void **state)
{
	struct err e = ERR_INIT;
	int64_t huge[] = {INT64_MAX, 2}, negative[] = {2, -1}, empty[] = {0, INT64_C(1) << 40, INT64_C(1) << 40};
	int64_t many[TENSOR_MAX_RANK + 1] = {1};
	size_t n = 77;

	(void)state;
	assert_int_equal(tensor_shape_count(2, two_by_three, &n, &e), 0);
	assert_int_equal(n, 6);
	assert_int_equal(tensor_shape_count(0, NULL, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(tensor_shape_count(2, huge, &n, &e), ERR_LIMIT);
	assert_int_equal(tensor_shape_count(2, negative, &n, &e), ERR_LIMIT);
	assert_non_null(strstr(e.msg, "[2,-1]"));
	assert_int_equal(tensor_shape_count(3, empty, &n, &e), ERR_LIMIT);
	assert_int_equal(tensor_shape_count(TENSOR_MAX_RANK + 1, many, &n, &e), ERR_LIMIT);
	assert_int_equal(n, 1);
}

/* Those that vector code is worth it for; the small ones as the heap has them. */
static void large_ones_are_aligned(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	for (int64_t n = 1; n < 1000; n += 7) {
		struct tensor *t = tensor_new(DT_DOUBLE, 1, &n, &e);

		assert_int_equal((uintptr_t)t->data % (n < 128 ? 16 : 64), 0);
		tensor_unref(t);
	}
}

static void views_share(void **state)
{
	struct err e = ERR_INIT;
	const int64_t six[] = {6}, five[] = {5};
	struct tensor *t = tensor_zeros(DT_FLOAT, 2, two_by_three, &e), *v, *bad;

	(void)state;
	assert_true(tensor_is_unique(t));
	v = tensor_view(t, 1, six, &e);
	assert_ptr_equal(v->data, t->data);
	assert_false(tensor_is_unique(t));
	assert_false(tensor_same_shape(t, v));
	bad = tensor_view(t, 1, five, &e);
	assert_null(bad);
	assert_int_equal(e.code, ERR_INPUT);
	tensor_unref(t);
	assert_true(tensor_is_unique(v));
	assert_int_equal(tensor_memory_live(), 48);
	tensor_ref(v);
	assert_false(tensor_is_unique(v));
	tensor_unref(v);
	tensor_unref(v);
	tensor_unref(NULL);
}

static void cap_and_peak(void **state)
{
	struct err e = ERR_INIT;
	const int64_t big[] = {1000};
	struct tensor *t, *u;

	(void)state;
	tensor_memory_set_cap(8000 + 100);
	tensor_memory_reset_peak();
	t = tensor_new(DT_DOUBLE, 1, big, &e);
	assert_non_null(t);
	u = tensor_new(DT_DOUBLE, 1, big, &e);
	assert_null(u);
	assert_int_equal(e.code, ERR_LIMIT);
	assert_non_null(strstr(e.msg, "float64[1000]"));
	tensor_unref(t);
	assert_int_equal(tensor_memory_peak(), 8000);
	tensor_memory_reset_peak();
	assert_int_equal(tensor_memory_peak(), 0);
	tensor_memory_set_cap(0); /* the default again */
}

static void wide_and_packed(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_new(DT_INT4, 2, two_by_three, &e), *p, *w;

	(void)state;
	for (size_t i = 0; i < 6; i++)
		t->i[i] = (int64_t)i - 3;
	p = tensor_pack(t, &e);
	assert_int_equal(p->wide, 0);
	w = tensor_widen(p, &e);
	assert_memory_equal(w->i, t->i, 6 * sizeof(int64_t));
	for (size_t i = 0; i < 6; i++)
		assert_true(tensor_get(p, i) == tensor_get(t, i));
	tensor_unref(w);
	w = tensor_widen(t, &e);
	assert_ptr_equal(w, t);
	tensor_unref(w);
	w = tensor_copy(p, &e);
	assert_memory_equal(w->data, p->data, 3);
	assert_true(tensor_is_unique(w));
	tensor_unref(w);
	tensor_unref(p);
	tensor_unref(t);
}

static void strings(void **state)
{
	struct err e = ERR_INIT;
	const int64_t two[] = {2};
	struct tensor *t = tensor_new(DT_STRING, 1, two, &e), *p, *c;

	(void)state;
	assert_int_equal(t->s[1].n, 0);
	assert_int_equal(tensor_set_string(t, 0, "a\0b", 3, &e), 0);
	assert_int_equal(tensor_set_string(t, 0, "xyz", 3, &e), 0);
	p = tensor_pack(t, &e);
	assert_ptr_equal(p->s, t->s);
	c = tensor_copy(t, &e);
	assert_string_equal(c->s[0].p, "xyz");
	assert_ptr_not_equal(c->s[0].p, t->s[0].p);
	assert_true(isnan(tensor_get(t, 0)));
	assert_null(tensor_wrap(DT_STRING, 1, two, &(struct tensor_memory){.data = "", .bytes = 100}, &e));
	tensor_unref(c);
	tensor_unref(p);
	tensor_unref(t);
}

static void same_bits(void **state)
{
	struct err e = ERR_INIT;
	const int64_t two[] = {2};
	struct tensor *a = tensor_new(DT_STRING, 1, two, &e), *b = tensor_new(DT_STRING, 1, two, &e);
	struct tensor *f = tensor_zeros(DT_FLOAT, 1, two, &e), *g = tensor_zeros(DT_FLOAT, 1, two, &e);

	(void)state;
	assert_true(tensor_same_bits(a, b));
	assert_int_equal(tensor_set_string(a, 1, "a\0b", 3, &e), 0);
	assert_false(tensor_same_bits(a, b));
	assert_int_equal(tensor_set_string(b, 1, "a\0c", 3, &e), 0);
	assert_false(tensor_same_bits(a, b));
	assert_int_equal(tensor_set_string(b, 1, "a\0b", 3, &e), 0);
	assert_true(tensor_same_bits(a, b));
	assert_true(tensor_same_bits(f, g));
	g->f[1] = -0.0; /* equal, but not the same bits */
	assert_false(tensor_same_bits(f, g));
	assert_false(tensor_same_bits(f, a));
	tensor_unref(a);
	tensor_unref(b);
	tensor_unref(f);
	tensor_unref(g);
}

static int drops;

static void count_drop(void *owner)
{
	drops += *(int *)owner;
}

static void wrapping(void **state)
{
	struct err e = ERR_INIT;
	float data[6] = {1, 2, 3, 4, 5, 6};
	int one = 1;
	struct tensor_memory memory = {.data = data, .bytes = 23, .drop = count_drop, .owner = &one};
	struct tensor *t, *v;

	(void)state;
	drops = 0;
	assert_null(tensor_wrap(DT_FLOAT, 2, two_by_three, &memory, &e));
	assert_int_equal(e.code, ERR_INPUT);
	memory.bytes = sizeof data;
	t = tensor_wrap(DT_FLOAT, 2, two_by_three, &memory, &e);
	assert_false(tensor_is_unique(t));
	v = tensor_view(t, 2, two_by_three, &e);
	assert_true(tensor_get(v, 5) == 6);
	tensor_unref(t);
	assert_int_equal(drops, 0);
	tensor_unref(v);
	assert_int_equal(drops, 1);
}

static void rounding(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_scalar_f(DT_FLOAT16, 0.1, &e), *i = tensor_scalar_i(DT_UINT64, -1, &e);

	(void)state;
	tensor_round(t);
	assert_true(t->f[0] == 0.0999755859375);
	assert_true(tensor_get(i, 0) == 0x1p64);
	tensor_unref(i);
	i = tensor_scalar_i(DT_INT8, 300, &e);
	tensor_wrap_ints(i);
	assert_int_equal(i->i[0], 44);
	tensor_unref(i);
	tensor_unref(t);
}

static void descriptions(void **state)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_zeros(DT_FLOAT, 2, two_by_three, &e);
	char text[64], tiny[8];

	(void)state;
	assert_string_equal(tensor_describe(t, text, sizeof text), "float32[2,3]");
	assert_string_equal(tensor_describe(t, tiny, sizeof tiny), "float32");
	assert_string_equal(tensor_dims_text(0, NULL, text, sizeof text), "");
	tensor_unref(t);
}

static void values(void **state)
{
	struct err e = ERR_INIT;
	struct value *items[2], *seq, *opt;

	(void)state;
	items[0] = value_tensor(tensor_scalar_f(DT_FLOAT, 1, &e), &e);
	items[1] = value_tensor(tensor_scalar_f(DT_FLOAT, 2, &e), &e);
	seq = value_sequence(DT_FLOAT, items, 2, &e);
	opt = value_optional(value_ref(seq), &e);
	assert_int_equal(opt->n, 1);
	assert_int_equal(opt->dtype, DT_FLOAT);
	value_unref(seq);
	assert_true(opt->items[0]->items[1]->tensor->f[0] == 2);
	value_unref(opt);
	opt = value_optional(NULL, &e);
	assert_int_equal(opt->n, 0);
	value_unref(opt);
}

static void statistics(void **state)
{
	struct err e = ERR_INIT;
	const int64_t dims[] = {7};
	const double content[] = {1, NAN, 4, INFINITY, -INFINITY, 0, -1};
	struct tensor *t = tensor_new(DT_DOUBLE, 1, dims, &e);
	struct tensor_stats s;

	(void)state;
	memcpy(t->f, content, sizeof content);
	tensor_stats(t, &s);
	assert_int_equal(s.count, 7);
	assert_int_equal(s.nan, 1);
	assert_int_equal(s.pos_inf, 1);
	assert_int_equal(s.neg_inf, 1);
	assert_int_equal(s.zero, 1);
	assert_int_equal(s.arg_max, 2);
	assert_true(s.min == -1 && s.max == 4 && fabs(s.mean - 1) < 1e-15);
	assert_true(fabs(s.std - sqrt(3.5)) < 1e-15);
	tensor_unref(t);
	t = tensor_new(DT_DOUBLE, 1, (const int64_t[]){0}, &e);
	tensor_stats(t, &s);
	assert_true(s.count == 0 && isnan(s.mean));
	tensor_unref(t);
}

static void previews(void **state)
{
	struct err e = ERR_INIT;
	const int64_t wide[] = {2, 9}, deep[] = {9, 9, 9, 9, 9, 9};
	struct tensor *t = tensor_zeros(DT_INT32, 2, wide, &e);
	char text[128];

	(void)state;
	t->i[9] = -5;
	tensor_preview(t, 2, text, sizeof text);
	assert_string_equal(text, "[[0 0 … 0 0] [-5 0 … 0 0]]");
	tensor_preview(t, 2, text, 6);
	assert_string_equal(text, "[[0 0");
	tensor_unref(t);
	t = tensor_zeros(DT_INT32, 2, wide, &e); /* what matters is not hidden */
	tensor_preview(t, 2, text, sizeof text);
	assert_string_equal(text, "[[0 0 … 0 0] [0 0 … 0 0]]");
	t->i[13] = -5;
	tensor_preview(t, 2, text, sizeof text);
	assert_string_equal(text, "[[0 0 … 0 0] [0 0 … 0 0]]; element 13 is -5");
	t->i[3] = 2;
	tensor_preview(t, 2, text, sizeof text);
	assert_string_equal(text, "[[0 0 … 0 0] [0 0 … 0 0]]; 2 others, element 13 is -5");
	t->i[1] = 1; /* some can be seen: what it looks like is told */
	tensor_preview(t, 2, text, sizeof text);
	assert_string_equal(text, "[[0 1 … 0 0] [0 0 … 0 0]]");
	tensor_unref(t);
	t = tensor_zeros(DT_FLOAT, 1, (const int64_t[]){100}, &e);
	t->f[40] = 1e30;
	t->f[50] = NAN;
	tensor_preview(t, 1, text, sizeof text);
	assert_string_equal(text, "[0 … 0]; 2 others, element 50 is nan");
	tensor_unref(t);
	t = tensor_zeros(DT_FLOAT, 6, deep, &e);
	tensor_preview(t, 3, text, sizeof text); /* ends when the text is full */
	assert_true(strlen(text) > 100);
	tensor_unref(t);
}

static void nothing_is_odd_in_nothing(void **state)
{
	static const enum dtype types[] = {DT_FLOAT, DT_INT64, DT_BOOL, DT_STRING};
	struct err e = ERR_INIT;
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		struct tensor *t = tensor_zeros(types[i], 2, (const int64_t[]){3, 0}, &e);
		size_t count = 1;

		assert_int_equal(tensor_odd(t, &count), 0);
		assert_int_equal(count, 0);
		tensor_preview(t, 2, text, sizeof text);
		assert_string_equal(text, "[]");
		tensor_unref(t);
	}
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void random_contents(void **state)
{
	struct err e = ERR_INIT;
	const int64_t dims[] = {100};
	struct tensor *t = tensor_new(DT_FLOAT16, 1, dims, &e), *i = tensor_new(DT_INT64, 1, dims, &e);
	int seen[100] = {0};
	struct rng r;

	(void)state;
	rng_init(&r, 7);
	assert_int_equal(tensor_fill_random(t, &r, -2, 3, &e), 0);
	qsort(t->f, 100, sizeof(double), compare_doubles);
	assert_true(t->f[0] >= -2 && t->f[99] < 3 && t->f[99] > 2);
	for (size_t k = 1; k < 100; k++)
		assert_true(t->f[k] > t->f[k - 1] && t->f[k] == dtype_round(DT_FLOAT16, t->f[k], 0));
	/* as many integers as elements: each one once */
	assert_int_equal(tensor_fill_random(i, &r, 0, 99, &e), 0);
	for (size_t k = 0; k < 100; k++)
		seen[i->i[k]]++;
	for (size_t k = 0; k < 100; k++)
		assert_int_equal(seen[k], 1);
	assert_int_equal(tensor_fill_random(i, &r, 5, 6, &e), 0);
	for (size_t k = 0; k < 100; k++)
		assert_in_range(i->i[k], 5, 6);
	assert_int_equal(tensor_fill_random(i, &r, 0.2, 0.8, &e), ERR_INPUT);
	assert_int_equal(tensor_fill_random(t, &r, 3, 2, &e), ERR_INPUT);
	assert_int_equal(tensor_fill_random(i, &r, -1e300, 1e300, &e), 0);
	tensor_unref(i);
	tensor_unref(t);
}

/* Everything that allocates; 0 when nothing failed. */
static int exercise(struct err *e)
{
	const int64_t dims[] = {2};
	struct tensor *t = tensor_new(DT_STRING, 1, dims, e), *c = NULL, *p = NULL, *w = NULL;
	struct value *v = NULL;
	int failed = !t || tensor_set_string(t, 0, "abc", 3, e);

	if (!failed)
		c = tensor_copy(t, e);
	if (c)
		p = tensor_pack(c, e);
	if (p)
		w = tensor_zeros(DT_FLOAT, 1, dims, e);
	if (w) {
		struct value *item = value_tensor(tensor_ref(w), e);

		item = item ? value_sequence(DT_FLOAT, &item, 1, e) : NULL;
		v = item ? value_optional(item, e) : NULL;
	}
	failed = !v;
	value_unref(v);
	tensor_unref(w);
	tensor_unref(p);
	tensor_unref(c);
	tensor_unref(t);
	return failed;
}

static void memory_runs_out(void **state)
{
	(void)state;
	for (int forever = 0; forever < 2; forever++) {
		size_t k = 0, failures = 0;
		int failed;

		do {
			struct err e = ERR_INIT;

			mem_fail_after(++k, forever);
			failed = exercise(&e);
			mem_fail_after(0, 0);
			assert_true(!failed || e.code == ERR_MEMORY);
			assert_int_equal(tensor_memory_live(), 0);
			failures += (size_t)failed;
		} while (failed);
		assert_true(failures > 10);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(shapes, nothing_is_live),
		cmocka_unit_test_teardown(large_ones_are_aligned, nothing_is_live),
		cmocka_unit_test_teardown(views_share, nothing_is_live),
		cmocka_unit_test_teardown(cap_and_peak, nothing_is_live),
		cmocka_unit_test_teardown(wide_and_packed, nothing_is_live),
		cmocka_unit_test_teardown(strings, nothing_is_live),
		cmocka_unit_test_teardown(same_bits, nothing_is_live),
		cmocka_unit_test_teardown(wrapping, nothing_is_live),
		cmocka_unit_test_teardown(rounding, nothing_is_live),
		cmocka_unit_test_teardown(descriptions, nothing_is_live),
		cmocka_unit_test_teardown(values, nothing_is_live),
		cmocka_unit_test_teardown(statistics, nothing_is_live),
		cmocka_unit_test_teardown(previews, nothing_is_live),
		cmocka_unit_test_teardown(nothing_is_odd_in_nothing, nothing_is_live),
		cmocka_unit_test_teardown(random_contents, nothing_is_live),
		cmocka_unit_test_teardown(memory_runs_out, nothing_is_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
