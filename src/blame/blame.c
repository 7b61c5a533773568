/* blame.c - asks the blamers that are wanted and merges what they say into one ranking.
 *
 * Evidence differs in what it is worth.  A node that alone, on right inputs, gives what rounding cannot explain is
 * guilty; a set of nodes that only together does so is guilty as a set; a difference that goes when a node is computed
 * by somebody else confirms either.  A high rate of change only says where to look: a correct layer may amplify what
 * an earlier one did.  The score is the sum of these weights, and within equal weights the size of the deviation. */
#include "blame/blame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/progress.h"
#include "blame/internal.h"

#define DEFAULT_SECONDS 60.0
#define HANG_SECONDS 5.0 /* what a part may take when the whole hangs */
#define MAX_SUSPECTS 32
#define WORDS 128 /* letters of a message */

#define BLAMER(name) extern const struct blamer blamer_##name;
#include "blame/blamers.def"
#undef BLAMER

static const struct blamer *const blamers[] = {
#define BLAMER(name) &blamer_##name,
#include "blame/blamers.def"
#undef BLAMER
};

const char *const blamer_names[] = {
#define BLAMER(name) #name,
#include "blame/blamers.def"
#undef BLAMER
	NULL,
};

/* ---- what blamers ask for ---------------------------------------------------------------------------------------- */

struct suspect *blaming_suspect(struct blaming *b, const struct node *n, struct err *e)
{
	struct blame *out = b->out;
	struct suspect *s;
	size_t i = 0;

	while (i < out->n && out->at[i].node != n)
		i++;
	if (i == out->n) {
		s = mem_resize(out->at, (out->n + 1) * sizeof *s);
		if (!s) {
			err_nomem(e, "suspects", (out->n + 1) * sizeof *s);
			return NULL;
		}
		out->at = s;
		out->at[out->n++] =
			(struct suspect){.node = n, .parameter = "", .rate = NAN, .delta = NAN, .noise_ratio = NAN};
	}
	if (b->map.n) {
		out->at[i].rate = b->map.at[n->index].rate;
		out->at[i].delta = b->map.at[n->index].delta;
	}
	out->at[i].blamers |= b->bit;
	return &out->at[i];
}

int blame_same_kind(enum verdict a, enum verdict b)
{
	int numbers_a = verdict_is_of_numbers(a), numbers_b = verdict_is_of_numbers(b);

	return numbers_a ? numbers_b : a == b;
}

int blaming_is_process(const struct blaming *b)
{
	return !blame_same_kind(b->r->outcome->verdict, VERDICT_WRONG);
}

double blaming_ratio(const struct outcome *o)
{
	return o->judged ? o->ratio : (double)NAN;
}

void blaming_tell(const struct blaming *b, const char *phase, const struct node *n)
{
	const struct node *origin = blame_origin(b->r->trial, n);

	if (origin)
		progress_phase(phase, (size_t)origin->index + 1, b->r->trial->model->graph->nodes.n, origin->name);
}

int blaming_is_over(struct blaming *b)
{
	int late = b->r->deadline > 0 && clock_now() >= b->r->deadline;

	if (b->out->seconds < b->budget && !late)
		return 0;
	json_object_set_new(b->said, "out_of_time", json_true());
	return 1;
}

static void count_time(struct blaming *b, const struct outcome *o)
{
	b->out->seconds += o->load_seconds + o->run_seconds;
	if (!o->values && !o->grads)
		b->out->seconds += o->report.seconds;
}

/* A part that assay itself cannot run says nothing about the library. */
static int is_own_limit(int rc)
{
	return rc == ERR_UNSUPPORTED || rc == ERR_INPUT || rc == ERR_LIMIT;
}

/* A part that is refused for another reason is another finding. */
static int says_the_same(const struct outcome *whole, const struct outcome *part)
{
	char a[WORDS], b[WORDS];

	outcome_words(whole, a, sizeof a);
	outcome_words(part, b, sizeof b);
	return words_alike(a, b);
}

int blaming_judge(struct blaming *b, struct trial *t, struct outcome *o, int *guilty, struct err *e)
{
	int rc = b->r->gradient ? trial_judge_gradients(t, b->party, &b->options, o, e)
				: trial_judge(t, b->party, &b->options, o, e);

	*guilty = 0;
	if (rc && is_own_limit(rc)) {
		err_clear(e);
		*o = (struct outcome){.verdict = VERDICT_UNSUPPORTED};
		return 0;
	}
	if (!rc && !b->r->gradient && !blaming_is_process(b)) { /* as the whole case was */
		rc = trial_doubt(t, &b->options, DOUBT_QUICK, o, e);
		if (!rc)
			rc = trial_explain(t, b->party, &b->options, o, e);
	}
	if (rc)
		return rc;
	count_time(b, o);
	*guilty = blame_same_kind(b->r->outcome->verdict, o->verdict) &&
		  (o->verdict != VERDICT_REJECTED || says_the_same(b->r->outcome, o));
	return 0;
}

