/* test_model_content.c - what models hold besides nodes: attributes, types and sparse tensors, read and written. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/models.h"
#include "support/protos.h"

static void add_attributes(struct protos *b, Onnx__NodeProto *n)
{
	static float floats[] = {0.1f, 2};
	static int64_t ints[] = {-1, INT64_MAX};
	static ProtobufCBinaryData strings[] = {{1, (uint8_t *)"a"}, {3, (uint8_t *)"b\0c"}};
	static Onnx__TensorProto *tensors[2];
	Onnx__AttributeProto *a;

	protos_attr_int(b, n, "i", -7);
	a = protos_attr(b, n, "f", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
	a->has_f = 1;
	a->f = 0.1f;
	a = protos_attr(b, n, "s", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
	a->has_s = 1;
	a->s = strings[0];
	a = protos_attr(b, n, "floats", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
	a->n_floats = 2;
	a->floats = floats;
	a = protos_attr(b, n, "ints", 0); /* an old file without the type */
	a->n_ints = 2;
	a->ints = ints;
	a = protos_attr(b, n, "strings", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
	a->n_strings = 2;
	a->strings = strings;
	a = protos_attr(b, n, "tensors", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSORS);
	tensors[0] = protos_tensor(b, "", "2,2");
	tensors[1] = protos_tensor(b, "", "0");
	a->n_tensors = 2;
	a->tensors = tensors;
	protos_attr(b, n, "t", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR)->t = protos_tensor(b, "", "");
	protos_attr(b, n, "tp", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TYPE_PROTO)->tp = protos_type(b, DT_INT8, "N,2");
}

static void test_attributes(void **state)
{
	Onnx__ModelProto *p;
	struct model *m;
	const struct node *n;
	struct protos b;
	size_t count;

	(void)state;
	protos_init(&b);
	p = protos_model(&b, 8, 17);
	protos_import(&b, p, "my.domain", 2);
	p->graph->node = NULL;
	add_attributes(&b, protos_node(&b, p->graph, "Odd", "", "y"));
	p->graph->node[0]->domain = arena_strdup(&b.arena, "my.domain");
	protos_output(&b, p->graph, "y", NULL);
	m = models_read(p);
	n = m->graph->nodes.at[0];
	assert_int_equal(n->opset, 2);
	assert_int_equal(node_int(n, "i", 0), -7);
	assert_int_equal(node_int(n, "f", 5), 5); /* of another type */
	assert_true(node_float(n, "f", 0) == (double)0.1f);
	assert_string_equal(node_string(n, "s", ""), "a");
	assert_int_equal(node_ints(n, "ints", &count)[1], INT64_MAX);
	assert_int_equal(count, 2);
	assert_true(node_floats(n, "floats", &count)[1] == 2);
	assert_null(node_ints(n, "absent", &count));
	assert_int_equal(count, 0);
	assert_int_equal(node_attr(n, "strings")->strings[1].n, 3);
	models_assert_round_trip(m);
	model_free(m);
	protos_release(&b);
}

static void test_types(void **state)
{
	Onnx__TypeProto__Sequence sequence = ONNX__TYPE_PROTO__SEQUENCE__INIT;
	Onnx__TypeProto__Optional optional = ONNX__TYPE_PROTO__OPTIONAL__INIT;
	Onnx__TypeProto__Map map = ONNX__TYPE_PROTO__MAP__INIT;
	Onnx__TypeProto a = ONNX__TYPE_PROTO__INIT, o = ONNX__TYPE_PROTO__INIT, k = ONNX__TYPE_PROTO__INIT;
	Onnx__ModelProto *p;
	struct model *m;
	struct protos b;
	char text[128];

	(void)state;
	protos_init(&b);
	p = protos_model(&b, 8, 17);
	sequence.elem_type = protos_type(&b, DT_INT64, "N,-1");
	a.value_case = ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE;
	a.sequence_type = &sequence;
	optional.elem_type = &a;
	o.value_case = ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE;
	o.optional_type = &optional;
	map.has_key_type = 1;
	map.key_type = DT_STRING;
	map.value_type = protos_type(&b, DT_FLOAT, NULL);
	k.value_case = ONNX__TYPE_PROTO__VALUE_MAP_TYPE;
	k.map_type = &map;
	protos_input(&b, p->graph, "o", NULL)->type = &o;
	protos_input(&b, p->graph, "k", NULL)->type = &k;
	protos_input(&b, p->graph, "u", NULL)->type = NULL;
	m = models_read(p);
	assert_string_equal(type_describe(&m->graph->inputs.at[0]->type, m->graph, text, sizeof text),
			    "optional(sequence(int64[N,?]))");
	assert_string_equal(type_describe(&m->graph->inputs.at[1]->type, m->graph, text, sizeof text),
			    "map(string,float32)");
	assert_string_equal(type_describe(&m->graph->inputs.at[2]->type, m->graph, text, sizeof text), "unknown");
	models_assert_round_trip(m);
	model_free(m);
	protos_release(&b);
}

/* [[0 0 7] [8 0 0]] in both forms of indices */
static void test_sparse(void **state)
{
	static int64_t dims[] = {2, 3}, nnz[] = {2}, pairs[] = {2, 2}, linear[] = {2, 3}, coords[] = {0, 2, 1, 0};
	static float values[] = {7, 8};

	(void)state;
	for (int form = 0; form < 2; form++) {
		Onnx__SparseTensorProto sparse = ONNX__SPARSE_TENSOR_PROTO__INIT, *list[] = {&sparse};
		Onnx__TensorProto v = ONNX__TENSOR_PROTO__INIT, k = ONNX__TENSOR_PROTO__INIT;
		const struct tensor *t;
		Onnx__ModelProto *p;
		struct protos b;
		struct model *m;

		protos_init(&b);
		p = protos_model(&b, 8, 17);
		v.name = "w";
		v.has_data_type = k.has_data_type = 1;
		v.data_type = DT_FLOAT;
		v.n_dims = 1;
		v.dims = nnz;
		v.n_float_data = 2;
		v.float_data = values;
		k.data_type = DT_INT64;
		k.n_dims = form ? 2 : 1;
		k.dims = form ? pairs : nnz;
		k.n_int64_data = form ? 4 : 2;
		k.int64_data = form ? coords : linear;
		sparse.values = &v;
		sparse.indices = &k;
		sparse.n_dims = 2;
		sparse.dims = dims;
		p->graph->n_sparse_initializer = 1;
		p->graph->sparse_initializer = list;
		m = models_read(p);
		t = graph_wire(m->graph, "w")->init;
		for (size_t i = 0; i < 6; i++)
			assert_true(tensor_get(t, i) == (i == 2 ? 7 : i == 3 ? 8 : 0));
		model_free(m);
		protos_release(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attributes),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_sparse),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
