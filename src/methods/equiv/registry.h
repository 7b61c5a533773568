/* registry.h - a library's own operations (LIST), what their parameters may be, and calls made from that.
 *
 * What a registry says differs from library to library; its dialect turns it into a few kinds (libraries/dialect.h).
 * What it does not say (which ranks fit together, which numbers are allowed) is learned: a plan is a number from which
 * the structure of a call follows (ranks, sizes, element types, attributes), and plans that the library accepted are
 * drawn again.  data/equiv/learned-<dialect>.tsv keeps them. */
#ifndef METHODS_EQUIV_REGISTRY_H
#define METHODS_EQUIV_REGISTRY_H

#include "libraries/libraries.h"
#include "methods/equiv/eval.h"

#define API_MAX_PLANS 32
#define PLAN_BITS 48 /* of a plan */
/* The same structure with no elements along one axis: the next four bits count from 1. */
#define PLAN_EMPTY(plan, axis) ((plan) | ((uint64_t)(axis) + 1) << PLAN_BITS)
#define PLAN_EMPTY_AXIS(plan) (((plan) >> PLAN_BITS & 0xf) - 1)
#define PLAN_IS_EMPTY(plan) (((plan) >> PLAN_BITS & 0xf) != 0)
/* The same structure with one of RARE_TYPES element types that plans have seldom or never, by the four bits above. */
#define PLAN_RARE(plan, type) ((plan) | ((uint64_t)(type) + 1) << (PLAN_BITS + 4))
#define PLAN_RARE_TYPE(plan) (((plan) >> (PLAN_BITS + 4) & 0xf) - 1)
#define PLAN_IS_RARE(plan) (((plan) >> (PLAN_BITS + 4) & 0xf) != 0)
#define RARE_TYPES 5
/* The same structure with more axes, the bits above those: most operations have no end of ranks, their code has. */
#define PLAN_HIGH(plan, rank) ((plan) | (uint64_t)(rank) << (PLAN_BITS + 8))
#define PLAN_RANK(plan) ((int)((plan) >> (PLAN_BITS + 8)))
#define PLAN_IS_ODD(plan) ((plan) >> PLAN_BITS != 0) /* one of these */
#define API_MAX_PARAMETERS 40

struct api {
	const struct backend_operation *op;
	enum parameter_kind kinds[API_MAX_PARAMETERS];
	const struct role *roles[API_MAX_PARAMETERS]; /* NULL: its name says nothing */
	int rank;                                     /* that a call's main shape should have; 0: any */
	const char *why_not;                          /* no calls are made: the reason; NULL: they are */
	const struct known_fact *known;               /* what its documentation says (known.h) */
	uint64_t unspecified;                         /* outputs that nothing is promised of, by bit */
	int random;                                   /* it draws numbers from a seed or a generator */
	int pads;                                     /* it multiplies padding: 0 · inf may arise, or not */
	int sums;                                     /* it sums products in an order that nobody fixes */
	int internal;                                 /* nothing documented calls it */
	int untold;                                   /* it promises nothing: internal, or in no order */
	int matrix;                                   /* it solves equations: its errors are by the matrix's size */
	int finite, one_nan;                          /* known.h */
	uint64_t plans[API_MAX_PLANS];
	size_t n_plans;
};

struct registry {
	struct arena arena;
	const struct library *library; /* NULL: nothing is known of it */
	const struct dialect *dialect; /* its name is that of the library in data files */
	const char *backend, *version;
	int learned; /* calls that are valid were looked for, and written down */
	struct api *apis;
	size_t n;
};

/* `folder`: data/equiv.  `backend`: a name as in backends.def. */
int registry_open(struct registry *r, const char *backend, const char *folder, struct caller *c, struct err *e);
void registry_release(struct registry *r); /* zeroed is fine */
/* What is known by the name of a backend alone, which must outlive the registry. */
void registry_init(struct registry *r, const char *backend);

/* Writes down the plans of all APIs, one line each. */
int registry_save(const struct registry *r, const char *path, struct err *e);

/* What a call is drawn from. */
struct call_draw {
	uint64_t plan;            /* its structure */
	const struct rng *values; /* borrowed; left as it is */
	enum draw_how how;        /* floats are drawn (draw.h) */
	int types;                /* of a form: as often any other element types as its own */
};

/* One call of an API, made in the arena.  On success the caller releases the bindings. */
int registry_call(const struct registry *r, const struct api *api, const struct call_draw *draw, struct arena *a,
		  struct expr **out, struct bindings *bindings, struct err *e);

/* ---- for its own files ------------------------------------------------------------------------------------------- */

extern const enum dtype registry_rare[RARE_TYPES]; /* PLAN_RARE */

/* Calls fn with the three fields of each line of a file that is for this registry's dialect. */
int registry_lines(const struct registry *r, const char *path, void (*fn)(char **fields, void *arg), void *arg,
		   struct err *e);
void registry_classify(const struct registry *r, struct api *api);

#endif
