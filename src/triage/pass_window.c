/* pass_window.c - the network by halves: a stretch of neighbouring nodes, fed with the reference's tensors.
 *
 * Of m nodes these windows are tried, the smallest first: the first half, the second, the middle one, then all but the
 * first or last quarter, eighth, … node.  When one shows the finding the search goes on inside it: 2 log2(m) tries or
 * fewer each time, and as many rounds as there are halvings, since a defect mostly sits in one place. */
#include "base/mem.h"
#include "triage/reduction.h"

#define MAX_WINDOWS 80

struct pass_windows {
	int *nodes; /* those that compute something, in order */
	size_t n;
	struct {
		size_t from, to;
	} at[MAX_WINDOWS];
	size_t count;
};

static void add_window(struct pass_windows *w, size_t from, size_t to)
{
	if (to <= from || to - from >= w->n || w->count == MAX_WINDOWS)
		return;
	w->at[w->count].from = from;
	w->at[w->count].to = to;
	w->count++;
}

static void list_windows(struct pass_windows *w)
{
	size_t half = (w->n + 1) / 2;

	w->count = 0;
	add_window(w, 0, half);
	add_window(w, w->n - half, w->n);
	if (w->n > 3)
		add_window(w, w->n / 4, w->n / 4 + half);
	for (size_t cut = w->n / 4; cut; cut /= 2) {
		add_window(w, cut, w->n);
		add_window(w, 0, w->n - cut);
	}
	if (w->n < 4 && w->n > 1) {
		add_window(w, 1, w->n);
		add_window(w, 0, w->n - 1);
	}
}

static int make_window(struct reduction *r, size_t i, void *arg, struct candidate *out, struct err *e)
{
	const struct pass_windows *w = arg;
	char *keep = mem_array(r->now.model->graph->nodes.n, 1);
	int rc;

	if (!keep)
		return err_nomem(e, "a window", r->now.model->graph->nodes.n);
	for (size_t k = w->at[i].from; k < w->at[i].to; k++)
		keep[w->nodes[k]] = 1;
	rc = part_extract(r, keep, 0, out, e);
	mem_free(keep);
	return rc;
}

static int run(struct reduction *r, struct err *e)
{
	enum reduce_step step = REDUCE_KEPT;

	while (step == REDUCE_KEPT) {
		struct pass_windows w = {0};
		int rc = part_list(r, &w.nodes, &w.n, e);

		if (rc)
			return rc;
		list_windows(&w);
		step = reduce_first(r, w.count, make_window, &w, e);
		mem_free(w.nodes);
		if (step == REDUCE_KEPT && pass_outputs.run(r, e)) /* a single output makes the next windows smaller */
			step = REDUCE_FAILED;
	}
	return step == REDUCE_FAILED ? e->code : 0;
}

const struct pass pass_window = {.summary = "keep a stretch of nodes, fed with the reference's tensors", .run = run};
