/* narrow.h - which nodes of a network can be computed in a narrower type, and which have to stay in float32.
 *
 * All of it is simulated by the reference, whose exact run is the right answer.  A node that is narrowed reads its
 * float inputs and weights rounded to the narrow type and rounds its outputs to it; sums inside of it are exact.  In
 * int8, tensors are quantized with ranges that the data show.
 *
 *   local         error of a tensor when only its node is narrowed: inputs are exact before they are rounded
 *   accumulated   error of a tensor when all nodes are narrowed
 *   effect        error of the outputs when only its node is narrowed, in units of what the outputs tolerate
 *
 * Errors of tensors are root mean squares of the difference over the root mean square of the tensor. */
#ifndef METHODS_NARROW_NARROW_H
#define METHODS_NARROW_NARROW_H

#include <jansson.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/progress.h"
#include "reference/reference.h"

#define NARROW_TARGET 0.01     /* default: a hundredth of the output's root mean square */
#define NARROW_TARGET_INT8 0.1 /* … of what is quantized to eight bits */
#define NARROW_RUNS 200        /* default */

enum narrow_type { NARROW_F16, NARROW_BF16, NARROW_INT8 };

/* What the outputs tolerate.  By default the root mean square of an output's error on one run of the data, over that of
 * the output on all of them, is at most `limit`; integers: the share of elements that differ.  `top`: rows of floats
 * keep their largest entry where it is; the error is how far the entries have come towards another order, and the limit
 * is 1. */
struct narrow_target {
	int top;
	double limit;
};

/* "0.01", "top1"; NULL: the default. */
int narrow_target_parse(const char *text, struct narrow_target *out, struct err *e);
/* "f16", "bf16", "int8". */
extern const char *const narrow_type_words[]; /* up to the first NULL */
int narrow_type_parse(const char *text, enum narrow_type *out, struct err *e);
const char *narrow_type_name(enum narrow_type t); /* "float16" */

struct narrow_data {
	struct value ***runs; /* [n][graph->inputs.n] borrowed */
	size_t n;
};

struct narrow_options {
	enum narrow_type type;
	struct narrow_target target;
	size_t runs; /* runs at most for the effects, and for the search; 0: NARROW_RUNS.  With fewer than there are
			nodes, groups of nodes are narrowed together and the worst are halved */
	uint64_t seed;
	struct progress *progress; /* (optional) started by the caller */
};

/* A tensor: an output of a node. */
struct narrow_row {
	const struct node *node;
	const struct wire *wire;
	int narrowed;         /* its node can be; else it only passes errors on */
	int kept;             /* its node is in the set that stays in float32 */
	double local;         /* NAN: not narrowed */
	double accumulated;   /* the worst over the data, as all numbers here */
	double effect;        /* NAN: not measured */
	size_t together;      /* how many nodes were narrowed for it: 1, or its group */
	double largest;       /* largest magnitude, exactly computed */
	size_t overflows;     /* elements that are finite, and beyond the narrow type; of its node's inputs as well */
	size_t lost, nonzero; /* elements that become 0, of those that are not */
};

/* How far the outputs are off with some nodes narrowed: the worst over all runs of the data. */
struct narrow_reach {
	double error;       /* as narrow_target has it */
	size_t run, output; /* where */
	size_t rows, moved; /* rows of floats; those whose largest entry is another one */
};

enum narrow_answer {
	NARROW_ALL,     /* all nodes can be narrowed */
	NARROW_SOME,    /* `kept` have to stay in float32 */
	NARROW_NONE,    /* all have to, if `minimal` */
	NARROW_NOTHING, /* there is no node to be narrowed */
	NARROW_BEYOND   /* float32 itself is beyond the target */
};

struct narrow_result {
	const struct graph *graph;
	struct narrow_options o;
	size_t n_data;
	struct narrow_row *rows; /* in order of the graph */
	size_t n;
	size_t nodes; /* that can be narrowed */
	enum narrow_answer answer;
	const struct node **kept; /* by effect, worst first */
	size_t n_kept;
	int minimal; /* none of them can be left out; else the search ended before it was known */
	struct narrow_reach wide, narrow, mixed; /* all in float32; all narrowed; all but `kept` */
	size_t runs;                             /* of the whole network that it took */
};

