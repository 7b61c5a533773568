/* graph.h - what running a graph of TensorFlow and deriving it share. */
#ifndef BACKENDS_TF_GRAPH_H
#define BACKENDS_TF_GRAPH_H

#include "backends/tf/tf.h"
#include "worker/backend.h"

/* A graph input, or the gradient of an output. */
struct tf_feed {
	const char *name; /* borrowed from the model */
	int seed;         /* it is a gradient */
	struct tf_value *value;
	struct tensor *given; /* borrowed, during one run */
};

struct tf_graph {
	struct tf *t;
	struct bind_session *s;
	enum tf_mode mode;
	struct TF_Graph *graph;
	struct TF_Session *session;
	int read_input;
	VEC(struct tf_feed) feeds;
	struct TF_Output *fetches; /* by index of bind_outputs(); of a derived graph: gradients … */
	size_t generation;
	/* … and what they are of. */
	const struct wire **asked; /* outputs that have seeds, then what gradients are wanted of */
	size_t n_seeds, n_wanted;
	size_t *slots; /* by fetch: which of those wanted */
	size_t n_fetches;
};

/* What the watcher of one build knows. */
struct tf_build {
	struct tf_graph *g;
	struct backend_values in;
	struct backend_names wanted; /* of gradients */
	struct tf_value **wanted_values;
};

/* Forgets the built graph. */
void tf_graph_clear(struct tf_graph *g);
/* Builds the graph for `names`; their places go to `places`.  Leaves g->t->graph set for what is added after. */
int tf_graph_build(struct tf_build *b, const struct backend_names *names, struct TF_Output *places, struct err *e);
int tf_graph_start(struct tf_graph *g, struct err *e);
/* Hands the values of this run to the feeds; 0 when the graph was built for other ones. */
int tf_graph_give(struct tf_graph *g, const struct backend_values *in, const struct backend_values *seeds);
/* The same where the graph as it was built may serve once more. */
int tf_graph_ready(struct tf_graph *g, const struct backend_values *in, const struct backend_values *seeds);
/* Writes the graph down with the names of what is fetched, when t->record wants it. */
void tf_graph_record(struct tf_graph *g, const struct TF_Output *places, const char *const *names, size_t n);
/* Runs the session with what the feeds were given; out[i] for places[i] are new packed tensors. */
int tf_graph_fetch(struct tf_graph *g, const struct TF_Output *places, size_t n, struct tensor **out, struct err *e);

#endif
