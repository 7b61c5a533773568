/* npy_head.h - the header of a .npy file. */
#ifndef TENSOR_NPY_HEAD_H
#define TENSOR_NPY_HEAD_H

#include <stddef.h>

#include "tensor/tensor.h"

#define NPY_MAGIC "\x93NUMPY"
#define NPY_PREFIX 10 /* magic, version, length of the header: version 1 */

struct npy_head {
	enum dtype dtype;
	char kind;   /* numpy's letter: b i u f c S U */
	size_t item; /* bytes of one element in the file, never 0 */
	int swap;    /* big endian */
	int fortran; /* first axis runs fastest */
	int rank;
	int64_t dims[TENSOR_MAX_RANK];
	size_t size; /* of prefix and header: the elements start there */
};

int npy_head_parse(const void *data, size_t n, struct npy_head *out, struct err *e);

#endif