/* The model is bound, or will be; its inputs are borrowed. */
int narrow_run(struct model *m, const struct narrow_data *data, const struct narrow_options *o,
	       struct narrow_result *out, struct err *e);
void narrow_result_release(struct narrow_result *r); /* zeroed is fine */

/* ---- a model that is narrow already, against the one it was made of ---------------------------------------------- */

enum narrow_match {
	NARROW_UNMATCHED, /* fused away, or of another shape */
	NARROW_BY_NAME,
	NARROW_BY_VALUES /* the tensor of the same size whose elements go with it most closely */
};

/* A tensor of the original and its counterpart. */
struct narrow_pair {
	const struct node *node;
	const struct wire *wire;
	enum narrow_match match;
	const struct node *other_node; /* NULL: unmatched */
	const struct wire *other;
	double correlation; /* by values */
	double local;       /* with the tensors in front of it put right */
	double accumulated;
	double effect; /* of the local loss alone on the outputs, in units of the target; NAN: not measured */
};

struct narrow_against {
	const struct graph *graph, *other; /* of the original, of the narrow one */
	struct narrow_target target;
	size_t n_data;
	struct narrow_pair *pairs; /* float outputs of the original's nodes, in order */
	size_t n, n_matched;
	struct narrow_reach reach;
	const struct narrow_pair *worst; /* largest effect; NULL: none */
	const struct narrow_pair *first; /* the first in order whose accumulated loss is beyond the target's limit */
};

/* Runs both models on the same data. */
int narrow_against(struct model *narrow, struct model *original, const struct narrow_data *data,
		   const struct narrow_options *o, struct narrow_against *out, struct err *e);
void narrow_against_release(struct narrow_against *a); /* zeroed is fine */

/* ---- telling it -------------------------------------------------------------------------------------------------- */

#define NARROW_COLUMNS 7

/* Cells of a table, worst first, carved from an arena; heads[NARROW_COLUMNS]. */
struct narrow_table {
	const char *const *heads;
	const char **cells;
	size_t rows, left_out;
};

/* What was found, in sentences, one a line; `model` is what the user calls it. */
int narrow_text(const struct narrow_result *r, const char *model, struct buf *out, struct err *e);
int narrow_against_text(const struct narrow_against *a, const char *model, const char *original, struct buf *out,
			struct err *e);
/* `all`: every tensor; else the worst. */
int narrow_table(const struct narrow_result *r, int all, struct arena *arena, struct narrow_table *out, struct err *e);
int narrow_against_table(const struct narrow_against *a, int all, struct arena *arena, struct narrow_table *out,
			 struct err *e);
json_t *narrow_json(const struct narrow_result *r, const char *model);
json_t *narrow_against_json(const struct narrow_against *a, const char *model, const char *original);
/* The network, nodes coloured by their effect (against: by local loss). */
int narrow_svg(const struct narrow_result *r, struct buf *out, struct err *e);
int narrow_against_svg(const struct narrow_against *a, struct buf *out, struct err *e);

/* ---- from words to all of that ----------------------------------------------------------------------------------- */

/* As the user says it. */
struct narrow_request {
	const char *precision; /* NULL: none, with `against` */
	const char *target;    /* NULL: the default */
	const char *against;   /* the original, a file or a network of the zoo; NULL: none */
	const char *svg;       /* file for the picture; NULL: none */
	int64_t runs;          /* 0: NARROW_RUNS */
	int all;
	uint64_t seed;
};

struct narrow_report {
	struct buf text;
	struct narrow_table table;
	json_t *json;
	int beyond; /* the target is not met: in float32, or by the model against its original */
	struct arena arena;
};

/* Shows a bar while it works. */
int narrow_report_make(const struct narrow_request *q, const char *name, struct model *m,
		       const struct narrow_data *data, struct narrow_report *out, struct err *e);
void narrow_report_release(struct narrow_report *r); /* zeroed is fine */

#endif
