/* test_onnx_ports.c - names and types of inputs and outputs read from a model's bytes, and messages as one line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backends/onnx/onnx.h"
#include "base/mem.h"
#include "calls/onnx_list.h"
#include "support/protos.h"

struct fixture {
	struct protos b;
	Onnx__ModelProto *m;
	struct onnx_ports ports;
	struct err e;
};

static int setup(void **state)
{
	static struct fixture f;

	f = (struct fixture){.m = NULL};
	protos_init(&f.b);
	f.m = protos_model(&f.b, 8, 13);
	*state = &f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	onnx_ports_release(&f->ports);
	protos_release(&f->b);
	return 0;
}

static int read_ports(struct fixture *f)
{
	size_t n;
	uint8_t *bytes = protos_pack(&f->b, f->m, &n);

	return onnx_ports_read(bytes, n, &f->ports, &f->e);
}

static void test_names_and_types(void **state)
{
	struct fixture *f = *state;
	const struct onnx_input *in;

	protos_input(&f->b, f->m->graph, "x", "2,N,7");
	protos_input(&f->b, f->m->graph, "w", "3");
	protos_input(&f->b, f->m->graph, "s", NULL);
	protos_init_tensor(&f->b, f->m->graph, "w", "3");
	protos_init_tensor(&f->b, f->m->graph, "hidden", "3");
	protos_output(&f->b, f->m->graph, "y", "3");
	protos_output(&f->b, f->m->graph, "z", NULL);
	assert_int_equal(read_ports(f), 0);
	assert_int_equal(f->ports.n_in, 3);
	assert_int_equal(f->ports.n_out, 2);
	in = f->ports.in;
	assert_string_equal(in[0].name, "x");
	assert_int_equal(in[0].dtype, DT_FLOAT);
	assert_int_equal(in[0].rank, 3);
	assert_int_equal(in[0].dims[0], 2);
	assert_int_equal(in[0].dims[1], -1);
	assert_int_equal(in[0].dims[2], 7);
	assert_false(in[0].has_default);
	assert_true(in[1].has_default);
	assert_int_equal(in[2].rank, -1);
	assert_string_equal(f->ports.out[0], "y");
	assert_string_equal(f->ports.out[1], "z");
	assert_int_equal(onnx_ports_find_input(&f->ports, "s"), 2);
	assert_int_equal(onnx_ports_find_input(&f->ports, "y"), -1);
	assert_int_equal(onnx_ports_find_output(&f->ports, "z"), 1);
	assert_int_equal(onnx_ports_find_output(&f->ports, "x"), -1);
}

/* Only inputs that must be given count. */
static void test_static(void **state)
{
	struct fixture *f = *state;

	protos_input(&f->b, f->m->graph, "x", "2,3");
	protos_input(&f->b, f->m->graph, "w", "N");
	protos_init_tensor(&f->b, f->m->graph, "w", "3");
	assert_int_equal(read_ports(f), 0);
	assert_true(onnx_ports_are_static(&f->ports));
	onnx_ports_release(&f->ports);
	protos_input(&f->b, f->m->graph, "v", "N");
	assert_int_equal(read_ports(f), 0);
	assert_false(onnx_ports_are_static(&f->ports));
}

static void test_missing_input(void **state)
{
	struct fixture *f = *state;
	struct named_value in[] = {{"x", NULL}, {"v", NULL}};

	protos_input(&f->b, f->m->graph, "x", "2");
	protos_input(&f->b, f->m->graph, "w", "3");
	protos_input(&f->b, f->m->graph, "v", "3");
	protos_init_tensor(&f->b, f->m->graph, "w", "3");
	assert_int_equal(read_ports(f), 0);
	assert_int_equal(onnx_ports_check_given(&f->ports, &(struct backend_values){in, 2}, &f->e), 0);
	assert_int_equal(onnx_ports_check_given(&f->ports, &(struct backend_values){in, 1}, &f->e), ERR_INPUT);
	assert_string_equal(f->e.msg, "input 'v' is missing");
}

