/* spelling.h - a node has several spellings: attributes said or left to their defaults, axes counted from the front or
 * from the end, sizes of a Reshape written out, copied from the input (0) or left open (-1), shapes given or taken from
 * another wire.  ONNX says that they mean the same, and optimizers that read one of them only are wrong about the
 * others. */
#ifndef METHODS_FUZZ_SPELLING_H
#define METHODS_FUZZ_SPELLING_H

#include "ops/sample/maker.h"

/* Spells the nodes from `first` on in another way, each by chance. */
void spelling_draw(struct maker *m, size_t first);

#endif
