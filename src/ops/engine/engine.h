/* engine.h - which kernels this processor runs, found out once.
 *
 * Whoever needs to know asks engine_init(); the first to do so, from whatever thread, makes the others wait.  What it
 * finds depends on the processor alone: not on the environment, not on what else the process does. */
#ifndef OPS_ENGINE_ENGINE_H
#define OPS_ENGINE_ENGINE_H

struct gemm_kernels;

struct engine {
	const struct gemm_kernels *gemm;
	int tiles; /* products of bfloat16 tiles (panel.h) */
};

const struct engine *engine_init(void);

#endif