/* protobuf merges a message that comes in pieces: two models one after the other are one model. */
static void test_pieces(void **state)
{
	struct fixture *f = *state;
	Onnx__ModelProto *more = protos_model(&f->b, 8, 13);
	size_t n1, n2;
	uint8_t *first, *second;
	char both[1024];

	protos_input(&f->b, f->m->graph, "x", "2");
	protos_output(&f->b, more->graph, "y", "2");
	first = protos_pack(&f->b, f->m, &n1);
	second = protos_pack(&f->b, more, &n2);
	assert_true(n1 + n2 <= sizeof both);
	memcpy(both, first, n1);
	memcpy(both + n1, second, n2);
	assert_int_equal(onnx_ports_read(both, n1 + n2, &f->ports, &f->e), 0);
	assert_int_equal(f->ports.n_in, 1);
	assert_int_equal(f->ports.n_out, 1);
}

/* No beginning of a model is read beyond its end, and none leaves anything behind. */
static void test_cut_off(void **state)
{
	struct fixture *f = *state;
	size_t n, refused = 0;
	uint8_t *bytes;

	protos_input(&f->b, f->m->graph, "x", "2,N");
	protos_init_tensor(&f->b, f->m->graph, "w", "3");
	protos_output(&f->b, f->m->graph, "y", "2");
	bytes = protos_pack(&f->b, f->m, &n);
	for (size_t i = 0; i < n; i++) {
		uint8_t *part = mem_alloc(i);

		assert_non_null(part);
		memcpy(part, bytes, i);
		if (onnx_ports_read(part, i, &f->ports, &f->e))
			refused++;
		else
			onnx_ports_release(&f->ports);
		mem_free(part);
	}
	assert_true(refused > n / 2);
}

static void test_hostile(void **state)
{
	struct fixture *f = *state;
	char dims[2 * TENSOR_MAX_RANK + 2] = "1";

	for (int i = 0; i < TENSOR_MAX_RANK; i++)
		strncat(dims, ",1", sizeof dims - strlen(dims) - 1);
	protos_input(&f->b, f->m->graph, "x", dims);
	assert_int_equal(read_ports(f), ERR_UNSUPPORTED);
	assert_int_equal(onnx_ports_read("\x3a\xff", 2, &f->ports, &f->e), ERR_INPUT);
	assert_int_equal(onnx_ports_read("text", 4, &f->ports, &f->e), ERR_INPUT);
	assert_int_equal(onnx_ports_read("", 0, &f->ports, &f->e), 0);
	/* graph { input { name: "a\0b" } } */
	assert_int_equal(onnx_ports_read("\x3a\x07\x5a\x05\x0a\x03"
					 "a\0b",
					 9, &f->ports, &f->e),
			 ERR_INPUT);
}

static void test_expose(void **state)
{
	static const char *const wanted[] = {"h", "y", "w"};
	struct fixture *f = *state;
	struct backend_model m = {.outputs = {wanted, 3}};
	struct buf out;

	protos_input(&f->b, f->m->graph, "x", "2");
	protos_init_tensor(&f->b, f->m->graph, "w", "2");
	protos_output(&f->b, f->m->graph, "y", "2");
	protos_node(&f->b, f->m->graph, "Add", "x,w", "h");
	protos_node(&f->b, f->m->graph, "Relu", "h", "y");
	m.bytes = protos_pack(&f->b, f->m, &m.n);
	buf_init(&out, 1 << 16);
	assert_int_equal(onnx_expose(&m, &out, &f->e), 0);
	assert_int_equal(onnx_ports_read(out.data, out.len, &f->ports, &f->e), 0);
	assert_int_equal(f->ports.n_out, 3);
	assert_string_equal(f->ports.out[0], "y");
	assert_string_equal(f->ports.out[1], "h");
	assert_string_equal(f->ports.out[2], "w");
	m.outputs = (struct backend_names){(const char *const[]){"nowhere"}, 1};
	assert_int_equal(onnx_expose(&m, &out, &f->e), ERR_INPUT);
	assert_non_null(strstr(f->e.msg, "no tensor 'nowhere'"));
	buf_release(&out);
}

