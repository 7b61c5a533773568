/* stores.h - stores of findings that nobody made, of any size. */
#ifndef BENCH_SUPPORT_STORES_H
#define BENCH_SUPPORT_STORES_H

/* Adds n findings to the store at path, which is made where there is none: with models of 300 bytes, 1,000 signatures;
 * those of the same number are copies of each other.  Dies on failure. */
void stores_fill(const char *path, int from, int n);

double stores_megabytes(const char *path); /* 0: it is not there */

#endif
