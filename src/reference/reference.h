/* reference.h - the right answer, and how much of a difference float rounding can explain.
 *
 *   REF_EXACT    every node in double, integers in int64
 *   REF_ROUNDED  the same, each node's float outputs rounded to their dtype: a correct library by construction
 *   REF_NOISY    exact, plus k runs in which every node's output moves by random roundings of u * scale(i) (Monte Carlo
 *                arithmetic); their spread is the rounding noise of every element
 *
 * A `struct ref` is a model prepared for many runs.  It is not thread-safe; open one for each thread. */
#ifndef REFERENCE_REFERENCE_H
#define REFERENCE_REFERENCE_H

#include "ops/op.h"

enum ref_mode { REF_EXACT, REF_ROUNDED, REF_NOISY };

/* Whether REF_ROUNDED rounds to multiples of what one rounding may move a result by in the noisy mode: no element,
 * every one, or each by a coin. */
enum ref_coarse { REF_FINE, REF_COARSE, REF_COARSE_SOME };

/* What nodes are computed in where their tensors are float32 or float64: in their type, or in less (precision.h).
 * Types that are narrower keep their own.  REF_INT8: tensors are stored in eight bits, each with steps that its range
 * gives; of operators that quantizers know alone (quantized.h). */
enum ref_precision { REF_OWN, REF_TF32, REF_BF16, REF_F16, REF_INT8, REF_PRECISIONS };

#define REF_NOISE_RUNS 8 /* default k */
#define REF_MAX_RUNS 64

/* Sees every output of every node of the main graph, right after it is computed.  `noise` has one number an element
 * (NULL: not the noisy mode, or no numbers).  Returning non-zero ends the run with that status. */
typedef int ref_observer(const struct node *n, int out, const struct wire *w, const struct value *v, const float *noise,
			 void *arg);

struct call;
typedef int ref_tamper(struct call *c, int back, void *arg);

struct ref_options {
	enum ref_mode mode;
	int noise_runs; /* REF_NOISY: k; 0: REF_NOISE_RUNS */
	uint64_t seed;  /* of noise and of random operators */
	/* REF_ROUNDED, REF_NOISY: of all nodes of the main graph, with the subgraphs that they run. */
	enum ref_precision precision;
	const unsigned char *precisions; /* (optional) by index of the main graph's nodes, in place of `precision` */
	int products; /* only operands of products (OP_PRODUCTS) are rounded to it, as those of TF32 always are */
	int reduced;  /* REF_NOISY: sums inside of nodes are kept in that precision, and not only what comes of them */
	enum ref_coarse coarse;
	enum op_range
		range; /* REF_ROUNDED: of numbers inside of operators; OP_RANGE_LOST: subnormal values are 0, too */
	int ties; /* REF_ROUNDED: as struct call has it; QUANT_TIES_FAR() for nodes that another one stands behind which
		     quantizes, and OP_TIES_CHANCE for others, where it is known to a step what comes out */
	double near;           /* … as struct call has it */
	double absolute;       /* REF_NOISY: functions that are approximated move by so many roundings of their range;
				  going back, slopes lose what gradient_noise.c says */
	int one_pass;          /* variances lose what E(x²) - E(x)² loses, as struct call has it */
	int apart;             /* REF_NOISY: a value moves by roundings of its own for each node that reads it */
	int moved;             /* REF_NOISY: the values that the runs move around have roundings, too */
	float louder;          /* REF_NOISY: roundings so many times as large; 0: as they are */
	int training;          /* operators with a training mode may use it */
	ref_observer *observe; /* NULL: none */
	void *observe_arg;
	/* (optional) called before each node, how many of the main graph are done, and of how many. */
	void (*progress)(const struct node *n, size_t done, size_t total, void *arg);
	void *progress_arg;
	/* (optional) may change a call's outputs after it was evaluated (`back` 0), or the input gradients after they
	 * were added (1): how known defects are planted. */
	ref_tamper *tamper;
	void *tamper_arg;
	/* REF_ROUNDED, (optional, with a tamper) may put other values in the place of a call's inputs, c->in_value,
	 * before it is evaluated: how other ways to store them are tried. */
	ref_tamper *feed;
	void *feed_arg;
};

