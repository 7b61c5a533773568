/* ports.h - values for the inputs or the outputs of a graph, from files.
 *
 * A file is .npy (one tensor), .npz (members by graph names), .pb (TensorProto, SequenceProto, OptionalProto) or a
 * folder of input_<n>.pb or output_<n>.pb, n being the position in the graph.  NAME=FILE says which one it is for. */
#ifndef CASE_PORTS_H
#define CASE_PORTS_H

#include "model/model.h"

struct graph_ports {
	const char *what;   /* "input", "output" */
	const char *option; /* "--input", "--expect": for messages */
	struct wire *const *at;
	size_t n;
	int defaults; /* one that is an initializer too needs no file */
	int (*check)(const struct wire *w, const struct value *v, struct err *e);
};

struct graph_ports ports_of_inputs(const struct graph *g);
struct graph_ports ports_of_outputs(const struct graph *g);

/* Reads FILE or NAME=FILE into got[] (all NULL before).  A file that does not say what it is for is for the only one
 * that have[] still lacks; inputs with a default do not count. */
int ports_read(const struct graph_ports *p, const char *item, struct value *const *have, struct value **got,
	       struct err *e);

/* The path of NAME=FILE, or FILE itself. */
const char *ports_path(const struct graph_ports *p, const char *item);

#endif
