/* engine.c - see engine.h. */
#include "ops/engine/engine.h"

#include <pthread.h>

#include "ops/engine/gemm_kernels.h"
#include "ops/engine/panel.h"

static struct engine engine;

static void find_out(void)
{
	const struct gemm_kernels *sets[GEMM_SETS];

	gemm_sets(sets);
	engine = (struct engine){.gemm = sets[0], .tiles = panel_selftest()};
}

const struct engine *engine_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_out);
	return &engine;
}
