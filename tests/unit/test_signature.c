/* test_signature.c - signatures: the same for cases that differ in names, sizes and order, others for other cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "model/case.h"
#include "ops/op.h"
#include "triage/triage.h"

static struct party ort = {.spec = {.name = (char *)"ort@1.20.1:O99",
				    .backend = (char *)"ort",
				    .library = (char *)"onnxruntime",
				    .version = (char *)"1.20.1"}};

#define MAX_SHOWN 512

static const char *sign(const struct party *p, const struct model *m, const struct node *blamed, enum verdict v,
			int gradient, char *out)
{
	struct err e = ERR_INIT;
	struct buf b;

	buf_init(&b, MAX_SHOWN);
	if (signature_make(&p->spec, m, blamed, v, gradient, &b, &e))
		fail_msg("%s", e.msg);
	snprintf(out, MAX_SHOWN, "%s", b.data);
	buf_release(&b);
	return out;
}

/* Of the single node of an operator case. */
static const char *sign_case(const char *line, char *out)
{
	struct op_case c;
	struct err e = ERR_INIT;

	if (case_parse(line, 1, &c, &e))
		fail_msg("%s: %s", line, e.msg);
	sign(&ort, c.model, c.model->graph->nodes.at[0], VERDICT_WRONG, 0, out);
	case_release(&c);
	return out;
}

static void assert_signature(const char *line, const char *wanted)
{
	char got[MAX_SHOWN];

	assert_string_equal(sign_case(line, got), wanted);
}

static void assert_differ(const char *a, const char *b)
{
	char x[MAX_SHOWN], y[MAX_SHOWN];

	assert_string_not_equal(sign_case(a, x), sign_case(b, y));
}

static void test_form(void **state)
{
	(void)state;
	assert_signature("AveragePool-10 f32[1,2,5,5] kernel_shape=[2,2] ceil_mode=1",
			 "onnxruntime/AveragePool/wrong/f32.4d,ceil_mode=1,kernel_shape=n");
	assert_signature("Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3] pads=[1,0,0,1]",
			 "onnxruntime/Conv/wrong/f32.4d,f32.4d,f32.1d,pads=mixed");
	assert_signature("Cast-13 f32[2] to=10", "onnxruntime/Cast/wrong/f32.1d,to=f16");
	assert_signature("Concat-13 f32[2,2] f32[2,3] f32[2,1] axis=1", "onnxruntime/Concat/wrong/f32.2d*,axis=1");
	assert_signature("Softmax-13 f32[2,3] axis=0", "onnxruntime/Softmax/wrong/f32.2d,axis=0");
}

/* Sizes show only as none, one and many; the order of attributes and what equals a default do not show. */
static void test_alike(void **state)
{
	char a[MAX_SHOWN], b[MAX_SHOWN];

	(void)state;
	sign_case("AveragePool-10 f32[1,2,5,5] kernel_shape=[2,2] ceil_mode=1 strides=[3,3]", a);
	assert_string_equal(a,
			    sign_case("AveragePool-10 f32[4,3,9,8] strides=[2,2] ceil_mode=1 kernel_shape=[4,4]", b));
	sign_case("Conv-11 f32[1,2,5,5] f32[3,2,3,3]", a);
	assert_string_equal(
		a, sign_case("Conv-11 f32[1,2,5,5] f32[3,2,3,3] group=1 strides=[1,1] auto_pad=\"NOTSET\"", b));
	sign_case("Softmax-11 f32[2,3]", a);
	assert_string_equal(a, sign_case("Softmax-11 f32[2,3] axis=1", b));
	assert_string_equal(a, sign_case("Softmax-13 f32[2,3] axis=-1", b));
	sign_case("Concat-13 f32[2,2] f32[2,3] axis=1", a);
	assert_string_equal(a, sign_case("Concat-13 f32[2,2] f32[2,3] f32[2,9] f32[2,9] axis=1", b));
}

static void test_apart(void **state)
{
	(void)state;
	assert_differ("Relu-14 f32[2]", "Sigmoid-13 f32[2]");
	assert_differ("Relu-14 f32[2]", "Relu-14 f64[2]");
	assert_differ("Relu-14 f32[2]", "Relu-14 f32[2,2]");
	assert_differ("Relu-14 f32[2]", "Relu-14 f32[1]");
	assert_differ("Relu-14 f32[2]", "Relu-14 f32[0]");
	assert_differ("Softmax-13 f32[2,3] axis=-1", "Softmax-13 f32[2,3] axis=1");
	assert_differ("Softmax-13 f32[2,3] axis=1", "Softmax-11 f32[2,3] axis=1");
	assert_differ("Conv-11 f32[1,2,5,5] f32[2,1,3,3] group=2", "Conv-11 f32[1,2,5,5] f32[3,2,3,3]");
	assert_differ("Conv-11 f32[1,2,5,5] f32[3,2,3,3] pads=[1,1,1,1]",
		      "Conv-11 f32[1,2,5,5] f32[3,2,3,3] pads=[0,1,1,1]");
	assert_differ("Conv-11 f32[1,2,5,5] f32[3,2,3,3] f32[3]", "Conv-11 f32[1,2,5,5] f32[3,2,3,3]");
}