struct ref_output {
	const char *name; /* borrowed from the model */
	struct value *value;
	float *noise; /* REF_NOISY, numbers: standard deviation over the runs; else NULL.  INFINITY marks elements of a
			 tensor whose shape itself depends on rounding, and strings that do (NULL: none does).  A
			 sequence has one number for each element of its items, one item after the other */
};

struct ref_result {
	struct ref_output *outputs;
	size_t n;
	size_t ties; /* with OP_TIES_CHANCE and beyond: how many quotients went by a coin */
};

struct ref;

/* Binds, infers and plans.  The model is borrowed and must not be edited while the ref is open. */
int ref_open(struct model *m, struct ref **out, struct err *e);
void ref_close(struct ref *r); /* NULL is fine */

/* Whether some node makes small integers of floats: QuantizeLinear, say. */
int ref_quantizes(const struct ref *r);

/* Inputs by position in graph->inputs (an entry may be NULL where the input has an initializer as default).  Tensors
 * may be packed or wide.  out is filled on success only; release it with ref_result_release(). */
int ref_run(struct ref *r, struct value *const *inputs, size_t n, const struct ref_options *o, struct ref_result *out,
	    struct err *e);
void ref_result_release(struct ref_result *r);

/* The most that one run may cost, as call_work() counts, all nodes and noise runs together; for all runs of the
 * process, from now on.  A node that would be beyond it is not begun: ERR_LIMIT names it and its cost. */
#define REF_MAX_WORK 1e14 /* hours on one core; large language models of some gigabytes take a fifth of it */
void ref_set_max_work(double most);

/* What reverse mode is asked for: the gradient of the sum of seed * output with respect to some wires.  All of it is
 * borrowed. */
struct ref_gradient {
	struct value *const *inputs; /* as in ref_run() */
	size_t n;
	struct tensor *const *seeds; /* one for each graph output, the gradient with respect to it; NULL: zero */
	struct wire *const *wanted;  /* float inputs, initializers or any other wires of the main graph */
	size_t n_wanted;
};

/* Reverse mode in double.  grads[i] becomes the gradient with respect to wanted[i], a wide DT_DOUBLE tensor of the
 * wire's shape; a wire that does not matter gets zeros.  ERR_UNSUPPORTED names an operator on the way that has no
 * gradient.  On success the caller unrefs grads[i]. */
int ref_backward(struct ref *r, const struct ref_gradient *of, const struct ref_options *o, struct tensor **grads,
		 struct err *e);

/* The same exactly, and the rounding noise of every element of every gradient over o->noise_runs runs in which values
 * and gradients moved by random roundings (o->mode is not looked at); INFINITY where such a run fails or gives another
 * shape.  The caller frees noise[i] with mem_free(). */
int ref_backward_noisy(struct ref *r, const struct ref_gradient *of, const struct ref_options *o, struct tensor **grads,
		       float **noise, struct err *e);

/* Where a function has a kink, as a maximum of equal numbers has, its gradient may be several numbers: every one
 * between the slopes on both sides is right.  low[i] and high[i], like grads[i] above, are the ends for each element;
 * -INFINITY and INFINITY where there are several and the ends are not known, which are known of a single node alone. */
struct ref_kinks {
	struct tensor **low, **high; /* by `wanted`; from mem_array() */
	size_t n;
	int kept;   /* all of them have the same sum … */
	double sum; /* … this one: what elements share stays what it is */
};

int ref_backward_kinks(struct ref *r, const struct ref_gradient *of, const struct ref_options *o, struct ref_kinks *out,
		       struct err *e);
void ref_kinks_release(struct ref_kinks *k); /* zeroed is fine */

/* One of those runs by itself: the gradients that a correct library might give.  `lane` chooses the roundings. */
int ref_backward_moved(struct ref *r, const struct ref_gradient *of, const struct ref_options *o, int lane,
		       struct tensor **grads, struct err *e);

#endif
