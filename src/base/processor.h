/* processor.h - what libraries choose their kernels by. */
#ifndef BASE_PROCESSOR_H
#define BASE_PROCESSOR_H

/* Whether it has instructions that add up products of eight bits in 32 (AVX512-VNNI or AVX-VNNI). */
int processor_has_vnni(void);

#endif
