/* trial.h - one case on one backend, judged: what every method does with the cases it makes.
 *
 *     struct trial t;                         a model, its inputs, and (made once, on need) the right answer
 *     struct party p;                         a backend that takes part: a worker, or the reference in this process
 *     struct outcome o;                       what the backend did, and the verdict on it
 *
 *     trial_init(&t, model, inputs, seed, &e);
 *     party_open(&p, "ort@1.20.1:O99", NULL, &e);
 *     trial_judge(&t, &p, NULL, &o, &e);      o.verdict, o.ratio, o.judged[i] …
 *     if (verdict_is_finding(o.verdict))
 *             trial_confirm(&t, &p, NULL, &o, &e);    a fresh worker must say the same, else o.verdict is flaky
 *
 * A trial and a party belong to one thread. */
#ifndef JUDGE_TRIAL_H
#define JUDGE_TRIAL_H

#include "judge/judge.h"
#include "reference/reference.h"
#include "worker/parent/spec.h"
#include "worker/parent/worker.h"

/* ---- the case ---------------------------------------------------------------------------------------------------- */

struct trial {
	struct model *model;   /* owned, bound */
	struct buf bytes;      /* the model as ONNX readers get it */
	struct value **inputs; /* by graph->inputs, owned; NULL: the input's default */
	uint64_t seed;         /* of the noise and of random operators */
	/* The right answer; made by trial_truth(). */
	struct ref *ref;
	struct ref_result truth; /* REF_NOISY; n is 0 before */
	int invalid;             /* the reference refuses the model: `why` says so; a backend must refuse it too */
	int untold; /* the reference cannot run it: `why` says so, and nothing that runs it can be judged */
	struct err why;
	/* Gradients of Σ seed · output; made by trial_truth_gradients(). */
	struct tensor **grad_seeds; /* by output; NULL entry: an output without gradient */
	struct wire **grad_wires;   /* float inputs and float initializers that the outputs depend on */
	struct tensor **grads;      /* by grad_wires: wide, of the wire's type */
	float **grad_noise;         /* rounding noise of each element */
	size_t n_grads;
	/* How far answers are off that quantize some numbers the other way; explain.c makes it once for all backends.
	 */
	struct steps_off *steps; /* by output; NULL before */
	size_t step_ties;        /* numbers that can go the other way */
};

/* Takes model and inputs (an array of graph->inputs.n, from mem_array()), also when it fails.  Binds, serializes. */
int trial_init(struct trial *t, struct model *take, struct value **inputs, uint64_t seed, struct err *e);
/* The same with the model's own bytes, which are taken too: for a file that must reach libraries as it is. */
int trial_init_bytes(struct trial *t, struct model *take, struct buf *bytes, struct value **inputs, uint64_t seed,
		     struct err *e);
/* A new case: the same model object borrowed by nobody else, other inputs.  Deep copy of what may change;
 * tensors are shared, so both belong to one thread. */
int trial_copy(const struct trial *t, struct trial *out, struct err *e);
/* Other inputs for the same model, taken also when it fails; the answers to the old ones are forgotten. */
int trial_set_inputs(struct trial *t, struct value **inputs, struct err *e);
void trial_release(struct trial *t); /* zeroed is fine */

/* The exact outputs with their noise; done at most once.  A model or input that the reference refuses as invalid is no
 * failure: t->invalid.  What the reference does not have is ERR_UNSUPPORTED, what is too large for it ERR_LIMIT. */
int trial_truth(struct trial *t, struct err *e);
/* Draws the seeds of gradients, between -1 and 1, from the trial's own seed; trial_truth_gradients() does so itself. */
int trial_seed_gradients(struct trial *t, struct err *e);
/* The exact gradients with their noise, once; ERR_UNSUPPORTED names an operator without one, or says that nothing has a
 * gradient.  A single number among the initializers counts only where it has an axis and its gradient is not 0: it may
 * be a setting. */
int trial_truth_gradients(struct trial *t, struct err *e);
/* By wire id of the main graph, from mem_array(): 1 where an output with a seed depends on the wire through floats.
 * After the seeds were made. */
unsigned char *trial_gradient_flow(const struct trial *t, struct err *e);

/* ---- who takes part ---------------------------------------------------------------------------------------------- */

struct party {
	struct worker_spec spec;
	struct worker_limits limits;
	struct worker *worker;   /* NULL: the reference, in this process */
	struct party *twin;      /* (optional) the same on another option set, closed with it: proof/agree.c */
	struct witness *witness; /* what precision it computes in, see explain.h; NULL: nobody may ask */
};

/* limits NULL: the defaults. */
int party_open(struct party *p, const char *name, const struct worker_limits *limits, struct err *e);
int party_open_spec(struct party *p, const struct worker_spec *spec, const struct worker_limits *limits, struct err *e);
void party_close(struct party *p); /* zeroed is fine */
const char *party_version(const struct party *p);
/* Whether an operator is another library's own: what this one does not do of it is no fault.  NULL: no operator. */
int party_foreign_op(const struct party *p, const struct op_row *row);

/* ---- what came out ----------------------------------------------------------------------------------------------- */

