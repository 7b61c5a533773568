/* make_store.c - writes a small store of findings, the same on every run, for tests of the command line.
 *
 *     make_store FILE          five findings in three clusters and a campaign
 *     make_store FILE other    one finding that shows on every machine: a planted defect */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge/trial.h"
#include "model/case.h"
#include "triage/triage.h"

#define NEW_YEAR 1767225600.0 /* 2026-01-01 00:00 UTC */
#define MAX_BYTES (1 << 20)

static void check(int rc, const struct err *e)
{
	if (rc) {
		fprintf(stderr, "make_store: %s\n", e->msg);
		exit(1);
	}
}

static void add(struct store *s, struct finding f, const char *original, const char *reduced)
{
	const char *lines[2] = {original, reduced};
	struct bytes *to[2][3] = {{&f.model, &f.inputs, &f.expected},
				  {&f.reduced_model, &f.reduced_inputs, &f.reduced_expected}};
	struct err e = ERR_INIT;
	struct buf b[2][3];

	for (int i = 0; i < 2; i++) {
		struct op_case c;
		struct trial t;

		for (int k = 0; k < 3; k++)
			buf_init(&b[i][k], MAX_BYTES);
		if (!lines[i])
			continue;
		check(case_parse(lines[i], 1, &c, &e), &e);
		check(trial_init(&t, c.model, c.inputs, 1, &e), &e);
		check(buf_add(&b[i][0], t.bytes.data, t.bytes.len), &e);
		check(trial_inputs_npz(&t, &b[i][1], &e), &e);
		check(trial_expected_npz(&t, &b[i][2], &e), &e);
		for (int k = 0; k < 3; k++)
			*to[i][k] = (struct bytes){b[i][k].data, b[i][k].len};
		trial_release(&t);
	}
	check(store_add(s, &f, &e), &e);
	for (int i = 0; i < 6; i++)
		buf_release(&b[i / 3][i % 3]);
}

static const char evidence[] =
	"{\"blame\": {\"isolated\": {\"alone\": [{\"node\": \"AveragePool_0\", \"op\": \"AveragePool\", \"verdict\": "
	"\"wrong\", \"noise_ratio\": 1673.2, \"reason\": \"\", \"parameters\": [{\"parameter\": \"ceil_mode\", "
	"\"result\": \"gone\", \"verdict\": \"agree\"}]}]}, \"swap\": {\"swapped\": [{\"nodes\": [\"AveragePool_0\"], "
	"\"difference\": \"gone\"}]}, \"map\": {\"top\": [{\"node\": \"AveragePool_0\", \"op\": \"AveragePool\", "
	"\"rate\": 31.25, \"delta\": 0.004, \"noise_ratio\": 1673.2}], \"exposing_hides\": true}}, "
	"\"reduced_numbers\": {\"output\": \"y0\", \"element\": 3, \"exact\": 9, \"got\": 2.25, \"noise_ratio\": "
	"1673.2, \"beyond\": 1}, \"reduce\": {\"guilty\": \"optimizer PoolFusion\"}}";

#define POOL "AveragePool-10 f32{1,2,3,4,5,6,7,8,9}[1,1,3,3] kernel_shape=[2,2] strides=[2,2] ceil_mode=1"
#define POOL_PADS "AveragePool-10 f32[1,1,7,7] kernel_shape=[2,2] strides=[2,2] ceil_mode=1 pads=[0,1,1,0]"

static const struct finding pool = {
	.method = "fuzz",
	.backend = "toy@1.2.0:fast",
	.library = "toylib",
	.version = "1.2.0",
	.verdict = VERDICT_WRONG,
	.op = "AveragePool",
	.node = "AveragePool_0",
	.parameter = "ceil_mode",
	.noise_ratio = 1673.2,
	.signature = "toylib/AveragePool/wrong/f32.4d,ceil_mode=1,kernel_shape=n,strides=n",
	.detail = "output 'y0' differs by more than rounding explains",
	.evidence = evidence,
	.command = "assay fuzz -b toy@1.2.0:fast --seed 7 --time 60s",
	.seed = 7,
	.nodes = 1,
	.original_nodes = 30,
	.since = "1.1.0",
	.until = "1.3.0",
	.time = NEW_YEAR,
};

static void fill(struct store *s)
{
	const struct campaign_key key = {
		.method = "fuzz", .command = pool.command, .backends = "toy@1.2.0:fast", .seed = 7};
	struct finding f = pool;
	struct err e = ERR_INIT;
	struct campaign c;

	check(store_campaign_open(s, &key, 1, &c, &e), &e);
	f.campaign = c.id;
	campaign_release(&c);
	add(s, f, POOL, POOL);
	f.noise_ratio = 45.0;
	f.evidence = f.since = f.until = "";
	f.nodes = 3;
	add(s, f, POOL, NULL);
	f.signature = "toylib/AveragePool/wrong/f32.4d,ceil_mode=1,kernel_shape=n,pads=mixed,strides=n";
	f.nodes = 1;
	f.noise_ratio = 1e7;
	f.backend = "toy@1.2.1:fast";
	f.version = "1.2.1";
	add(s, f, POOL_PADS, POOL_PADS);

	f = (struct finding){
		.method = "check",
		.backend = "other",
		.library = "otherlib",
		.version = "0.9",
		.verdict = VERDICT_CRASH,
		.noise_ratio = INFINITY,
		.signature = "otherlib/Relu/crash/f32.2d",
		.detail = "crash (signal 11)",
		.evidence = "{\"blame\": {\"failed\": \"the library crashed again\"}, \"map\": [1, null], \"swap\": 3}",
		.command = "assay check m.onnx -b other",
		.nodes = 1,
		.original_nodes = 1,
		.time = NEW_YEAR + 3600,
	};
	add(s, f, "Relu-14 f32[2,3]", NULL);
	f.verdict = VERDICT_WRONG;
	f.gradient = 1;
	f.noise_ratio = INFINITY;
	f.op = "Einsum";
	f.node = "e\x1b[31m"; /* a name that a terminal would obey */
	f.method = "swap";
	f.signature = "otherlib/Einsum/wrong-gradient/f32.2d*";
	f.detail = "the gradient of 'x' has other values";
	add(s, f, "Einsum-12 f32[2,3] f32[3,2] equation=\"ij,jk->ik\"", NULL);
	check(cluster_all(s, NULL, &e), &e);
}

int main(int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct store *s;

	if (argc < 2) {
		fprintf(stderr, "usage: make_store FILE [other]\n");
		return 2;
	}
	check(store_open(argv[1], 1, &s, &e), &e);
	if (argc > 2) {
		struct finding f = pool;

		f.backend = "fault:relu6";
		f.library = "assay";
		f.op = "Relu";
		f.node = "Relu_0";
		f.parameter = f.since = f.until = "";
		f.signature = "fault:relu6/Relu/wrong/f32.1d";
		add(s, f, "Relu-14 f32[4]@7:9", NULL);
	} else {
		fill(s);
	}
	store_close(s);
	return 0;
}
