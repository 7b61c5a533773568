/* clones.h - hot loops compiled for several instruction sets, the best chosen at start.
 *
 * Contraction is off for the whole program (-ffp-contract=off), so every clone gives the same bits. */
#ifndef BASE_CLONES_H
#define BASE_CLONES_H

/* Sanitizers are not ready yet when the program chooses. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) && \
	!defined(__SANITIZE_THREAD__)
#if __GNUC__ >= 12
#define CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else /* cannot tell the levels of x86-64 apart at run time */
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default"), optimize("O3")))
#endif
#else
#define CLONES
#endif

#endif
