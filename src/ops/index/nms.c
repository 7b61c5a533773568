/* nms.c - NonMaxSuppression: of the boxes of each image and class, best score first, takes those that do not overlap
 * with one already taken by more than iou_threshold (intersection over union).
 *
 * Boxes with equal scores keep their order.  A box must score above score_threshold: the specification's text speaks of
 * those below it being removed, its reference implementation and libraries remove equal ones too. */
#include <math.h>
#include <stdlib.h>

#include "ops/call.h"
#include "ops/kit/domain.h"

enum { IN_BOXES, IN_SCORES, IN_MAX, IN_IOU, IN_SCORE };

static int check_dim(struct call *c, const char *what, int64_t have, int64_t want)
{
	if (have >= 0 && want >= 0 && have != want)
		return call_bad(c, "%s has size %lld, wanted %lld", what, (long long)have, (long long)want);
	return 0;
}

static int non_max_suppression_infer(struct call *c)
{
	const struct type *boxes = call_shape(c, IN_BOXES), *scores = call_shape(c, IN_SCORES);
	int64_t dims[2] = {DIM_UNKNOWN, 3}, format = attr_int(c->node, "center_point_box");
	int rc = 0;

	if (format != 0 && format != 1)
		return call_bad(c, "attribute 'center_point_box' is %lld, wanted 0 or 1", (long long)format);
	if ((boxes && boxes->rank != 3) || (scores && scores->rank != 3))
		return call_bad(c, "boxes and scores must have rank 3");
	if (boxes)
		rc = check_dim(c, "last axis of boxes", boxes->dims[2], 4);
	if (!rc && boxes && scores)
		rc = check_dim(c, "batch axis of scores", scores->dims[0], boxes->dims[0]);
	if (!rc && boxes && scores)
		rc = check_dim(c, "last axis of scores", scores->dims[2], boxes->dims[1]);
	if (rc)
		return rc;
	for (int i = IN_MAX; i <= IN_SCORE; i++)
		if (call_has(c, i) && c->in[i] && c->in[i]->count > 1)
			return call_bad(c, "input %d has %zu elements, wanted one", i, c->in[i]->count);
	call_out(c, 0, DT_INT64, 2, dims);
	return 0;
}

struct nms_box {
	double low[2], high[2];
};

static struct nms_box read_box(const double *b, int centred)
{
	struct nms_box out;

	for (int a = 0; a < 2; a++) {
		out.low[a] = centred ? b[a] - b[a + 2] / 2 : fmin(b[a], b[a + 2]);
		out.high[a] = centred ? b[a] + b[a + 2] / 2 : fmax(b[a], b[a + 2]);
	}
	return out;
}

static double area(const struct nms_box *b)
{
	return (b->high[0] - b->low[0]) * (b->high[1] - b->low[1]);
}

/* Intersection over union; 0 when they do not meet or one is empty. */
static double overlap(const struct nms_box *a, const struct nms_box *b)
{
	struct nms_box both;
	double common, all;

	for (int i = 0; i < 2; i++) {
		both.low[i] = fmax(a->low[i], b->low[i]);
		both.high[i] = fmin(a->high[i], b->high[i]);
		if (!(both.high[i] > both.low[i]))
			return 0;
	}
	common = area(&both);
	all = area(a) + area(b) - common;
	return common > 0 && all > 0 && area(a) > 0 && area(b) > 0 ? common / all : 0;
}

struct nms_candidate {
	double score;
	int64_t index;
};

static int better_first(const void *pa, const void *pb)
{
	const struct nms_candidate *a = pa, *b = pb;

	if (a->score != b->score && (a->score == a->score || b->score == b->score)) {
		if (a->score != a->score)
			return 1; /* what is no number comes last */
		if (b->score != b->score)
			return -1;
		return a->score > b->score ? -1 : 1;
	}
	return a->index < b->index ? -1 : a->index > b->index;
}

struct nms {
	size_t boxes;
	size_t most;
	double iou, score;
	int has_score;
	struct nms_candidate *list;
	struct nms_box *box;
};

