/* recorded.c - see recorded.h. */
#include "support/recorded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/place.h"
#include "tensor/io.h"

void recorded_begin(struct recorded *r)
{
	*r = (struct recorded){.calls = {.arena = ARENA_INIT}};
	snprintf(r->folder, sizeof r->folder, "/tmp/assay-recorded-XXXXXX");
	assert_non_null(mkdtemp(r->folder));
	recorded_line(r, "# calls");
}

void recorded_line(struct recorded *r, const char *fmt, ...)
{
	char path[96];
	va_list ap;
	FILE *f;

	snprintf(path, sizeof path, "%s/calls.py", r->folder);
	f = fopen(path, "a");
	assert_non_null(f);
	va_start(ap, fmt);
	vfprintf(f, fmt, ap);
	va_end(ap);
	fputc('\n', f);
	fclose(f);
}

void recorded_value(struct recorded *r, int number, enum dtype t, int rank, const int64_t *dims, const double *x)
{
	struct err e = ERR_INIT;
	struct tensor *wide = tensor_new(t, rank, dims, &e), *packed;
	size_t parts = t == DT_COMPLEX64 || t == DT_COMPLEX128 ? 2 : 1;
	char path[96];

	assert_non_null(wide);
	for (size_t i = 0; i < wide->count * parts; i++)
		if (dtype_is_float(t) || parts == 2)
			wide->f[i] = x[i];
		else
			wide->i[i] = (int64_t)x[i];
	packed = tensor_pack(wide, &e);
	assert_non_null(packed);
	snprintf(path, sizeof path, "%s/v%d.npy", r->folder, number);
	assert_int_equal(npy_save(packed, path, &e), 0);
	tensor_unref(wide);
	tensor_unref(packed);
}

void recorded_vector(struct recorded *r, int number, int64_t n, const double *x)
{
	recorded_line(r, "v%d = take(\"x%d\", inputs[\"x%d\"], \"float32\")", number, number, number);
	recorded_value(r, number, DT_FLOAT, 1, &n, x);
}

void recorded_made(struct recorded *r, int number, int64_t n, const double *x)
{
	recorded_line(r, "made(v%d, \"float32\")", number);
	recorded_value(r, number, DT_FLOAT, 1, &n, x);
}

void recorded_read(struct recorded *r)
{
	struct err e = ERR_INIT;

	if (calls_read(r->folder, &r->calls, &e))
		fail_msg("%s", e.msg);
}

void recorded_end(struct recorded *r)
{
	struct err ignored = ERR_INIT;

	calls_release(&r->calls);
	place_remove_tree(r->folder, &ignored);
}

void recorded_settle(struct recorded *r, const char *rows, enum proof_end end, struct proof *p)
{
	struct party party = {0};
	struct meanings m;
	struct err e = ERR_INIT;

	memset(p, 0, sizeof *p);
	recorded_read(r);
	assert_int_equal(meanings_parse(rows, &m, &e), 0);
	assert_int_equal(party_open(&party, "reference", NULL, &e), 0);
	if (proof_of_calls(&r->calls, &m, &party, end, p, &e))
		fail_msg("%s", e.msg);
	party_close(&party);
	meanings_release(&m);
	recorded_end(r);
}
