/* copy.h - copying parts of a model into another one, shared by copy.c and extract.c. */
#ifndef MODEL_COPY_H
#define MODEL_COPY_H

#include "model/internal.h"

/* A graph being copied: new wires by the ids of the old ones.  Wires of outer graphs are found in the outer frames. */
struct copy_frame {
	const struct graph *from;
	struct graph *to;
	struct wire **wires;
	struct copy_frame *outer;
};

/* Wires for all of g's, all NULL; release with mem_free(f->wires). */
int copy_frame_init(struct copy_frame *f, const struct graph *from, struct graph *to, struct copy_frame *outer,
		    struct err *e);

/* A new model with m's opsets, symbols, IR version and producer, and no graph. */
int copy_head(const struct model *m, struct model **out, struct err *e);

/* Copies wire w of f->from under a new name (w->name: the same) and enters it in the frame. */
int copy_wire(struct copy_frame *f, const struct wire *w, const char *name, struct err *e);

/* Copies node n of f->from, subgraphs too, to the end of f->to; its wires are in the frame already. */
int copy_node(struct copy_frame *f, const struct node *n, struct err *e);

#endif