static struct node *add(struct graph *g, const char *op, const char *in, const char *out)
{
	struct wire *from = graph_wire(g, in);
	struct err e = ERR_INIT;
	struct node *n = NULL;

	if (graph_append_node(g, op, &from, 1, out, &n, &e))
		fail_msg("%s", e.msg);
	return n;
}

/* x → op → op → … → y, all wires and nodes named after `prefix`. */
static struct model *chain(const char *prefix, const char *const *ops)
{
	struct type t = TYPE_INIT;
	struct err e = ERR_INIT;
	struct model *m = NULL;
	char from[64], to[64];

	assert_int_equal(model_new(17, &m, &e), 0);
	type_set(&t, DT_FLOAT, 2, (int64_t[]){2, 3});
	snprintf(from, sizeof from, "%s_x", prefix);
	assert_int_equal(graph_add_input(m->graph, from, &t, NULL, &e), 0);
	for (int i = 0; ops[i]; i++) {
		snprintf(to, sizeof to, "%s_%d", prefix, i);
		add(m->graph, ops[i], from, to);
		snprintf(from, sizeof from, "%s", to);
	}
	assert_int_equal(graph_add_output(m->graph, graph_wire(m->graph, from), &e), 0);
	assert_int_equal(ops_bind(m, &e), 0);
	return m;
}

/* A node inside of a graph: its input's type is inferred, names do not matter. */
static void test_inside(void **state)
{
	struct model *a = chain("a", (const char *const[]){"Relu", "Softmax", "Neg", NULL});
	struct model *b = chain("other", (const char *const[]){"Neg", "Softmax", NULL});
	char x[MAX_SHOWN], y[MAX_SHOWN];

	(void)state;
	sign(&ort, a, a->graph->nodes.at[1], VERDICT_NAN, 0, x);
	assert_string_equal(x, "onnxruntime/Softmax/nan/f32.2d");
	assert_string_equal(x, sign(&ort, b, b->graph->nodes.at[1], VERDICT_NAN, 0, y));
	assert_string_equal(sign(&ort, a, a->graph->nodes.at[1], VERDICT_WRONG, 1, y),
			    "onnxruntime/Softmax/wrong-gradient/f32.2d");
	model_free(a);
	model_free(b);
}

static void test_no_blame(void **state)
{
	struct model *a = chain("a", (const char *const[]){"Relu", "Softmax", "Relu", NULL});
	struct model *b = chain("b", (const char *const[]){"Softmax", "Relu", NULL});
	char x[MAX_SHOWN], y[MAX_SHOWN];
	struct err e = ERR_INIT;

	(void)state;
	sign(&ort, a, NULL, VERDICT_CRASH, 0, x);
	assert_string_equal(x, "onnxruntime/Relu+Softmax/crash/f32.2d");
	assert_string_equal(x, sign(&ort, b, NULL, VERDICT_CRASH, 0, y));
	assert_int_equal(node_set_int(b->graph->nodes.at[0], "axis", 0, &e), 0);
	assert_string_equal(sign(&ort, b, NULL, VERDICT_CRASH, 0, y),
			    "onnxruntime/Relu+Softmax/crash/f32.2d,Softmax.axis=0");
	model_free(a);
	model_free(b);
}

/* Each planted defect counts as a library of its own. */
static void test_fault(void **state)
{
	struct party p = {
		.spec = {.name = (char *)"fault:relu6", .backend = (char *)"fault", .library = (char *)"assay"}};
	struct model *m = chain("a", (const char *const[]){"Relu", NULL});
	char x[MAX_SHOWN];

	(void)state;
	assert_string_equal(sign(&p, m, m->graph->nodes.at[0], VERDICT_WRONG, 0, x), "fault:relu6/Relu/wrong/f32.2d");
	model_free(m);
}

/* Hostile names neither break the form nor pass its length. */
static void test_hostile(void **state)
{
	char name[301], x[MAX_SHOWN], y[MAX_SHOWN];
	struct model *m, *other;
	int slashes = 0;

	(void)state;
	memset(name, 'a', 300);
	name[300] = '\0';
	name[7] = '/';
	m = chain("m", (const char *const[]){name, name, "Relu", "Neg", "Abs", NULL});
	other = chain("m", (const char *const[]){name, name, "Relu", "Neg", "Exp", NULL});
	sign(&ort, m, NULL, VERDICT_CRASH, 0, x);
	assert_true(strlen(x) <= 255);
	for (const char *p = x; *p; p++)
		slashes += *p == '/';
	assert_int_equal(slashes, 3);
	assert_string_not_equal(x, sign(&ort, other, NULL, VERDICT_CRASH, 0, y));
	model_free(m);
	model_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),    cmocka_unit_test(test_alike),    cmocka_unit_test(test_apart),
		cmocka_unit_test(test_inside),  cmocka_unit_test(test_no_blame), cmocka_unit_test(test_fault),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
