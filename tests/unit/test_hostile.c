/* test_hostile.c - models that lie: each is refused with a message that names the file and the culprit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "support/protos.h"
#include "support/same.h"

#define TENSOR ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR

static void cycle(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Neg", "q", "r");
	protos_node(b, p->graph, "Neg", "r", "q");
}

static void self_cycle(struct protos *b, Onnx__ModelProto *p)
{
	Onnx__GraphProto *g = protos_graph(b, "inner");

	protos_output(b, g, "q", NULL);
	protos_attr_graph(b, protos_node(b, p->graph, "If", "x", "q"), "then_branch", g);
}

static void undefined_input(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Neg", "nowhere", "q");
}

static void undefined_output(struct protos *b, Onnx__ModelProto *p)
{
	protos_output(b, p->graph, "nowhere", NULL);
}

static void inner_name(struct protos *b, Onnx__ModelProto *p)
{
	Onnx__GraphProto *g = protos_graph(b, "inner");

	protos_node(b, g, "Neg", "x", "hidden");
	protos_output(b, g, "hidden", NULL);
	protos_attr_graph(b, protos_node(b, p->graph, "If", "x", "q"), "then_branch", g);
	protos_node(b, p->graph, "Neg", "hidden", "r"); /* names of a subgraph are not seen outside */
}

static void twice_made(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Neg", "x", "y");
}

static void twice_in_one_node(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Split", "x", "q,q");
}

static void overwritten_input(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Neg", "x", "x");
}

static void overwritten_initializer(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Neg", "x", "w");
}

static void twice_input(struct protos *b, Onnx__ModelProto *p)
{
	protos_input(b, p->graph, "x", "2");
}

static void twice_initializer(struct protos *b, Onnx__ModelProto *p)
{
	protos_init_tensor(b, p->graph, "w", "2");
}

static void twice_output(struct protos *b, Onnx__ModelProto *p)
{
	protos_output(b, p->graph, "y", "2");
}

static void nameless_input(struct protos *b, Onnx__ModelProto *p)
{
	protos_input(b, p->graph, "", "2");
}

static void nameless_initializer(struct protos *b, Onnx__ModelProto *p)
{
	protos_init_tensor(b, p->graph, "", "2");
}

static void wrong_initializer(struct protos *b, Onnx__ModelProto *p)
{
	protos_input(b, p->graph, "v", "3");
	protos_init_tensor(b, p->graph, "v", "2");
}

static void short_data(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->graph->initializer[0]->raw_data.len = 7;
}

static void many_elements(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->graph->initializer[0]->dims[0] = INT64_C(1) << 40;
}

static void overflowing_dims(struct protos *b, Onnx__ModelProto *p)
{
	static int64_t dims[] = {INT64_C(1) << 32, INT64_C(1) << 32, 2};

	(void)b;
	p->graph->initializer[0]->n_dims = 3;
	p->graph->initializer[0]->dims = dims;
}

static void negative_dim(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->graph->initializer[0]->dims[0] = -2;
}

static void unknown_dtype(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->graph->initializer[0]->data_type = 99;
}

static void unknown_elem_type(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->graph->input[0]->type->tensor_type->elem_type = 99;
}

static void odd_dim(struct protos *b, Onnx__ModelProto *p)
{
	protos_input(b, p->graph, "v", "-5");
}

static void high_rank(struct protos *b, Onnx__ModelProto *p)
{
	protos_input(b, p->graph, "v", "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1");
}

static void no_opset(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->n_opset_import = 0;
}

static void unknown_domain(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Neg", "x", "q")->domain = "my.domain";
}

static void two_opsets(struct protos *b, Onnx__ModelProto *p)
{
	protos_import(b, p, "ai.onnx", 18);
}

static void negative_opset(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->opset_import[0]->version = -1;
}

static void no_ir_version(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->has_ir_version = 0;
}

static void future_ir_version(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->ir_version = 1000;
}

static void no_graph(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->graph = NULL;
}

static void no_op_type(struct protos *b, Onnx__ModelProto *p)
{
	(void)b;
	p->graph->node[0]->op_type = "";
}

static void bad_utf8(struct protos *b, Onnx__ModelProto *p)
{
	protos_node(b, p->graph, "Neg", "x", "\xc3(");
}

static void long_name(struct protos *b, Onnx__ModelProto *p)
{
	char *name = arena_zalloc(&b->arena, 100001);

	memset(name, 'n', 100000);
	protos_node(b, p->graph, "Neg", "x", "q")->name = name;
}

static void attribute_twice(struct protos *b, Onnx__ModelProto *p)
{
	protos_attr_int(b, p->graph->node[0], "k", 1);
	protos_attr_int(b, p->graph->node[0], "k", 1);
}

