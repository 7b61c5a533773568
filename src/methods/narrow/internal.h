/* internal.h - what the files of narrow share: one job from the exact runs to the set that stays in float32. */
#ifndef METHODS_NARROW_INTERNAL_H
#define METHODS_NARROW_INTERNAL_H

#include "methods/narrow/narrow.h"
#include "reference/precision.h"

struct int8;

/* Right outputs of all runs of the data, and how large they are. */
struct outputs {
	struct ref_result *exact; /* [n] */
	size_t n;
	double *scale; /* by output: root mean square over all runs */
	size_t n_outputs;
};

struct narrow_job {
	const struct graph *g;
	struct ref *ref;
	const struct narrow_data *data;
	const struct narrow_options *o;
	struct narrow_result *out;
	enum ref_precision to;    /* REF_OWN: int8 */
	struct int8 *int8;        /* NULL: another type */
	const unsigned char *low; /* by node index: what this run narrows */
	struct outputs outputs;
	struct value **exact;     /* by wire id: of the run of the data that is looked at; NULL: none */
	size_t *row_of;           /* by wire id: 1 + its row; 0: none */
	const struct node **able; /* nodes that can be narrowed, in order */
	double *effect;           /* by able: error of the outputs over the target's limit; INFINITY */
	size_t *together;         /* by able */
	size_t n_able;
	size_t *active; /* of able[]: those with a local loss; the others do nothing alone */
	size_t n_active;
	size_t worst; /* the run of the data that is furthest off with all narrowed */
	size_t runs;  /* made so far */
};

/* ---- measure.c --------------------------------------------------------------------------------------------------- */

/* Root mean square of the difference over that of `exact`; of integers, strings and bools the share that differs.
 * INFINITY where a number is no longer finite, a shape is another one, or what was all 0 is not. */
double measure_loss(const struct value *got, const struct value *exact);
/* Wide float tensors of the same count, pairs of elements. */
double measure_correlation(const double *a, const double *b, size_t n);

/* Root mean squares of the right outputs, once all are there. */
int measure_scales(struct outputs *o, struct err *e);
/* Makes *reach worse by what came of run `run`; `outputs`: values in order of the right ones. */
void measure_outputs(const struct outputs *o, const struct narrow_target *t, size_t run, const struct ref_result *got,
		     struct narrow_reach *reach);
void measure_release(struct outputs *o);

/* ---- passes.c: runs of the whole network ------------------------------------------------------------------------- */

/* Moves the bar, if there is one. */
void passes_tell(const struct narrow_options *o, const char *what, size_t done, size_t total);
/* What an entry of low[] is for a node that is narrowed. */
unsigned char passes_mark(const struct narrow_job *j);
/* How many runs effects may take, and sets may be tried. */
size_t passes_most(const struct narrow_job *j);
/* One run with the nodes narrowed whose entry in low[] (by node index) is not 0.  `o` has an observer or a tamper;
 * NULL: none. */
int passes_run(struct narrow_job *j, size_t run, const unsigned char *low, const struct ref_options *o,
	       struct ref_result *out, struct err *e);
/* The outputs' error over runs first … n - 1 of the data; ends at the first that is beyond `enough`. */
int passes_reach(struct narrow_job *j, const unsigned char *low, double enough, struct narrow_reach *out,
		 struct err *e);
/* Exact runs, local and accumulated losses of all rows, the nodes that can be narrowed. */
int passes_make(struct narrow_job *j, struct err *e);

/* The exact values of a run by wire id; keep[] is filled with references. */
struct passes_keeping {
	struct value **keep;
};
int passes_keep(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
		void *arg);
void passes_forget(struct value **keep, size_t n);
/* Puts v in the place of an output of a call that was evaluated. */
int passes_replace(struct call *c, int out, struct value *v);

/* ---- effects.c, sets.c ------------------------------------------------------------------------------------------- */

/* What each node does to the outputs alone, or with its group.  Before that, effects are 0. */
int effects_measure(struct narrow_job *j, struct err *e);
/* The smallest set that is found; fills the result's answer, kept and mixed. */
int sets_smallest(struct narrow_job *j, struct err *e);

/* ---- int8.c ------------------------------------------------------------------------------------------------------ */

int int8_open(const struct graph *g, struct int8 **out, struct err *e);
void int8_close(struct int8 *q); /* NULL is fine */
/* True when ONNX Runtime's quantizers quantize such a node. */
int int8_is_for(const struct node *n);
/* Widens the range of a wire. */
void int8_see(struct int8 *q, const struct wire *w, const struct value *v);
/* Sets o up so that nodes in low[] are quantized; low and q must outlive the run.  o->tamper, if any, sees outputs
 * before they are quantized. */
void int8_plant(struct int8 *q, const unsigned char *low, struct ref_options *o);
/* The elements of a wide float tensor quantized with the range of a wire, in place. */
void int8_round(const struct int8 *q, const struct wire *w, struct tensor *t);

#endif
