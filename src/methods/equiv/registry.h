/* registry.h - a library's own operations (LIST), what their parameters may be, and calls made from that.
 *
 * What a registry says differs from library to library; a table of type words turns it into a few kinds.  What it does
 * not say (which ranks fit together, which numbers are allowed) is learned: a plan is a number from which the structure
 * of a call follows (ranks, sizes, element types, attributes), and plans that the library accepted are drawn again.
 * data/equiv/learned.tsv keeps them. */
#ifndef METHODS_EQUIV_REGISTRY_H
#define METHODS_EQUIV_REGISTRY_H

#include "base/map.h"
#include "methods/equiv/eval.h"
#include "methods/equiv/roles.h"

enum parameter_kind {
	PARAMETER_UNKNOWN, /* a call can be made only when it may be left out */
	PARAMETER_SKIP,    /* follows from the others */
	PARAMETER_TENSOR,
	PARAMETER_TENSORS,
	PARAMETER_INT,
	PARAMETER_FLOAT,
	PARAMETER_BOOL,
	PARAMETER_WORD, /* one of the allowed words */
	PARAMETER_DTYPE,
	PARAMETER_INTS,
	PARAMETER_FLOATS
};

#define API_MAX_PLANS 16
#define PLAN_BITS 48 /* of a plan */
/* The same structure with no elements along one axis: the next eight bits count from 1. */
#define PLAN_EMPTY(plan, axis) ((plan) | ((uint64_t)(axis) + 1) << PLAN_BITS)
#define PLAN_IS_EMPTY(plan) ((plan) >> PLAN_BITS != 0)
#define API_MAX_PARAMETERS 40

struct api {
	const struct backend_operation *op;
	enum parameter_kind kinds[API_MAX_PARAMETERS];
	const struct role *roles[API_MAX_PARAMETERS]; /* NULL: its name says nothing */
	int rank;                                     /* that a call's main shape should have; 0: any */
	const char *why_not;                          /* no calls are made: the reason; NULL: they are */
	uint64_t plans[API_MAX_PLANS];
	size_t n_plans;
};

struct registry {
	struct arena arena;
	const char *library; /* "tf", "torch", "mxnet", or "onnx" for all that read ONNX */
	const char *backend, *version;
	int learned; /* calls that are valid were looked for, and written down */
	struct api *apis;
	size_t n;
};

/* `folder`: data/equiv.  `backend`: a name as in backends.def. */
int registry_open(struct registry *r, const char *backend, const char *folder, struct worker *w, struct err *e);
void registry_release(struct registry *r); /* zeroed is fine */
const char *registry_library(const char *backend);

/* Writes down the plans of all APIs, one line each. */
int registry_save(const struct registry *r, const char *path, struct err *e);

/* One call of an API: structure from the plan, values from `values`, floats drawn as `how` says (draw.h). */
int registry_call(const struct registry *r, const struct api *api, uint64_t plan, const struct rng *values, char how,
		  struct arena *a, struct expr **out, struct bindings *bindings, struct err *e);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

/* Calls fn with the three fields of each line of a file that is for this library. */
int registry_lines(const char *path, const char *library, void (*fn)(char **fields, void *arg), void *arg,
		   struct err *e);
/* "T" of "N * T", or the whole type. */
const char *registry_type_word(const struct backend_parameter *input);
/* The bound in "int >= 1", "list(int) >= 4"; INT64_MIN: none. */
int64_t registry_least(const struct backend_parameter *p);
void registry_classify(const struct registry *r, struct api *api);

#endif
