/* recorded.h - records of calls made by hand (proof/calls.h), in a temporary folder. */
#ifndef TESTS_SUPPORT_RECORDED_H
#define TESTS_SUPPORT_RECORDED_H

#include "proof/proof.h"

struct recorded {
	char folder[64];
	struct calls calls; /* after recorded_read() */
};

/* An empty record in a folder of its own. */
void recorded_begin(struct recorded *r);
/* A line of calls.py. */
void recorded_line(struct recorded *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The elements of v<number>; complex ones two by two. */
void recorded_value(struct recorded *r, int number, enum dtype t, int rank, const int64_t *dims, const double *x);
/* A vector that the record takes: its line and its elements. */
void recorded_vector(struct recorded *r, int number, int64_t n, const double *x);
/* What came of the last call: its line and its elements. */
void recorded_made(struct recorded *r, int number, int64_t n, const double *x);

/* Reads it back; fails the test when that cannot be done. */
void recorded_read(struct recorded *r);
void recorded_end(struct recorded *r);
/* Reads it, holds its calls against the meanings that the rows give, and ends it; proof_release() p. */
void recorded_settle(struct recorded *r, const char *rows, enum proof_end end, struct proof *p);

#endif
