/* swaps.c - see swaps.h. */
#include "support/swaps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"
#include "support/networks.h"
#include "zoo/zoo.h"

struct trial swaps_network(const char *name)
{
	struct value **in = mem_array(1, sizeof *in);
	struct err e = ERR_INIT;
	struct model *m = NULL;
	const struct type *type;
	struct trial t = {0};

	if (zoo_build(zoo_find(name), 1, 1, NULL, &m, &e))
		fail_msg("%s", e.msg);
	type = &m->graph->inputs.at[0]->type;
	in[0] = value_tensor(net_random(3, type->rank, type->dims, -1, 1), &e);
	if (trial_init(&t, m, in, 1, &e))
		fail_msg("%s", e.msg);
	return t;
}

struct swap_result swaps_run(struct trial *t, const char *base, const char *test)
{
	struct swap_options o = {.gradients = 1};
	struct party a = {0}, b = {0};
	struct err e = ERR_INIT;
	struct swap_result r = {0};

	if (party_open(&a, base, NULL, &e) || party_open(&b, test, NULL, &e) || swap_run(t, &a, &b, &o, &r, &e))
		fail_msg("%s, %s: %s", base, test, e.msg);
	party_close(&a);
	party_close(&b);
	return r;
}
