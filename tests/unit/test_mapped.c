/* test_mapped.c - large weights in other files take no memory, and a file that becomes shorter meanwhile is an error.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mapped.h"
#include "reference/reference.h"
#include "support/protos.h"

#define COUNT ((MAPPED_LEAST >> 2) + 5000) /* of float32 */
#define AT 20                              /* bytes before the first: no page starts there */

struct folder {
	char root[64], model[96], weights[96];
};

static void make_folder(struct folder *f)
{
	float *numbers = malloc(COUNT * sizeof *numbers);
	FILE *file;

	assert_non_null(numbers);
	for (size_t i = 0; i < COUNT; i++)
		numbers[i] = 1;
	snprintf(f->root, sizeof f->root, "/tmp/assay-mapped-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(f->model, sizeof f->model, "%s/m.onnx", f->root);
	snprintf(f->weights, sizeof f->weights, "%s/w.bin", f->root);
	file = fopen(f->weights, "wb");
	assert_non_null(file);
	assert_int_equal(fseek(file, AT, SEEK_SET), 0);
	assert_int_equal(fwrite(numbers, sizeof *numbers, COUNT, file), COUNT);
	assert_int_equal(fclose(file), 0);
	free(numbers);
}

/* y = ReduceSum(w), w in a file of its own; model_parse() needs the folder of f->model and no such file. */
static struct model *make_model(const struct folder *f)
{
	struct err e = ERR_INIT;
	struct model *m = NULL;
	struct protos b;
	Onnx__ModelProto *p;
	Onnx__TensorProto *w;
	uint8_t *data;
	size_t n;

	protos_init(&b);
	p = protos_model(&b, 8, 17);
	w = protos_init_tensor(&b, p->graph, "w", "1");
	w->dims[0] = COUNT;
	protos_external(&b, w, "location", "w.bin");
	protos_external(&b, w, "offset", "20");
	protos_node(&b, p->graph, "ReduceSum", "w", "y");
	protos_output(&b, p->graph, "y", NULL);
	data = protos_pack(&b, p, &n);
	if (model_parse(data, n, f->model, &m, &e))
		fail_msg("%s", e.msg);
	protos_release(&b);
	return m;
}

static int run(struct ref *r, double *sum, struct err *e)
{
	struct ref_options o = {.mode = REF_EXACT};
	struct ref_result result;
	int rc = ref_run(r, NULL, 0, &o, &result, e);

	if (rc)
		return rc;
	*sum = tensor_get(result.outputs[0].value->tensor, 0);
	ref_result_release(&result);
	return 0;
}

static void test_shorter(void **state)
{
	size_t before = tensor_memory_live();
	struct err e = ERR_INIT;
	struct folder f;
	struct model *m;
	struct ref *r = NULL;
	double sum = 0;

	(void)state;
	make_folder(&f);
	m = make_model(&f);
	assert_true(tensor_memory_live() - before > MAPPED_LEAST); /* a library maps nothing unless main() says so */
	model_free(m);
	mapped_allow();
	m = make_model(&f);
	assert_true(tensor_memory_live() - before < MAPPED_LEAST);
	if (ref_open(m, &r, &e) || run(r, &sum, &e))
		fail_msg("%s", e.msg);
	assert_true(sum == (double)COUNT);
	assert_int_equal(truncate(f.weights, 4096), 0);
	assert_int_equal(run(r, &sum, &e), ERR_IO);
	assert_non_null(strstr(e.msg, "'w.bin' became shorter"));
	ref_close(r);
	model_free(m);
	assert_int_equal(mapped_check(&e), 0); /* what is closed is forgotten */
	unlink(f.weights);
	rmdir(f.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_shorter)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