static void attribute_without_value(struct protos *b, Onnx__ModelProto *p)
{
	protos_attr(b, p->graph->node[0], "k", TENSOR);
}

static void attribute_of_no_type(struct protos *b, Onnx__ModelProto *p)
{
	protos_attr(b, p->graph->node[0], "k", 77);
}

static void attribute_without_name(struct protos *b, Onnx__ModelProto *p)
{
	protos_attr_int(b, p->graph->node[0], "", 1);
}

static void many_attributes(struct protos *b, Onnx__ModelProto *p)
{
	for (int i = 0; i < 1100; i++)
		protos_attr_int(b, p->graph->node[0], arena_printf(&b->arena, "a%d", i), 1);
}

static void many_symbols(struct protos *b, Onnx__ModelProto *p)
{
	char dims[256];

	for (int i = 0; i < 1200; i++) {
		int n = 0;

		for (int k = 0; k < 16; k++)
			n += snprintf(dims + n, sizeof dims - (size_t)n, "d%d_%d,", i, k);
		protos_input(b, p->graph, arena_printf(&b->arena, "in%d", i), dims);
	}
}

static void nest(struct protos *b, Onnx__ModelProto *p, int depth)
{
	Onnx__GraphProto *g = p->graph;

	for (int i = 0; i < depth; i++) {
		Onnx__GraphProto *inner = protos_graph(b, "inner");

		protos_attr_graph(b, protos_node(b, g, "If", "x", arena_printf(&b->arena, "n%d", i)), "then_branch",
				  inner);
		g = inner;
	}
}

static void deep_graphs(struct protos *b, Onnx__ModelProto *p)
{
	nest(b, p, MODEL_MAX_DEPTH + 1);
}

static void very_deep_graphs(struct protos *b, Onnx__ModelProto *p)
{
	nest(b, p, 3000);
}

static void deep_types(struct protos *b, Onnx__ModelProto *p)
{
	Onnx__TypeProto *t = protos_type(b, DT_FLOAT, NULL);

	for (int i = 0; i < MODEL_MAX_DEPTH + 2; i++) {
		Onnx__TypeProto__Sequence *s = arena_alloc(&b->arena, sizeof *s);
		Onnx__TypeProto *outer = arena_alloc(&b->arena, sizeof *outer);

		onnx__type_proto__sequence__init(s);
		onnx__type_proto__init(outer);
		s->elem_type = t;
		outer->value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
		outer->sequence_type = s;
		t = outer;
	}
	p->graph->input[0]->type = t;
}

static Onnx__SparseTensorProto *add_sparse(struct protos *b, Onnx__ModelProto *p, int64_t size, int64_t index)
{
	Onnx__SparseTensorProto *s = arena_alloc(&b->arena, sizeof *s), **list = arena_alloc(&b->arena, sizeof *list);
	int64_t *numbers = arena_alloc(&b->arena, 2 * sizeof *numbers);

	onnx__sparse_tensor_proto__init(s);
	numbers[0] = size;
	numbers[1] = index;
	s->n_dims = 1;
	s->dims = numbers;
	s->values = protos_tensor(b, "sparse", "1");
	s->indices = protos_tensor(b, "", "1");
	s->indices->data_type = DT_INT64;
	s->indices->has_raw_data = 0;
	s->indices->n_int64_data = 1;
	s->indices->int64_data = numbers + 1;
	*list = s;
	p->graph->n_sparse_initializer = 1;
	p->graph->sparse_initializer = list;
	return s;
}

static void sparse_outside(struct protos *b, Onnx__ModelProto *p)
{
	add_sparse(b, p, 4, 4);
}

static void sparse_negative(struct protos *b, Onnx__ModelProto *p)
{
	add_sparse(b, p, 4, -1);
}

static void sparse_huge(struct protos *b, Onnx__ModelProto *p)
{
	add_sparse(b, p, INT64_C(1) << 33, 0);
}

static void sparse_without_indices(struct protos *b, Onnx__ModelProto *p)
{
	add_sparse(b, p, 4, 0)->indices = NULL;
}

static void sparse_strings(struct protos *b, Onnx__ModelProto *p)
{
	static ProtobufCBinaryData text = {1, (uint8_t *)"a"};
	Onnx__SparseTensorProto *s = add_sparse(b, p, 4, 0);

	s->values->data_type = DT_STRING;
	s->values->has_raw_data = 0;
	s->values->n_string_data = 1;
	s->values->string_data = &text;
}

