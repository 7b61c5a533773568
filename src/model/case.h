/* case.h - operator cases as lines of text: what data/cases is written in.
 *
 *     Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,1,1,1] strides=[2,2] -> 1
 *
 * Operator and opset, with a domain in front when it is not ai.onnx ("ai.onnx.ml:Binarizer-1"); then the inputs:
 *
 *     f32[2,3]          random tensor, elements differ, range -2 … 2; a graph input
 *     f32[2,3]@0.5:3    the same in another range
 *     i64{1,-1}         given values, 1-D; an initializer
 *     f32{1,2,3,4}[2,2] given values with dimensions; f32{1}[] is a scalar
 *     -                 left out
 *
 * then attributes name=value (3, 0.5, "text", [1,2], [0.5,1.0], ["a","b"], u8{1,2} for a tensor), and "-> n" outputs
 * (default 1). Lines that are empty or begin with # are skipped. */
#ifndef MODEL_CASE_H
#define MODEL_CASE_H

#include "model/model.h"

struct case_range {
	double low, high;
};

struct op_case {
	struct model *model;
	struct value **inputs; /* one for each graph input: wide tensors */
	size_t n;
	/* In the model's arena: */
	const char *line;
	struct case_range *ranges; /* of the inputs */
};

/* Builds the case of one line.  ERR_INPUT with a message when the line is wrong.  Release with case_release(). */
int case_parse(const char *line, uint64_t seed, struct op_case *out, struct err *e);
void case_release(struct op_case *c);

#endif
