/* subject.h - "N|DIR": a finding of the store, or a folder with model.onnx and inputs.npz, as the case a verb works on.
 *
 * A bundle's finding.json says which backend and verdict it is about; without one -b names the backend. */
#ifndef TRIAGE_SUBJECT_H
#define TRIAGE_SUBJECT_H

#include "judge/trial.h"
#include "triage/reduced.h"

struct subject_options {
	const char *db, *backend; /* NULL: the default; what the finding or the bundle says */
	int original;             /* of a finding: the case as first seen, not the reduced one */
	int calls;                /* findings of calls are taken too: f and verdict alone are set of them */
	int64_t seed;             /* of a folder without finding.json */
};

struct subject {
	struct trial trial;
	char backend[512];       /* "ort@1.20.1:O99" */
	struct worker_spec spec; /* of it: typed, or nothing but a library that is installed (spec_make_found()) */
	char op[128];            /* blamed; "" */
	enum verdict verdict;
	int has_verdict; /* the finding or bundle says which */
	int gradient;
	int is_call;               /* there is no trial: a call of the library's own operation shows it */
	struct store *store;       /* NULL: a folder */
	struct finding f;          /* id 0: a folder; then only some fields are set */
	struct arena arena;        /* of f's strings when it is a folder */
	struct case_bytes reduced; /* what subject_set_reduced() gave f … */
	struct buf evidence;
	char name[256]; /* what it was opened by */
};

/* "ort@1.20.1": the very version that a finding is about, unless the user named one with it. */
void subject_name_backend(const struct finding *f, char *out, size_t size);

int subject_open(const char *word, const struct subject_options *o, struct subject *out, struct err *e);
void subject_close(struct subject *s); /* zeroed is fine */

/* Opens the backend and judges, forward or gradient. */
int subject_judge(struct subject *s, struct party *p, struct outcome *o, struct err *e);
/* ERR_INPUT unless the outcome is the verdict that the subject is about; without one, unless it is a finding. */
int subject_check(const struct subject *s, const struct outcome *o, struct err *e);

/* The smallest case as part of the finding s->f. */
int subject_set_reduced(struct subject *s, const struct party *p, struct reduce_result *r, struct err *e);
/* s->f back into the store, when it is from there.  What fails is to be told behind the result: "not stored: …". */
int subject_store(struct subject *s, struct err *e);

#endif