/* Taken boxes of one class, at the front of n->list; returns how many. */
static size_t suppress(struct nms *n, const double *scores)
{
	size_t count = 0, taken = 0;

	for (size_t i = 0; i < n->boxes; i++)
		if (!n->has_score || scores[i] > n->score)
			n->list[count++] = (struct nms_candidate){scores[i], (int64_t)i};
	qsort(n->list, count, sizeof *n->list, better_first);
	for (size_t i = 0; i < count && taken < n->most; i++) {
		size_t k = 0;

		while (k < taken && !(overlap(&n->box[n->list[i].index], &n->box[n->list[k].index]) > n->iou))
			k++;
		if (k == taken)
			n->list[taken++] = n->list[i];
	}
	return taken;
}

static double number_or(const struct call *c, int i, double otherwise)
{
	return call_has(c, i) && c->in[i]->count ? tensor_get(c->in[i], 0) : otherwise;
}

static int prepare(struct call *c, struct nms *n)
{
	double most = number_or(c, IN_MAX, 0);

	n->boxes = (size_t)c->in[IN_BOXES]->dims[1];
	n->most = most > 0 ? most < (double)n->boxes ? (size_t)most : n->boxes : 0;
	n->iou = number_or(c, IN_IOU, 0);
	n->has_score = call_has(c, IN_SCORE) && c->in[IN_SCORE]->count;
	n->score = number_or(c, IN_SCORE, 0);
	n->list = call_scratch(c, n->boxes, sizeof *n->list);
	n->box = call_scratch(c, n->boxes, sizeof *n->box);
	return n->list && n->box ? 0 : ERR_MEMORY;
}

static int non_max_suppression_eval(struct call *c)
{
	const struct tensor *boxes = c->in[IN_BOXES], *scores = c->in[IN_SCORES];
	size_t classes = (size_t)scores->dims[1], batch = (size_t)boxes->dims[0], rows = 0;
	int centred = attr_int(c->node, "center_point_box") != 0;
	int64_t *found;
	struct tensor *out;
	struct nms n;
	int rc = prepare(c, &n);

	if (rc)
		return rc;
	found = call_scratch(c, batch * classes * n.most * 3, sizeof *found);
	if (!found)
		return ERR_MEMORY;
	for (size_t b = 0; b < batch; b++) {
		for (size_t i = 0; i < n.boxes; i++)
			n.box[i] = read_box(boxes->f + (b * n.boxes + i) * 4, centred);
		for (size_t k = 0; k < classes && n.most; k++) {
			size_t taken = suppress(&n, scores->f + (b * classes + k) * n.boxes);

			for (size_t i = 0; i < taken; i++, rows++) {
				found[3 * rows] = (int64_t)b;
				found[3 * rows + 1] = (int64_t)k;
				found[3 * rows + 2] = n.list[i].index;
			}
		}
	}
	out = call_alloc(c, 0, DT_INT64, 2, (int64_t[]){(int64_t)rows, 3});
	if (!out)
		return c->err->code;
	for (size_t i = 0; i < 3 * rows; i++)
		out->i[i] = found[i];
	return 0;
}

static const struct op_attr non_max_suppression_attrs[] = {OP_INT("center_point_box", 0), {0}};

const struct op op_non_max_suppression = {
	.undrawn = "rounding decides which boxes overlap",
	.rules = RULES(DOMAIN_NAN_IN),
	.in = {{"boxes", TM(DT_FLOAT), 0, 0},
	       {"scores", TM(DT_FLOAT), 0, 0},
	       {"max_output_boxes_per_class", T_I64, 0, PORT_OPTIONAL},
	       {"iou_threshold", TM(DT_FLOAT), 0, PORT_OPTIONAL | PORT_SETTING},
	       {"score_threshold", TM(DT_FLOAT), 0, PORT_OPTIONAL | PORT_SETTING}},
	.out = {{"selected_indices", T_I64, 0, 0}},
	.attrs = non_max_suppression_attrs,
	.flags = OP_OWN_OUTPUTS,
	.infer = non_max_suppression_infer,
	.eval = non_max_suppression_eval,
};
