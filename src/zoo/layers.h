/* layers.h - the layers that networks are made of, with their random weights.
 *
 * Weights are named <layer>.weight, <layer>.bias and so on.  He's initialization: deviation sqrt(2 / fan-in). */
#ifndef ZOO_LAYERS_H
#define ZOO_LAYERS_H

#include "model/build.h"

struct conv_shape {
	int64_t in, out, kernel, stride, pad, group; /* group 0: 1 */
	int no_bias;
	int same; /* instead of pad: as TensorFlow's SAME on sizes that the stride divides, more at the end than before
		   */
};

struct wire *layer_conv(struct build *b, const char *name, struct wire *x, const struct conv_shape *s);
struct wire *layer_norm(struct build *b, const char *name, struct wire *x, int64_t channels);
/* Convolution without bias, batch normalization, and an activation ("" : none). */
struct wire *layer_conv_norm(struct build *b, const char *name, struct wire *x, const struct conv_shape *s,
			     const char *activation);
struct wire *layer_dense(struct build *b, const char *name, struct wire *x, int64_t in, int64_t out);
struct wire *layer_pool(struct build *b, const char *name, const char *op, struct wire *x, int64_t kernel,
			int64_t stride);
struct wire *layer_flatten(struct build *b, const char *name, struct wire *x);
/* RNN, LSTM or GRU over x[steps, batch, in]; gives the last hidden state [batch, hidden]. */
struct wire *layer_recurrent(struct build *b, const char *name, const char *op, struct wire *x, int64_t steps,
			     int64_t in, int64_t hidden);
/* The same; gives the hidden states of all steps [steps, 1, batch, hidden]. */
struct wire *layer_states(struct build *b, const char *name, const char *op, struct wire *x, int64_t in,
			  int64_t hidden);
/* Dense to `classes`, named ZOO_LOGITS, then Softmax as the graph's output. */
void layer_classify(struct build *b, struct wire *x, int64_t in, int64_t classes);

#endif
