/* fault.h - known defects to plant into the rounded reference: how good is the tool at finding them?
 *
 * Each is modelled on a bug that papers or issue trackers report.  A fault is a row in faults.def and a descriptor in
 * the file of its family.  `fault:NAME` is a backend: the rounded reference with that one defect in every node it
 * applies to; `fault:NAME@NODE`: in the node called NODE alone. */
#ifndef FAULTS_FAULT_H
#define FAULTS_FAULT_H

#include "ops/op.h"
#include "reference/reference.h"

enum fault_kind {
	FAULT_VALUE,    /* wrong numbers in a forward run */
	FAULT_GRADIENT, /* wrong gradients; the forward run is right */
	FAULT_PROCESS   /* crash, hang, memory, nondeterminism */
};

/* How many times a fault has been at work, and what a fault keeps between calls. */
struct fault_state {
	const struct fault *fault;
	const char *node; /* only in the node called so; NULL: in all */
	size_t applied;   /* nodes it changed */
	struct rng rng;
};

enum fault_effect {
	FAULT_FAILED = -1,
	FAULT_NO_EFFECT, /* this call is none that it applies to, or its outputs are as they were */
	FAULT_CHANGED
};

struct fault {
	enum fault_kind kind;
	const char *what;       /* the defect in a sentence */
	const char *like;       /* the bug it is modelled on */
	const char *const *ops; /* operators it applies to, "domain:Op" of other domains; NULL-terminated; NULL: all */
	/* Changes c's outputs (FAULT_GRADIENT: input gradients). */
	enum fault_effect (*apply)(struct call *c, struct fault_state *s);
};

struct fault_row {
	const char *name;
	const struct fault *fault;
};

extern const struct fault_row fault_rows[]; /* up to the first without a name */

const struct fault_row *fault_find(const char *name); /* NULL: unknown */

/* Cases in which faults show, at least one each, up to the first without a fault (examples.def). */
struct fault_example {
	const char *fault, *line;
};

extern const struct fault_example fault_examples[];

const char *fault_kind_name(enum fault_kind k);

/* True when a fault is for nodes like n. */
int fault_is_for(const struct fault *f, const struct node *n);

/* Sets o up to plant a fault, in all nodes it is for or in the one called `node`; state must outlive the runs. */
void fault_plant(const struct fault *f, struct fault_state *state, struct ref_options *o);
void fault_plant_at(const struct fault *f, const char *node, struct fault_state *state, struct ref_options *o);

/* ---- for the files of faults ------------------------------------------------------------------------------------- */

/* A copy of a call whose node can be given other attributes, and other inputs, and be evaluated again. */
struct shadow {
	struct call call;
	struct node node;
	struct tensor *made[OP_MAX_PORTS]; /* inputs that were replaced */
};

int shadow_init(struct shadow *s, struct call *c);
int shadow_int(struct shadow *s, const char *name, int64_t x);
int shadow_float(struct shadow *s, const char *name, double x);
int shadow_ints(struct shadow *s, const char *name, const int64_t *x, size_t n);
int shadow_string(struct shadow *s, const char *name, const char *x);
void shadow_drop(struct shadow *s, const char *name); /* removes an attribute */
/* Replaces input i by an unshared copy that may be written; NULL on failure. */
struct tensor *shadow_input(struct shadow *s, int i);
void shadow_leave_out(struct shadow *s, int i); /* input i is not given */
/* The end of a shadow: evaluates into c's own outputs, unless shapes would not fit or rc is a failure. */
enum fault_effect shadow_apply(struct shadow *s, int rc);

#endif