struct outcome {
	enum verdict verdict;
	double ratio;       /* largest noise ratio over the outputs */
	size_t worst;       /* the output it stands in */
	double first_ratio; /* both as they were before some elements were explained (trial_doubt()) */
	size_t first_worst;
	struct judgement *judged;    /* by output (gradients: by t->grad_wires); NULL when nothing came out */
	struct value **values;       /* by output, packed; NULL when nothing came out */
	struct tensor **grads;       /* trial_judge_gradients(): by t->grad_wires */
	size_t n;                    /* of judged and values, or grads */
	int gradient;                /* it is of the gradients */
	struct worker_report report; /* when a request failed: what the worker and the library said */
	double load_seconds, run_seconds;
	const char *explained_by; /* VERDICT_EXPLAINED: "bfloat16"; else NULL */
	int doubtful;             /* taken for right in doubt, in a network that quantizes: a fault may look so */
	int of_nan;               /* unspecified, and for no other reason than NaN among numbers that are ordered */
	int stands;               /* what would explain it does not: a node of it is wrong alone */
	int suspicious;           /* unjudged, with NaN though all inputs are finite */
	int unstable;             /* confirmed as wrong, with other numbers each time; the reason says so, if it fits */
	char reason[512];         /* one sentence for people; "" when it agrees */
};

void outcome_release(struct outcome *o); /* zeroed is fine */

/* The verdict that a case counts with (base/tally.h): one vacuous output does not undo another that was judged. */
enum verdict outcome_counts_as(const struct outcome *o);

struct judge_options {
	double limit; /* 0: JUDGE_LIMIT */
	const struct quirks
		*quirks; /* (optional) known differences: a finding that a row explains becomes unspecified */
	int strict;      /* numbers that a lower precision explains are wrong */
	int no_truth;    /* only run: verdicts of processes (crash, hang, …), values for a method's own oracle */
};

/* The limit that these options stand for; NULL: defaults. */
double judge_limit(const struct judge_options *options);

/* The row of options->quirks that may be about such a node, or NULL; alone it must be judged to know (quirk.c). */
const struct quirk *party_quirk(const struct party *p, const struct node *n, const struct judge_options *options);

/* Loads, runs, unloads and judges.  A negative status means that assay itself failed; all that the library does is in
 * *out.  What the reference cannot run is run all the same: what comes of it is `unjudged`, unless its process fails.
 * `options` NULL: defaults. */
int trial_judge(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *out,
		struct err *e);
int trial_judge_gradients(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *out,
			  struct err *e);

/* Judges what is in *o already: its report and values, however they were obtained. */
int trial_judge_values(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *o,
		       struct err *e);

/* Whether two runs gave values that differ by more than rounding does. */
int outcome_values_differ(const struct trial *t, const struct outcome *a, const struct outcome *b, double limit);
/* The same of gradients.  At a kink every number between the slopes on both sides is right (ref_backward_kinks()). */
int trial_judge_given(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *o,
		      struct err *e);

/* The letters of a refusal's message, without what differs from case to case; and whether two such begin alike. */
void outcome_words(const struct outcome *o, char *out, size_t size);
void words_of(const char *message, char *out, size_t size); /* the same of any message */
int words_alike(const char *a, const char *b);

/* Wrong numbers must stay wrong when the right answer is rounded in other ways that a correct library may round in
 * (doubt.c); else o->verdict and the reason become what that gives.  The reference's work only; no library runs. */
enum doubt { DOUBT_QUICK, DOUBT_FULL };
int trial_doubt(struct trial *t, const struct judge_options *options, enum doubt how, struct outcome *o, struct err *e);

/* Wrong numbers may be those of a library that computes in less than float32 (explain.h): then o->verdict is explained,
 * with what explains it.  p is asked what it computes in, once. */
int trial_explain(struct trial *t, struct party *p, const struct judge_options *options, struct outcome *o,
		  struct err *e);

/* Doubts wrong numbers in full, tries to explain them, then runs the case again: in the same worker, in a fresh one,
 * and in a fresh one with MALLOC_PERTURB_ set.  Verdict, worst output and (within a factor of 2) ratio must come again,
 * and values as far as rounding lets them, else out->verdict becomes VERDICT_FLAKY with the reason.  Gradient outcomes
 * are confirmed by their own call, without doubt. */
int trial_confirm(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *out,
		  struct err *e);
/* The same without fresh workers, for a case that is confirmed when it is as small as it gets. */
int trial_repeat(struct trial *t, const struct party *p, const struct judge_options *options, struct outcome *out,
		 struct err *e);
int trial_confirm_gradients(struct trial *t, const struct party *p, const struct judge_options *options,
			    struct outcome *out, struct err *e);

/* Files: model.onnx, inputs.npz and (when the truth is known) expected.npz in a folder that is made. */
int trial_save(struct trial *t, const char *folder, struct err *e);
int trial_load(const char *folder, uint64_t seed, struct trial *out, struct err *e);
/* A model file as libraries get it: its own bytes, or, when its data lie in further files (model->file), one message
 * with all of them, or its own without them when that gets too large; of another format than ONNX what that becomes
 * (worker/parent/format.h).  *m is the same model, its nodes bound where assay knows their operators. */
int trial_read_model(const char *path, struct buf *bytes, struct model **m, struct err *e);
/* The same as bytes, for a store. */
int trial_inputs_npz(const struct trial *t, struct buf *out, struct err *e);
int trial_expected_npz(struct trial *t, struct buf *out, struct err *e);
int trial_from_bytes(const void *model, size_t n, const void *npz, size_t n_npz, uint64_t seed, struct trial *out,
		     struct err *e);

#endif
