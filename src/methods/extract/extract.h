/* extract.h - the operations and recurring subgraphs of real models, as a corpus of small cases.
 *
 * A pattern is a chain of nodes, each of which reads an output of the one before it; one node alone is an operation.
 * Two chains are the same pattern when operators, versions, attributes, the types and ranks of what they read and the
 * wires among them are the same.  Names, sizes and weights do not count; the smallest example of each pattern becomes
 * a case with the values that it had in its model.
 *
 *   key.c       the text that is the same for equal patterns
 *   survey.c    what a model's wires hold while the reference runs it, and all its chains
 *   patterns.c  the table of patterns over all models, and which of them are kept
 *   write.c     the smallest examples as folders
 *   index.c     index.json
 *   extract.c   all of it, in two passes over the models: the first counts, the second writes */
#ifndef METHODS_EXTRACT_EXTRACT_H
#define METHODS_EXTRACT_EXTRACT_H

#include <jansson.h>

#include "base/map.h"
#include "case/dataset.h"

#define EXTRACT_MAX_CHAIN 8                  /* nodes of a pattern */
#define EXTRACT_CHAIN 4                      /* … unless told otherwise */
#define EXTRACT_SUBGRAPHS 200                /* patterns of several nodes that are kept, unless told otherwise */
#define EXTRACT_BYTES ((int64_t)4 << 20)     /* of what a case reads, unless told otherwise */
#define EXTRACT_MAX_CHAINS ((size_t)2000000) /* of a model; further ones are not looked at */

struct extract_options {
	const char *folder; /* where the corpus goes; it has none yet */
	int64_t max_bytes;  /* of the inputs and weights of a case */
	int chain;          /* nodes of a pattern at most */
	size_t subgraphs;   /* patterns of several nodes at most */
	uint64_t seed;
	struct dataset_options data;
	/* (optional) is told what begins: pass 0 counts, pass 1 writes. */
	void (*progress)(const char *model, int pass, size_t done, size_t total, void *arg);
	void *progress_arg;
};

/* Numbers that were seen; min > max: none that is finite. */
struct extract_range {
	double min, max;
	size_t nan, infinite;
};

/* What a pattern reads from outside: in the smallest example, but for the range, which is over all of them. */
struct extract_port {
	struct extract_range range;
	const char *name, *type; /* "conv1.weight", "float32[64,3,7,7]" */
	const char *word;        /* "f32.4d", as in signatures of findings */
	int constant;            /* it depends on no input of the model */
};

struct extract_use {
	size_t model, count;
};

struct extract_pattern {
	const char *key;
	int n; /* nodes */
	size_t count;
	VEC(struct extract_use) uses; /* by model, in their order */
	struct extract_port *ports;
	size_t n_ports;
	struct extract_pattern *prefix, *suffix; /* without its last and its first node; NULL: it has one alone */
	int covered;                             /* a longer pattern occurs as often: this one says nothing more */
	int kept;
	/* The smallest example: nodes by index, and the bytes that it reads. */
	size_t model, bytes;
	int nodes[EXTRACT_MAX_CHAIN];
	/* Of what is kept; made by write.c. */
	size_t number;
	json_t *json;
};

struct extract_model {
	const char *name;
	size_t nodes, runs;
	int chains_cut;    /* EXTRACT_MAX_CHAINS was reached */
	const char *error; /* why nothing came of it; NULL: all is well */
};

struct extract {
	const struct extract_options *o;
	struct arena arena;
	struct map by_key;
	VEC(struct extract_pattern *) patterns; /* extract_choose() puts those that are kept first, in their order */
	VEC(struct extract_model) models;
	size_t operations, subgraphs;     /* kept */
	size_t left_out;                  /* recurring subgraphs beyond the limit */
	size_t written, too_large, other; /* of the kept ones: cases; above max_bytes; what could not be a case */
	size_t failed;                    /* models */
};

/* Extracts from all models (files or names of the zoo) and writes the corpus and its index.  A model that fails does
 * not keep the others from being used; its row says why.  ERR_INPUT when all fail.  Release it in any case. */
int extract_run(struct extract *x, const struct extract_options *o, const struct texts *models, struct err *e);
void extract_release(struct extract *x); /* zeroed is fine */

/* ---- for its own files ------------------------------------------------------------------------------------------- */

/* Attributes that are not at their defaults; tensors and graphs by what tells them apart.  NULL: out of memory. */
json_t *extract_attributes(const struct node *n);
/* "Conv-11{"group":2}->1": all of a node but what it reads. */
const char *extract_head(struct arena *a, const struct node *n, struct err *e);

/* The pattern of that key, added with a count of 0 when it is new. */
struct extract_pattern *extract_find(struct extract *x, const char *key, int n, size_t n_ports, struct err *e);
int extract_count(struct extract_pattern *p, size_t model, struct err *e);
void extract_widen(struct extract_range *r, const struct extract_range *by);
void extract_choose(struct extract *x);

int extract_survey(struct extract *x, size_t model, struct trial *t, const struct dataset *d, struct err *e);
int extract_write(struct extract *x, size_t model, struct trial *t, struct err *e);

json_t *extract_pattern_json(const struct extract *x, const struct extract_pattern *p, const struct graph *g);
json_t *extract_index(const struct extract *x);

#endif
