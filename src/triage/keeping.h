/* keeping.h - a finding on its way to the store, and what its kind does with it (for keep*.c only). */
#ifndef TRIAGE_KEEPING_H
#define TRIAGE_KEEPING_H

#include "base/json.h"
#include "triage/triage.h"

#define KEEP_MAX_BYTES MODEL_MAX_FILE

struct keeping {
	struct keeper *k;
	const struct keep_kind *kind;
	void *what; /* the kind's own */
	struct finding f;
	enum verdict verdict; /* that the finding is recorded with */
	json_t *evidence;
	struct buf text; /* the evidence as it is written */
	struct kept *out;
	int own;         /* the stored finding that this is a better example of was added by this run … */
	int64_t earlier; /* … and is this one; 0: none */
	int over;        /* it was there already, or was taken out again: nothing is left to be done */
	char signature[SIGNATURE_MAX + 1], recorded[SIGNATURE_MAX + 1];
};

/* What there is to show a finding with: a case, or a call of a library's own operation. */
struct keep_kind {
	/* The verdict that stands when it has come again; with x->out->why when that is none. */
	int (*confirm)(struct keeping *x, enum verdict *v, struct err *e);
	/* (optional) Is it the library's?  Else x->verdict says what it is, and x->out->why. */
	int (*prove)(struct keeping *x, struct err *e);
	/* Fills x->f and x->evidence. */
	int (*describe)(struct keeping *x, struct err *e);
	/* The signature by what is known now. */
	int (*sign)(struct keeping *x, struct buf *out, struct err *e);
	/* (optional) Whether a stored finding with the same signature is this very one. */
	int (*is_same)(const struct keeping *x, const struct finding *f);
	/* (optional) What is to blame.  *explained: it is no finding after all; x->out has verdict and reason. */
	int (*blame)(struct keeping *x, int *explained, struct err *e);
	/* (optional) The smallest that still shows it.  *reduced: there is one, and it is to be signed anew. */
	int (*reduce)(struct keeping *x, int *reduced, struct err *e);
};

/* All of it: what x->kind and x->what are of becomes a row of the store, or not. */
int keep(struct keeping *x, struct err *e);

#endif