/* What is declared of inner tensors goes; everything else stays, byte by byte. */
static void test_drop_value_info(void **state)
{
	struct fixture *f = *state;
	struct buf less;
	size_t n, want_n;
	uint8_t *bytes, *want;

	protos_input(&f->b, f->m->graph, "x", "N,3");
	protos_output(&f->b, f->m->graph, "y", "N,3");
	protos_node(&f->b, f->m->graph, "Relu", "x", "t");
	protos_node(&f->b, f->m->graph, "Relu", "t", "y");
	want = protos_pack(&f->b, f->m, &want_n);
	protos_value_info(&f->b, f->m->graph, "t", "N,3");
	bytes = protos_pack(&f->b, f->m, &n);
	assert_true(n > want_n);
	buf_init(&less, 1 << 16);
	assert_int_equal(onnx_drop_value_info(bytes, n, &less, &f->e), 0);
	assert_int_equal(less.len, want_n);
	assert_int_equal(onnx_ports_read(less.data, less.len, &f->ports, &f->e), 0);
	assert_int_equal(f->ports.n_in, 1);
	buf_clear(&less);
	assert_int_equal(onnx_drop_value_info(want, want_n, &less, &f->e), 0); /* nothing to drop */
	assert_int_equal(less.len, want_n);
	buf_clear(&less);
	assert_int_equal(onnx_drop_value_info(bytes, n - 3, &less, &f->e), ERR_INPUT);
	buf_release(&less);
}

/* So it does in subgraphs. */
static void test_drop_inner_value_info(void **state)
{
	struct fixture *f = *state;
	Onnx__GraphProto *branch = protos_graph(&f->b, "branch");
	Onnx__NodeProto *node = protos_node(&f->b, f->m->graph, "If", "x", "y");
	struct buf less;
	size_t n, want_n;
	uint8_t *bytes;

	protos_node(&f->b, branch, "Relu", "x", "t");
	protos_attr_graph(&f->b, node, "then_branch", branch);
	protos_pack(&f->b, f->m, &want_n);
	protos_value_info(&f->b, branch, "t", "N,3");
	bytes = protos_pack(&f->b, f->m, &n);
	assert_true(n > want_n);
	buf_init(&less, 1 << 16);
	assert_int_equal(onnx_drop_value_info(bytes, n, &less, &f->e), 0);
	assert_int_equal(less.len, want_n);
	buf_release(&less);
}

static void test_list(void **state)
{
	struct arena arena = ARENA_INIT;
	struct backend_operation *ops = NULL;
	struct err e = ERR_INIT;
	size_t n = 0, all = 0;

	(void)state;
	assert_int_equal(onnx_list("", &arena, &ops, &all, &e), 0);
	assert_true(all > 150);
	assert_int_equal(onnx_list("ai.onnx.ml:Scal", &arena, &ops, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_string_equal(ops[0].name, "ai.onnx.ml:Scaler");
	assert_int_equal(onnx_list("ConvT", &arena, &ops, &n, &e), 0);
	assert_int_equal(n, 1);
	assert_int_equal(ops[0].n_outputs, 1);
	assert_string_equal(ops[0].parameters[0].name, "X");
	assert_true(ops[0].parameters[0].is_input);
	assert_false(ops[0].parameters[0].optional);
	assert_true(ops[0].parameters[0].n_allowed >= 3);
	assert_string_equal(ops[0].parameters[0].allowed[0], "float32");
	assert_true(ops[0].parameters[2].optional); /* B */
	assert_false(ops[0].parameters[3].is_input);
	assert_int_equal(onnx_list("nothing", &arena, &ops, &n, &e), 0);
	assert_int_equal(n, 0);
	arena_release(&arena);
}

static void test_messages(void **state)
{
	static const char *const noise[] = {"at ", NULL}, *const words[] = {"not here", "absent", NULL};
	struct buf out;

	(void)state;
	buf_init(&out, 1 << 10);
	onnx_one_line("\n  it is absent\nat line 3\n\n   indeed \n", noise, &out);
	assert_string_equal(out.data, "it is absent; indeed ");
	assert_true(onnx_says(out.data, words));
	assert_false(onnx_says("all is well", words));
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names_and_types, setup, teardown),
		cmocka_unit_test_setup_teardown(test_static, setup, teardown),
		cmocka_unit_test_setup_teardown(test_missing_input, setup, teardown),
		cmocka_unit_test_setup_teardown(test_pieces, setup, teardown),
		cmocka_unit_test_setup_teardown(test_cut_off, setup, teardown),
		cmocka_unit_test_setup_teardown(test_hostile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_expose, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drop_value_info, setup, teardown),
		cmocka_unit_test_setup_teardown(test_drop_inner_value_info, setup, teardown),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_messages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
