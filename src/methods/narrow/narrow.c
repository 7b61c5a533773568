/* narrow.c - see narrow.h. */
#include "methods/narrow/narrow.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/near.h"
#include "methods/narrow/internal.h"

/* ---- words of the user ------------------------------------------------------------------------------------------- */

static const struct {
	const char *word, *name;
	enum ref_precision to;
} types[] = {
	[NARROW_F16] = {"f16", "float16", REF_F16},
	[NARROW_BF16] = {"bf16", "bfloat16", REF_BF16},
	[NARROW_INT8] = {"int8", "int8", REF_OWN},
};

const char *const narrow_type_words[] = {"f16", "bf16", "int8", "float16", "bfloat16", NULL};

#define N_TYPES (sizeof types / sizeof *types)

int narrow_type_parse(const char *text, enum narrow_type *out, struct err *e)
{
	for (size_t i = 0; i < N_TYPES; i++)
		if (!strcmp(text, types[i].word) || !strcmp(text, types[i].name)) {
			*out = (enum narrow_type)i;
			return 0;
		}
	return near_refuse("precision", text, narrow_type_words, 0, e);
}

const char *narrow_type_name(enum narrow_type t)
{
	return types[t].name;
}

int narrow_target_parse(const char *text, struct narrow_target *out, struct err *e)
{
	struct narrow_target t = {.limit = NARROW_TARGET};
	char *end = NULL;

	if (text && !strcmp(text, "top1"))
		t = (struct narrow_target){.top = 1, .limit = 1};
	else if (text)
		t.limit = strtod(text, &end);
	if (!(t.limit > 0) || !isfinite(t.limit) || (end && (end == text || *end)))
		return err_set(e, ERR_USAGE, "a target is a number above 0 or 'top1', not '%s'", text);
	*out = t;
	return 0;
}

/* ---- the job ----------------------------------------------------------------------------------------------------- */

static void release(struct narrow_job *j)
{
	passes_forget(j->exact, j->g->wires.n);
	mem_free(j->exact);
	mem_free(j->row_of);
	mem_free(j->able);
	mem_free(j->effect);
	mem_free(j->together);
	mem_free(j->active);
	measure_release(&j->outputs);
	int8_close(j->int8);
	ref_close(j->ref);
}

void narrow_result_release(struct narrow_result *r)
{
	mem_free(r->rows);
	mem_free(r->kept);
	*r = (struct narrow_result){.n = 0};
}

/* What all nodes do together, and float32 alone. */
static int reach_ends(struct narrow_job *j, struct err *e)
{
	unsigned char *low = mem_array(j->g->nodes.n + 1, sizeof *low);
	int rc = low ? passes_reach(j, low, INFINITY, &j->out->wide, e) : err_nomem(e, "nodes", j->g->nodes.n);

	for (size_t i = 0; i < j->n_able && !rc; i++)
		low[j->able[i]->index] = passes_mark(j);
	if (!rc)
		rc = passes_reach(j, low, INFINITY, &j->out->narrow, e);
	j->worst = j->out->narrow.run;
	mem_free(low);
	return rc;
}

static void note_effects(const struct narrow_job *j)
{
	size_t at = 0;

	for (size_t i = 0; i < j->out->n; i++) {
		struct narrow_row *r = &j->out->rows[i];

		while (at < j->n_able && j->able[at]->index < r->node->index)
			at++;
		if (at < j->n_able && j->able[at] == r->node) {
			r->effect = j->effect[at];
			r->together = j->together[at];
		}
	}
}

static int decide(struct narrow_job *j, struct err *e)
{
	struct narrow_result *r = j->out;
	double limit = j->o->target.limit;

	r->mixed = r->narrow;
	r->answer = !j->n_able                 ? NARROW_NOTHING
		    : r->wide.error > limit    ? NARROW_BEYOND
		    : r->narrow.error <= limit ? NARROW_ALL
					       : NARROW_SOME;
	return r->answer == NARROW_SOME ? sets_smallest(j, e) : 0;
}

int narrow_run(struct model *m, const struct narrow_data *data, const struct narrow_options *o,
	       struct narrow_result *out, struct err *e)
{
	struct narrow_result r = {.graph = m->graph, .o = *o, .n_data = data->n};
	struct narrow_job j = {.g = m->graph, .data = data, .o = o, .out = &r, .to = types[o->type].to};
	int rc = data->n ? ref_open(m, &j.ref, e) : err_set(e, ERR_INPUT, "no data to run the model on");

	if (!rc && o->type == NARROW_INT8)
		rc = int8_open(m->graph, &j.int8, e);
	if (!rc)
		rc = passes_make(&j, e);
	if (!rc)
		rc = reach_ends(&j, e);
	if (!rc)
		rc = effects_measure(&j, e);
	if (!rc)
		note_effects(&j);
	if (!rc)
		rc = decide(&j, e);
	r.runs = j.runs;
	release(&j);
	if (rc)
		narrow_result_release(&r);
	else
		*out = r;
	return rc;
}