int blaming_run(struct blaming *b, struct party *p, struct trial *t, struct outcome *o, struct err *e)
{
	struct judge_options only_run = {.no_truth = 1};
	int rc = trial_judge(t, p, &only_run, o, e);

	if (!rc)
		count_time(b, o);
	return rc;
}

const struct node *blame_origin(const struct trial *whole, const struct node *n)
{
	for (int i = 0; i < n->n_out; i++) {
		const struct wire *w = n->out[i] ? graph_wire(whole->model->graph, n->out[i]->name) : NULL;

		if (w && w->producer)
			return w->producer;
	}
	return NULL;
}

/* ---- ranking ----------------------------------------------------------------------------------------------------- */

/* From 0 to 1, growing with a ratio or rate of any size. */
static double squash(double x)
{
	double size;

	if (isnan(x) || x <= 0)
		return 0;
	if (isinf(x))
		return 1;
	size = log10(1 + x);
	return size / (1 + size);
}

static double score_of(const struct suspect *s)
{
	double score = s->score; /* WEIGHT_…, 0: a high rate only */

	score += s->effect == SWAP_GOES ? 3 : s->effect == SWAP_STAYS ? -1 : 0;
	return score + squash(s->noise_ratio) + 0.5 * squash(s->rate);
}

static int by_score(const void *a, const void *b)
{
	const struct suspect *x = a, *y = b;

	if (x->score > y->score || x->score < y->score)
		return x->score > y->score ? -1 : 1;
	return x->node->index - y->node->index; /* the earlier one: what follows may only pass it on */
}

static void rank(struct blame *b)
{
	for (size_t i = 0; i < b->n; i++)
		b->at[i].score = score_of(&b->at[i]);
	if (b->n)
		qsort(b->at, b->n, sizeof *b->at, by_score);
	if (b->n > MAX_SUSPECTS)
		b->n = MAX_SUSPECTS;
	for (size_t i = 0; i < b->n; i++)
		b->at[i].rank = (int)i + 1;
}

static int note_read(struct wire *w, void *arg)
{
	char *reaches = arg;

	if (!w->graph->parent)
		reaches[w->id] = 1;
	return 0;
}

static int feeds(const struct node *n, const char *reaches)
{
	for (int i = 0; i < n->n_out; i++)
		if (n->out[i] && reaches[n->out[i]->id])
			return 1;
	return 0;
}

/* Drops nodes that no wrong output comes of: what they do is another thing. */
static int drop_innocent(struct blaming *b, struct err *e)
{
	const struct graph *g = b->r->trial->model->graph;
	const struct outcome *o = b->r->outcome;
	struct blame *out = b->out;
	size_t left = 0;
	char *reaches;

	if (b->r->gradient || !o->judged || o->n != g->outputs.n)
		return 0;
	reaches = mem_array(g->wires.n + 1, 1);
	if (!reaches)
		return err_nomem(e, "wires", g->wires.n);
	for (size_t i = 0; i < o->n; i++)
		if (verdict_is_finding(o->judged[i].verdict))
			note_read(g->outputs.at[i], reaches);
	for (size_t i = g->nodes.n; i-- > 0;)
		if (feeds(g->nodes.at[i], reaches))
			node_for_each_read(g->nodes.at[i], note_read, reaches);
	for (size_t i = 0; i < out->n; i++)
		if (feeds(out->at[i].node, reaches))
			out->at[left++] = out->at[i];
	out->n = left;
	mem_free(reaches);
	return 0;
}

/* ---- running ----------------------------------------------------------------------------------------------------- */

static const char *usual_blamers(const struct blaming *b)
{
	if (b->r->gradient || blaming_is_process(b))
		return "isolated";
	return "map,isolated,swap";
}

static int names_blamer(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = list; (p = strstr(p, name)); p += n)
		if ((p == list || p[-1] == ',') && (p[n] == ',' || !p[n]))
			return 1;
	return 0;
}

static int check_list(const char *list, struct err *e)
{
	for (const char *p = list; *p;) {
		size_t n = strcspn(p, ","), i = 0;

		while (blamer_names[i] && (strlen(blamer_names[i]) != n || strncmp(blamer_names[i], p, n) != 0))
			i++;
		if (!blamer_names[i])
			return err_set(e, ERR_USAGE, "no blamer '%.*s'", (int)n, p);
		p += n + (p[n] == ',');
	}
	return 0;
}

