/* meta_operators.c - see meta_operators.h. */
#include "support/meta_operators.h"

const struct meta_operator meta_operators[] = {
	{"add", "Add-14 f32[1,100] f32[1,100]"},
	{"multiply", "Mul-14 f32[1,100] f32[1,100]"},
	{"matmul", "MatMul-13 f32[1,100] f32[100,1]"},
	{"sigmoid", "Sigmoid-13 f32[1,100]"},
	{"log", "Log-13 f32[1,100]@0.1:3"},
	{"exp", "Exp-13 f32[1,100]"},
	{"negative", "Neg-13 f32[1,100]"},
	{"inv", "Reciprocal-13 f32[1,100]@0.5:3"},
	{"div", "Div-14 f32[1,100] f32[1,100]@0.5:3"},
	{"square", "Pow-15 f32[1,100]@0.5:3 f32{2}[]"},
	{"transpose", "Transpose-13 f32[1,100] perm=[1,0]"},
	{"reshape", "Reshape-14 f32[1,100] i64{10,10}"},
	{"reduce_sum", "ReduceSum-13 f32[1,100] i64{1}"},
	{"reduce_mean", "ReduceMean-13 f32[1,100] axes=[1]"},
	{"softmax", "Softmax-13 f32[1,100]"},
	{"ReLU", "Relu-14 f32[1,100]"},
	{"BatchNorm", "BatchNormalization-15 f32[1,100,2,2] f32[100] f32[100] f32[100] f32[100]@0.5:2"},
	{"Conv2D", "Conv-11 f32[1,3,10,10] f32[4,3,3,3]"},
	{"einsum", "Einsum-12 f32[1,1,5,3] f32[1,1,3,2] equation=\"bnij,bnjc->bnic\""},
	{"Dropout", "Dropout-13 f32[1,100]"},
};

const size_t meta_operators_n = sizeof meta_operators / sizeof *meta_operators;
