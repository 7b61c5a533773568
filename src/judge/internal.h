/* internal.h - what the files of trials share. */
#ifndef JUDGE_INTERNAL_H
#define JUDGE_INTERNAL_H

#include "judge/session.h"

/* Opens t->ref, once.  A model that the reference refuses sets t->invalid instead. */
int trial_open_ref(struct trial *t, struct err *e);

/* Forgets the right answers: the model or the inputs have changed, or it all goes. */
void trial_forget(struct trial *t);

/* Element type of a tensor, DT_UNDEFINED where it is not known. */
enum dtype trial_wire_dtype(const struct wire *w);

/* The verdict when nothing came out: o->report says why.  ERR_IO when the worker could not be started. */
int outcome_without_values(struct trial *t, const struct party *p, const struct judge_options *options,
			   struct outcome *o, struct err *e);
/* Judges o->values against these answers: all but the report of an outcome is filled. */
int outcome_judge(const struct trial *t, const struct ref_result *truth, double limit, struct outcome *o,
		  struct err *e);
/* Verdict, ratio and worst of an outcome whose outputs (or gradients) were judged, and a sentence on the worst. */
void outcome_summarize(struct outcome *o);
void outcome_explain(struct outcome *o, const char *what, const char *name);
/* A finding that a row of options->quirks explains becomes unspecified. */
void outcome_ask_quirks(const struct trial *t, const struct party *p, const struct judge_options *options,
			struct outcome *o);

/* The row of kind "absent" that is about such a node: the party's version does not know it.  NULL: none. */
const struct quirk *party_absent(const struct party *p, const struct node *n, const struct judge_options *options);

/* What the reference is asked for the gradients of a case; all of it is the trial's. */
struct ref_gradient trial_gradient_request(const struct trial *t);
/* Wrong gradients that only lose precision become `precision`: gradient_doubt.c. */
int gradients_doubt(struct trial *t, double limit, struct outcome *o, struct err *e);

/* What a party has said of products: explain.h. */
struct witness *witness_new(struct err *e);
void witness_free(struct witness *w); /* NULL is fine */

struct open_reason {
	const char *text; /* of the first that is open; NULL: nothing is */
	int of_nan;       /* no node is open but for NaN among numbers that it orders */
};

/* By output, from mem_array(): 1 where it comes of what ONNX leaves open once numbers are rounded; *why: the reason.
 * got: what came, by output; NULL: nothing did. */
int open_outputs(struct trial *t, struct value *const *got, char **open, struct open_reason *why, struct err *e);

/* What explained elements of an answer that looked wrong: doubt.c has the ways. */
enum doubt_way { BY_ROUNDING, BY_INSIDE, BY_TIES, BY_ABSOLUTE, BY_ONE_PASS, BY_OPEN, WAYS };

struct doubt_found {
	size_t explained[WAYS];  /* elements */
	double error;            /* largest absolute one that took BY_ABSOLUTE to explain */
	double loss;             /* largest ratio that took BY_ONE_PASS; infinite where nothing is left */
	struct open_reason open; /* why ONNX leaves some of it open */
};

/* doubt_tell.c: the verdict where all is explained, in words. */
void doubt_tell(const struct doubt_found *f, const struct trial *t, struct outcome *o);

#endif