/* One blamer's failure for a reason of the case (an operator that the reference lacks, say) leaves the others. */
static int ask(struct blaming *b, size_t row, json_t *all, struct err *e)
{
	int rc;

	b->said = json_object();
	b->bit = 1u << row;
	rc = blamers[row]->run(b, e);
	if (rc && is_own_limit(rc)) {
		json_object_set_new(b->said, "failed", json_text(e->msg));
		err_clear(e);
		rc = 0;
	}
	json_object_set_new(all, blamer_names[row], b->said);
	return rc;
}

static int open_impatient(struct blaming *b, struct err *e)
{
	struct worker_limits limits = b->r->accused->limits;
	int rc;

	if (b->r->outcome->verdict != VERDICT_HANG)
		return 0;
	if (!(limits.run_seconds > 0) || limits.run_seconds > HANG_SECONDS)
		limits.run_seconds = HANG_SECONDS;
	rc = party_open_spec(&b->impatient, &b->r->accused->spec, &limits, e);
	if (!rc)
		b->party = &b->impatient;
	return rc;
}

int blaming_begin(struct blaming *b, const struct blame_request *r, struct blame *out, struct err *e)
{
	*b = (struct blaming){.r = r, .out = out, .party = r->accused};
	b->budget = r->seconds > 0 ? r->seconds : clock_patience(DEFAULT_SECONDS);
	if (r->options)
		b->options = *r->options;
	b->options.no_truth = blaming_is_process(b);
	return open_impatient(b, e);
}

void blaming_end(struct blaming *b)
{
	blame_map_release(&b->map);
	party_close(&b->impatient);
}

/* The node that breaks a rule of ONNX: the reference names it. */
static const struct node *broken_node(const struct trial *t)
{
	const struct graph *g = t->model->graph;
	char begins[256];

	for (size_t i = 0; t->invalid && i < g->nodes.n; i++) {
		snprintf(begins, sizeof begins, "node '%.200s' (", g->nodes.at[i]->name);
		if (strstr(t->why.msg, begins))
			return g->nodes.at[i];
	}
	return NULL;
}

/* What breaks a rule is to blame, whatever the library does with it. */
static int blame_broken(const struct blame_request *r, const struct node *n, struct blame *out, struct err *e)
{
	struct blame made = {0};
	struct blaming b = {.r = r, .out = &made};
	struct suspect *s = blaming_suspect(&b, n, e);
	json_t *said = json_pack("{s:{s:s, s:s}}", "rule", "node", n->name, "why", r->trial->why.msg);
	int rc = s ? 0 : e->code;

	if (!rc) {
		rank(&made);
		made.evidence = said ? blame_dump(said) : NULL;
		rc = made.evidence ? 0 : err_nomem(e, "evidence", 0);
	}
	json_decref(said);
	if (rc)
		blame_release(&made);
	else
		*out = made;
	return rc;
}

int blame_run(const struct blame_request *r, struct blame *out, struct err *e)
{
	const struct node *broken = verdict_is_finding(r->outcome->verdict) ? broken_node(r->trial) : NULL;
	struct blame made = {0};
	struct blaming b;
	json_t *all;
	const char *wanted;
	int rc;

	if (broken)
		return blame_broken(r, broken, out, e);
	if (!verdict_is_finding(r->outcome->verdict) || r->outcome->verdict == VERDICT_ACCEPTED)
		return err_set(e, ERR_INPUT, "there is nobody to blame for the verdict '%s'",
			       verdict_name(r->outcome->verdict));
	rc = blaming_begin(&b, r, &made, e);
	wanted = r->blamers ? r->blamers : usual_blamers(&b);
	if (!rc)
		rc = check_list(wanted, e);
	all = json_object();
	for (size_t i = 0; blamer_names[i] && !rc; i++)
		if (names_blamer(wanted, blamer_names[i]))
			rc = ask(&b, i, all, e);
	if (!rc)
		rc = drop_innocent(&b, e);
	if (!rc) {
		rank(&made);
		made.evidence = blame_dump(all);
		if (!made.evidence)
			rc = err_nomem(e, "evidence", 0);
	}
	json_decref(all);
	blaming_end(&b);
	if (rc)
		blame_release(&made);
	else
		*out = made;
	return rc;
}

void blame_release(struct blame *b)
{
	mem_free(b->at);
	mem_free(b->evidence);
	arena_release(&b->texts);
	*b = (struct blame){0};
}

const struct suspect *blame_next_together(const struct blame *b, int at)
{
	const struct suspect *next = NULL;

	for (size_t i = 0; i < b->n; i++)
		if (b->at[i].together && b->at[i].node->index > at &&
		    (!next || b->at[i].node->index < next->node->index))
			next = &b->at[i];
	return next;
}