static const struct {
	void (*break_it)(struct protos *b, Onnx__ModelProto *p);
	int status;
	const char *word;
} cases[] = {
	{cycle, ERR_INPUT, "cycle"},
	{self_cycle, ERR_INPUT, "cycle"},
	{undefined_input, ERR_INPUT, "'nowhere'"},
	{undefined_output, ERR_INPUT, "'nowhere'"},
	{inner_name, ERR_INPUT, "'hidden'"},
	{twice_made, ERR_INPUT, "'y' is defined twice"},
	{twice_in_one_node, ERR_INPUT, "'q' is defined twice"},
	{overwritten_input, ERR_INPUT, "'x' is defined twice"},
	{overwritten_initializer, ERR_INPUT, "'w' is defined twice"},
	{twice_input, ERR_INPUT, "'x' is defined twice"},
	{twice_initializer, ERR_INPUT, "'w' is defined twice"},
	{twice_output, ERR_INPUT, "'y' is listed twice"},
	{nameless_input, ERR_INPUT, "name is missing"},
	{nameless_initializer, ERR_INPUT, "name is missing"},
	{wrong_initializer, ERR_INPUT, "'v' is float32[2]"},
	{short_data, ERR_INPUT, "'w'"},
	{many_elements, ERR_INPUT, "'w'"},
	{overflowing_dims, ERR_LIMIT, "'w'"},
	{negative_dim, ERR_LIMIT, "'w'"},
	{unknown_dtype, ERR_UNSUPPORTED, "99"},
	{unknown_elem_type, ERR_UNSUPPORTED, "99"},
	{odd_dim, ERR_INPUT, "-5"},
	{high_rank, ERR_LIMIT, "rank 33"},
	{no_opset, ERR_INPUT, "'ai.onnx'"},
	{unknown_domain, ERR_INPUT, "'my.domain'"},
	{two_opsets, ERR_INPUT, "18"},
	{negative_opset, ERR_INPUT, "-1"},
	{no_ir_version, ERR_INPUT, "IR version"},
	{future_ir_version, ERR_UNSUPPORTED, "1000"},
	{no_graph, ERR_INPUT, "no graph"},
	{no_op_type, ERR_INPUT, "operator's name"},
	{bad_utf8, ERR_INPUT, "UTF-8"},
	{long_name, ERR_LIMIT, "100000 bytes"},
	{attribute_twice, ERR_INPUT, "'k' is given twice"},
	{attribute_without_value, ERR_INPUT, "'k'"},
	{attribute_of_no_type, ERR_UNSUPPORTED, "77"},
	{attribute_without_name, ERR_INPUT, "attribute"},
	{many_attributes, ERR_LIMIT, "1100 attributes"},
	{many_symbols, ERR_LIMIT, "symbolic"},
	{deep_graphs, ERR_LIMIT, "deeper"},
	{very_deep_graphs, ERR_LIMIT, "t.onnx"},
	{deep_types, ERR_LIMIT, "deeper"},
	{sparse_outside, ERR_INPUT, "'sparse'"},
	{sparse_negative, ERR_INPUT, "'sparse'"},
	{sparse_huge, ERR_LIMIT, "'sparse'"},
	{sparse_without_indices, ERR_INPUT, "indices"},
	{sparse_strings, ERR_UNSUPPORTED, "'sparse'"},
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct err e = ERR_INIT;
		struct model *m = NULL;
		Onnx__ModelProto *p;
		struct protos b;
		int rc;

		protos_init(&b);
		p = protos_example(&b);
		cases[i].break_it(&b, p);
		rc = protos_parse(p, &m, &e);
		if (rc != cases[i].status || !strstr(e.msg, cases[i].word) || !strstr(e.msg, "t.onnx"))
			fail_msg("case %zu ('%s'): %s: %s", i, cases[i].word, err_name(rc), e.msg);
		assert_null(m);
		protos_release(&b);
	}
}

static void test_the_good_one(void **state)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct protos b;

	(void)state;
	protos_init(&b);
	if (protos_parse(protos_example(&b), &m, &e))
		fail_msg("%s", e.msg);
	model_free(m);
	protos_release(&b);
}

/* Every prefix of a file, and every single bit of it changed: an error or a model, never anything else. */
static void test_damage(void **state)
{
	struct protos b;
	uint8_t *data;
	size_t n;

	(void)state;
	protos_init(&b);
	data = protos_pack(&b, protos_example(&b), &n);
	for (size_t i = 0; i < n * 8 + n; i++) {
		struct err e = ERR_INIT;
		struct model *m = NULL;
		size_t length = i < n ? i : n;

		if (i >= n)
			data[(i - n) / 8] ^= (uint8_t)(1u << ((i - n) % 8));
		if (!model_parse(data, length, "t.onnx", &m, &e))
			assert_null(check_invariants(m));
		else
			assert_true(e.msg[0] && err_exit_status(e.code) == 2);
		model_free(m);
		if (i >= n)
			data[(i - n) / 8] ^= (uint8_t)(1u << ((i - n) % 8));
	}
	protos_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_good_one),
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
