/* report_store.c - a program that fills a store for tests of reports: report_store FILE
 * [plain|hostile|empty|deep|many|large]
 *
 * plain     libraries, operators and kinds in a realistic mixture, two campaigns with curves
 * hostile   names that try to break out of whatever they are written into
 * empty     a store without anything in it
 * deep      one finding in a network of 1,101 nodes, and a run with counts
 * many      310 findings, each a cluster of its own, of small networks
 * large     5,000 findings, each a cluster of its own
 *
 * The same bytes of reports come from it every time: no clock, no randomness. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "model/model.h"
#include "store/store.h"
#include "tensor/io.h"

#define BLOCKS 8 /* of a network, five nodes each */
#define MANY 310
#define LARGE 5000
#define EPOCH 1772366400.0 /* 2026-03-01 12:00 UTC */
#define HOSTILE "</script></style><img src=x onerror=boom()>\"'&\x01\x1b[31m\xff\xe2\x80\xae"

static void must(int rc, const struct err *e)
{
	if (rc) {
		fprintf(stderr, "report_store: %s\n", e->msg);
		exit(1);
	}
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

struct builder {
	struct model *m;
	struct arena arena;
	int n;
};

static struct wire *add(struct builder *b, const char *op, struct wire *x, struct wire *y)
{
	struct wire *in[] = {x, y};
	const char *out = arena_printf(&b->arena, "%s_%d_out", op, b->n++);
	struct node *node;
	struct err e = ERR_INIT;

	must(graph_append_node(b->m->graph, op, in, y ? 2 : 1, out, &node, &e), &e);
	return node->out[0];
}

static struct wire *weight(struct builder *b, int64_t out, int64_t in)
{
	struct err e = ERR_INIT;
	struct tensor *t = tensor_zeros(DT_FLOAT, 4, (int64_t[]){out, in, 3, 3}, &e), *packed;
	struct wire *w;

	must(t ? 0 : ERR_MEMORY, &e);
	packed = tensor_pack(t, &e);
	must(packed ? 0 : ERR_MEMORY, &e);
	tensor_unref(t);
	must(graph_add_init(b->m->graph, arena_printf(&b->arena, "weight_%d", b->n++), packed, &w, &e), &e);
	return w;
}

static struct builder begin(const char *input, struct wire **x)
{
	struct builder b = {.arena = ARENA_INIT};
	struct type t = TYPE_INIT;
	struct err e = ERR_INIT;

	must(model_new(17, &b.m, &e), &e);
	type_set(&t, DT_FLOAT, 4, (int64_t[]){1, 3, 8, 8});
	must(graph_add_input(b.m->graph, input, &t, x, &e), &e);
	return b;
}

static struct bytes end(struct builder *b, struct wire *y, struct buf *out)
{
	struct err e = ERR_INIT;

	buf_init(out, 1 << 24);
	must(graph_add_output(b->m->graph, y, &e), &e);
	must(model_serialize(b->m, out, &e), &e);
	model_free(b->m);
	arena_release(&b->arena);
	return (struct bytes){out->data, out->len};
}

/* Convolutions with a way around every other pair of them. */
static struct bytes network(int blocks, struct buf *out)
{
	struct wire *x;
	struct builder b = begin("image", &x);

	for (int i = 0; i < blocks; i++) {
		struct wire *before = x;

		x = add(&b, "Relu", add(&b, "Conv", x, weight(&b, 3, 3)), NULL);
		x = add(&b, "Conv", x, weight(&b, 3, 3));
		x = add(&b, "Relu", add(&b, "Add", x, before), NULL);
	}
	return end(&b, add(&b, "GlobalAveragePool", x, NULL), out);
}

static struct bytes small(const char *op, const char *name, struct buf *out)
{
	struct wire *x;
	struct builder b = begin(name, &x);
	struct err e = ERR_INIT;
	struct node *n;

	x = add(&b, op, x, strcmp(op, "Conv") ? NULL : weight(&b, 4, 3));
	n = x->producer;
	must(node_set_ints(n, "kernel_shape", (int64_t[]){3, 3}, 2, &e), &e);
	must(node_set_int(n, "ceil_mode", 1, &e), &e);
	must(node_set_string(n, "auto_pad", "SAME_LOWER", &e), &e);
	return end(&b, x, out);
}

/* ---- findings ---------------------------------------------------------------------------------------------------- */

struct row {
	const char *library, *backend, *version, *op, *since, *until, *method, *detail, *guilty;
	enum verdict verdict;
	double ratio;
	int count, nodes, original;
};

static const struct row rows[] = {
	{"onnxruntime", "ort", "1.20.1", "AveragePool", "1.17.0", "1.22.0", "fuzz",
	 "element 3 of output 'y' is 0.875 where 1.1667 is right: padding is counted", "optimizer NchwcTransformer",
	 VERDICT_WRONG, 412345, 23, 1, 41},
	{"onnxruntime", "ort", "1.20.1", "Resize", "1.19.0", "", "equiv",
	 "element 0 of output 'y' is 2.5 where 2.25 is right", "", VERDICT_WRONG, 88.1, 4, 1, 1},
	{"onnxruntime", "ort", "1.17.3", "Conv", "", "1.18.0", "search",
	 "the worker ended with signal 8 (SIGFPE) on a dimension of size 0", "", VERDICT_CRASH, INFINITY, 3, 2, 60},
	{"openvino", "openvino", "2024.6.0", "Conv", "2024.3.0", "", "check",
	 "element 17 of output 'y' is -4.03 where 1.62 is right: auto_pad puts the odd column on the wrong side", "",
	 VERDICT_WRONG, 9.1e6, 12, 1, 61},
	{"openvino", "openvino", "2024.6.0", "Softmax", "", "", "fuzz", "output 'y' has 4 NaN where numbers are right",
	 "precision hint f16", VERDICT_NAN, INFINITY, 2, 1, 33},
	{"openvino", "openvino", "2024.6.0", "Loop", "", "", "fuzz",
	 "a valid model is refused: \"Check 'is_dynamic' failed\"", "", VERDICT_REJECTED, INFINITY, 9, 3, 18},
	{"tract", "tract", "0.21.7", "Gather", "0.20.0", "", "swap",
	 "element 1 of output 'y' is 0 where 7 is right: a negative index wraps once only", "", VERDICT_WRONG, INFINITY,
	 5, 1, 12},
	{"tract", "tract", "0.21.7", "Conv", "", "", "fuzz", "no answer within 10 s on a stride of 2^20", "",
	 VERDICT_HANG, INFINITY, 1, 1, 7},
	{"tensorflow", "tf", "2.16.1", "LSTM", "2.12.0", "2.17.0", "check",
	 "element 5 of output 'Y_h' is 0.131 where 0.127 is right: hard sigmoid instead of sigmoid", "XLA",
	 VERDICT_WRONG, 31200, 7, 1, 24},
	{"tensorflow", "tf", "2.16.1", "AveragePool", "", "", "fuzz", "needs 31 GiB for a window of 2^15", "",
	 VERDICT_OOM, INFINITY, 1, 1, 3},
	{"mxnet", "mxnet", "1.9.1", "BatchNormalization", "1.5.0", "", "search",
	 "element 2 of output 'y' is 1.002 where 0.997 is right: epsilon stands outside of the root", "", VERDICT_WRONG,
	 512.4, 16, 1, 60},
	{"mxnet", "mxnet", "1.9.1", "Slice", "", "", "equiv", "an invalid model is run: steps has a 0", "",
	 VERDICT_ACCEPTED, INFINITY, 2, 1, 4},
};

#define PLAIN ((int)(sizeof rows / sizeof *rows))

/* {"guilty": …, "numbers": {…}, "map": […]} of a network of `blocks` blocks, the guilty node near its middle. */
static void put_evidence(struct buf *b, const struct row *r, int blocks)
{
	int n = 0, guilty = blocks / 2;

	buf_printf(b,
		   "{\"guilty\":\"%s\",\"numbers\":{\"output\":\"y\",\"element\":3,\"exact\":1.1667,\"got\":0.875,"
		   "\"noise_ratio\":9,\"beyond\":4},\"reduced_came\":[{\"name\":\"y\",\"type\":\"float32[2,3]\","
		   "\"first\":0,\"values\":[0.5,\"nan\",1],\"more\":true}],\"map\":[",
		   r->guilty);
	for (int i = 0; i < blocks; i++) {
		static const char *const ops[] = {"Conv", "Relu", "Conv", "Add", "Relu"};

		for (int k = 0; k < 5; k++, n++)
			buf_printf(b, "%s{\"node\":\"%s_%d\",\"rate\":%g,\"delta\":%g,\"noise_ratio\":%g}",
				   n ? "," : "", ops[k], n,
				   i < guilty              ? 0.01 * k
				   : i == guilty && k == 0 ? 41000.0
							   : 0.3 + 2.0 / (n - 5 * guilty + 1),
				   i < guilty ? 1e-8 * n : 0.04 + 0.001 * n,
				   i < guilty       ? 1.5
				   : r->ratio > 1e9 ? 1e5
						    : r->ratio);
	}
	buf_puts(b, "]}");
}

static struct finding make_finding(const struct row *r, int64_t campaign, double time)
{
	struct finding f = {.campaign = campaign, .method = r->method, .library = r->library, .version = r->version};

	f.verdict = r->verdict;
	f.op = r->op;
	f.noise_ratio = r->ratio;
	f.detail = r->detail;
	f.node = f.parameter = "";
	f.seed = 7;
	f.nodes = r->nodes;
	f.original_nodes = r->original;
	f.since = r->since;
	f.until = r->until;
	f.time = time;
	return f;
}

/* An .npz with one tensor of a few numbers. */
static struct bytes numbers(const char *name, double step, struct buf *out)
{
	struct tensor_set set = TENSOR_SET_INIT;
	struct err e = ERR_INIT;
	struct tensor *t = tensor_zeros(DT_FLOAT, 2, (int64_t[]){2, 3}, &e);

	must(t ? 0 : ERR_MEMORY, &e);
	for (size_t i = 0; i < t->count; i++)
		t->f[i] = step * (double)(i + 1);
	must(tensor_set_add(&set, name, t, &e), &e);
	buf_init(out, 1 << 20);
	must(npz_write(&set, out, &e), &e);
	tensor_set_release(&set);
	return (struct bytes){out->data, out->len};
}

static void add_row(struct store *s, const struct row *r, int64_t campaign, int number, int blocks)
{
	char signature[160], backend[64], command[160];
	struct buf evidence, original, reduced, inputs, expected;
	struct err e = ERR_INIT;
	int64_t first = 0;

	buf_init(&evidence, 1 << 20);
	put_evidence(&evidence, r, blocks);
	snprintf(signature, sizeof signature, number < PLAIN ? "%s/%s/%s/f32,4d" : "%s/%s/%s/f32,4d,%d", r->library,
		 r->op, verdict_name(r->verdict), number);
	snprintf(command, sizeof command, "assay %s -b %s@%s --seed 7 --time 600s", r->method, r->backend, r->version);
	for (int i = 0; i < r->count; i++) {
		struct finding f = make_finding(r, campaign, EPOCH + 3600.0 * number + 60.0 * i);

		snprintf(backend, sizeof backend, i % 3 == 2 ? "%s@%s:O0" : "%s@%s", r->backend, r->version);
		f.backend = backend;
		f.signature = signature;
		f.evidence = evidence.data;
		f.command = command;
		f.nodes += i % 4;
		f.noise_ratio /= 1 + i;
		f.model = network(blocks, &original);
		f.reduced_model = small(r->op, "x", &reduced);
		f.reduced_inputs = numbers("x", 0.25, &inputs);
		f.reduced_expected = numbers("y", 1.0 / 3, &expected);
		f.cluster = (int)first;
		must(store_add(s, &f, &e), &e);
		if (!i) {
			first = f.id;
			f.cluster = (int)first;
			must(store_update(s, &f, &e), &e);
		}
		buf_release(&original);
		buf_release(&reduced);
		buf_release(&inputs);
		buf_release(&expected);
	}
	buf_release(&evidence);
}

static int64_t add_campaign(struct store *s, const char *method, const char *command, int done)
{
	static const char *const coverage[] = {"coverage.otc", "coverage.idc", "coverage.odc", "coverage.spc"};
	const struct campaign_key key = {
		.method = method, .command = command, .backends = "ort@1.20.1,openvino@2024.6.0", .seed = 7};
	struct campaign c;
	struct err e = ERR_INIT;
	int64_t id;

	must(store_campaign_open(s, &key, 0, &c, &e), &e);
	id = c.id;
	c.started = EPOCH;
	c.seconds = 600;
	c.cases = 48210;
	c.done = done;
	must(store_campaign_save(s, &c, &e), &e);
	campaign_release(&c);
	for (int t = 0; t <= 600; t += 10) {
		for (int k = 0; k < 4; k++)
			must(store_points(s, id, t,
					  &(struct store_point){coverage[k],
								(1 - exp(-t / (60.0 + 70 * k))) * (0.95 - 0.12 * k)},
					  1, &e),
			     &e);
		must(store_points(
			     s, id, t,
			     &(struct store_point){"cases per second", 80 + 6 * sin(t / 40.0) - 10 * exp(-t / 50.0)}, 1,
			     &e),
		     &e);
		must(store_points(s, id, t, &(struct store_point){"findings", floor(26 * (1 - exp(-t / 200.0)))}, 1,
				  &e),
		     &e);
	}
	return id;
}

static void add_hostile(struct store *s)
{
	struct row r = {HOSTILE, "ort", HOSTILE,       HOSTILE, HOSTILE, HOSTILE, HOSTILE,
			HOSTILE, "",    VERDICT_WRONG, 99,      1,       1,       2};
	struct finding f = make_finding(&r, 0, EPOCH);
	struct buf model;
	struct err e = ERR_INIT;

	f.backend = f.signature = f.command = f.node = f.parameter = HOSTILE;
	f.evidence = "{\"guilty\": \"</script><script>boom()</script>\", \"</dt>\": \"\\u0000<b>\", \"map\": "
		     "[{\"node\": 3}, 4], "
		     "\"numbers\": {\"output\": \"</dd><script>boom()</script>\", \"got\": \"nan\", \"exact\": []}}";
	f.model = small("MaxPool", "</svg><script>boom()</script>\"", &model);
	must(store_add(s, &f, &e), &e);
	buf_release(&model);
	f.evidence = "no JSON at all </pre>";
	f.signature = "another";
	f.model = (struct bytes){"<svg onload=boom()>", 19};
	must(store_add(s, &f, &e), &e);
	add_campaign(s, HOSTILE, HOSTILE, 0);
}

/* Each a bug of its own, as if no two had anything in common. */
static void add_many(struct store *s, int n, int blocks)
{
	for (int i = 0; i < n; i++) {
		struct row r = rows[i % PLAIN];

		r.count = 1;
		r.ratio = r.ratio / (1 + i);
		add_row(s, &r, 0, i, blocks);
	}
}

/* What a run gave a backend; the second was judged on nothing. */
static void add_tallies(struct store *s)
{
	int64_t run = add_campaign(s, "check", "assay check resnet.onnx -b tract,ort", 1);
	struct store_tally t = {.campaign = run, .method = "check", .model = "resnet.onnx", .verdict = "", .note = ""};
	struct err e = ERR_INIT;

	t.backend = "tract@0.21.7";
	t.tally = (struct tally){.given = 250, .ran = 240, .judged = 238, .vacuous = 2, .unsupported = 10};
	must(store_set_tally(s, &t, &e), &e);
	t.backend = "ort@1.20.1";
	t.tally = (struct tally){.given = 250, .unsupported = 250};
	must(store_set_tally(s, &t, &e), &e);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[2] : "plain";
	struct store *s;
	struct err e = ERR_INIT;

	if (argc < 2)
		return 2;
	must(store_open(argv[1], 1, &s, &e), &e);
	if (!strcmp(what, "plain")) {
		int64_t fuzz =
			add_campaign(s, "fuzz", "assay fuzz -b ort@1.20.1,openvino@2024.6.0 --time 600s --seed 7", 1);

		add_campaign(s, "search", "assay search resnet.onnx -b ort@1.20.1,openvino@2024.6.0 --seed 7", 0);
		for (int i = 0; i < PLAIN; i++)
			add_row(s, &rows[i], fuzz, i, BLOCKS);
	} else if (!strcmp(what, "deep")) {
		add_row(s, &rows[7], 0, 0, 220);
		add_tallies(s);
	} else if (!strcmp(what, "many")) {
		add_many(s, MANY, 1);
	} else if (!strcmp(what, "large")) {
		add_many(s, LARGE, BLOCKS);
	} else if (!strcmp(what, "hostile")) {
		add_hostile(s);
	}
	store_close(s);
	return 0;
}
