/* narrow_inputs.c - see narrow_inputs.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/narrow_inputs.h"
#include "tensor/stats.h"

const int64_t narrow_row[2] = {1, NARROW_N};

void narrow_inputs_make(struct narrow_inputs *f, double lo, double hi)
{
	struct err e = ERR_INIT;
	struct rng rng;

	rng_init(&rng, 7);
	for (size_t i = 0; i < NARROW_INPUTS; i++) {
		struct tensor *t = tensor_new(DT_FLOAT, 2, narrow_row, &e);

		assert_int_equal(tensor_fill_random(t, &rng, lo, hi, &e), 0);
		tensor_round(t);
		f->in[i][0] = value_tensor(t, &e);
		f->runs[i] = f->in[i];
	}
	f->data = (struct narrow_data){f->runs, NARROW_INPUTS};
}

void narrow_inputs_drop(struct narrow_inputs *f)
{
	for (size_t i = 0; i < NARROW_INPUTS; i++)
		value_unref(f->in[i][0]);
}

struct model *narrow_inputs_model(struct build *b, struct wire *y)
{
	struct model *m = NULL;

	build_output(b, y);
	assert_int_equal(build_end(b, &m), 0);
	return m;
}

struct narrow_options narrow_inputs_options(enum narrow_type type)
{
	return (struct narrow_options){.type = type, .target = {.limit = NARROW_TARGET}};
}
