/* seeds.c - see seeds.h. */
#include "support/seeds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "ops/op.h"
#include "tensor/stats.h"
#include "zoo/zoo.h"

struct layers *seeds_layers(void)
{
	struct layers *l = NULL;
	struct err e = ERR_INIT;

	if (layers_load("data/layers.yaml", &l, &e))
		fail_msg("%s", e.msg);
	return l;
}

struct trial seeds_network(const char *name, uint64_t seed)
{
	struct err e = ERR_INIT;
	struct trial t = {0};
	struct value **in = mem_array(2, sizeof *in);
	struct model *m = NULL;
	struct tensor *x;
	struct rng rng;

	rng_init(&rng, seed);
	assert_int_equal(zoo_build(zoo_find(name), 1, seed, NULL, &m, &e), 0);
	assert_int_equal(ops_bind(m, &e), 0);
	assert_int_equal(ops_infer(m, &e), 0); /* edits look at shapes */
	x = tensor_new(m->graph->inputs.at[0]->type.dtype, m->graph->inputs.at[0]->type.rank,
		       m->graph->inputs.at[0]->type.dims, &e);
	assert_int_equal(tensor_fill_random(x, &rng, 0, dtype_is_float(x->dtype) ? 1 : 999, &e), 0);
	in[0] = value_tensor(x, &e);
	assert_int_equal(trial_init(&t, m, in, seed, &e), 0);
	return t;
}
