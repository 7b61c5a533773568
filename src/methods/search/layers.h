/* layers.h - data/layers.yaml: layer types, their parameters and what values these may have, for a user to edit. */
#ifndef METHODS_SEARCH_LAYERS_H
#define METHODS_SEARCH_LAYERS_H

#include "base/err.h"
#include "model/model.h"

enum layer_kind {
	LAYER_INT,
	LAYER_FLOAT,
	LAYER_STRING,
	LAYER_STRINGS,
	LAYER_SPATIAL,
	LAYER_PADS,
	LAYER_SIZE,
	LAYER_NUMBER,  /* an input that is a constant number */
	LAYER_OPTIONAL /* an input that may be left out */
};

/* Words as the file has them: what they mean depends on the kind. */
struct layer_words {
	char **at;
	unsigned n;
};

struct layer_parameter {
	char *name;
	enum layer_kind kind;
	struct layer_words values, invalid;
	char *excludes;      /* attribute that goes when this one comes; NULL: none */
	int64_t input, axis; /* LAYER_SIZE: of the weight; LAYER_NUMBER, LAYER_OPTIONAL: which input */
};

struct layer {
	char *name, *operator;
	char *family; /* NULL: nothing takes its place */
	char *then;   /* the layer that always follows where this one is added; NULL: none */
	int64_t rank; /* of its input; 0: any */
	int insert;   /* keeps the shape */
	struct layer_parameter *parameters;
	unsigned n_parameters;
};

struct layers {
	struct layer *at;
	unsigned n;
};

/* ERR_INPUT says what of the file is not as it should be. */
int layers_load(const char *path, struct layers **out, struct err *e);
void layers_free(struct layers *l); /* NULL is fine */

const struct layer *layer_find(const struct layers *l, const char *name); /* NULL: there is none */

/* Does a layer's row speak of this node?  Its operator and, where a rank is named, the rank of its first input. */
int layer_matches(const struct layer *l, const struct node *n);

#endif
