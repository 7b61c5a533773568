/* texts.h - what a user may give several of, or not at all: texts, and a range of numbers. */
#ifndef BASE_TEXTS_H
#define BASE_TEXTS_H

#include "base/vec.h"

struct texts {           /* a vector: vec_push(), vec_release() */
	const char **at; /* borrowed */
	size_t n, size;
};

struct number_range {
	int given;     /* the option was there */
	int has_range; /* … with LO:HI */
	double lo, hi;
};

#endif
