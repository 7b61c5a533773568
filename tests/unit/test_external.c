/* test_external.c - weights in other files: which are found, and which are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/protos.h"

struct folder {
	char root[64], inside[80], path[160];
};

static void write_file(const char *folder, const char *name, const void *p, size_t n)
{
	struct err e = ERR_INIT;
	char path[256];

	snprintf(path, sizeof path, "%s/%s", folder, name);
	if (buf_write_file(p, n, path, &e))
		fail_msg("%s", e.msg);
}

/* root/outside.bin, root/model/{w.bin,link → ../outside.bin,sub/} */
static void make_folder(struct folder *f)
{
	static const float data[4] = {1, 2, 3, 4};
	char path[256];

	snprintf(f->root, sizeof f->root, "/tmp/assay-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(f->inside, sizeof f->inside, "%s/model", f->root);
	assert_int_equal(mkdir(f->inside, 0777), 0);
	snprintf(f->path, sizeof f->path, "%s/m.onnx", f->inside);
	write_file(f->root, "outside.bin", data, sizeof data);
	write_file(f->inside, "w.bin", data, sizeof data);
	snprintf(path, sizeof path, "%s/link", f->inside);
	assert_int_equal(symlink("../outside.bin", path), 0);
	snprintf(path, sizeof path, "%s/sub", f->inside);
	assert_int_equal(mkdir(path, 0777), 0);
	snprintf(path, sizeof path, "%s/fifo", f->inside);
	assert_int_equal(mkfifo(path, 0666), 0);
}

static void remove_folder(const struct folder *f)
{
	static const char *const names[] = {"model/w.bin", "model/link",  "model/sub", "model/fifo",
					    "model",       "outside.bin", ""};
	char path[256];

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		snprintf(path, sizeof path, "%s/%s", f->root, names[i]);
		assert_int_equal(remove(path), 0);
	}
}

static int parse_external(const char *path, const char *location, const char *offset, const char *length,
			  struct model **m, struct err *e)
{
	struct protos b;
	Onnx__ModelProto *p;
	Onnx__TensorProto *t;
	uint8_t *data;
	size_t n;
	int rc;

	protos_init(&b);
	p = protos_example(&b);
	t = p->graph->initializer[0];
	if (location)
		protos_external(&b, t, "location", location);
	if (offset)
		protos_external(&b, t, "offset", offset);
	if (length)
		protos_external(&b, t, "length", length);
	data = protos_pack(&b, p, &n);
	rc = model_parse(data, n, path, m, e);
	protos_release(&b);
	return rc;
}

static void test_external(void **state)
{
	static const struct {
		const char *location, *offset, *length;
		int status;
		const char *word;
	} bad[] = {
		{"../outside.bin", NULL, NULL, ERR_INPUT, "outside"},
		{"sub/../../outside.bin", NULL, NULL, ERR_INPUT, "outside"},
		{"/etc/hostname", NULL, NULL, ERR_INPUT, "outside"},
		{"link", NULL, NULL, ERR_INPUT, "outside"},
		{"..", NULL, NULL, ERR_INPUT, "outside"},
		{"sub", NULL, NULL, ERR_INPUT, "regular"},
		{"fifo", NULL, NULL, ERR_INPUT, "regular"},
		{"missing.bin", NULL, NULL, ERR_IO, "missing.bin"},
		{"", NULL, NULL, ERR_INPUT, "location"},
		{NULL, "0", NULL, ERR_INPUT, "location"},
		{"w.bin", "12", NULL, ERR_INPUT, "12"},
		{"w.bin", "17", NULL, ERR_INPUT, "17"},
		{"w.bin", "0", "16", ERR_INPUT, "16"},
		{"w.bin", "0", "4", ERR_INPUT, "4"},
		{"w.bin", "-1", NULL, ERR_INPUT, "-1"},
		{"w.bin", "0x1", NULL, ERR_INPUT, "0x1"},
		{"w.bin", "18446744073709551615", NULL, ERR_INPUT, "18446744073709551615"},
		{"w.bin", "9223372036854775800", "8", ERR_INPUT, "9223372036854775800"},
		{"w.bin", "99999999999999999999", NULL, ERR_INPUT, "99999999999999999999"},
	};
	struct folder f;
	struct model *m = NULL;
	struct err e = ERR_INIT;

	(void)state;
	make_folder(&f);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		int rc = parse_external(f.path, bad[i].location, bad[i].offset, bad[i].length, &m, &e);

		if (rc != bad[i].status || !strstr(e.msg, bad[i].word) || !strstr(e.msg, "m.onnx") ||
		    !strstr(e.msg, "'w'"))
			fail_msg("case %zu: %s: %s", i, err_name(rc), e.msg);
	}
	assert_int_equal(parse_external("", "w.bin", NULL, NULL, &m, &e), ERR_INPUT);
	if (parse_external(f.path, "./w.bin", "8", "8", &m, &e))
		fail_msg("%s", e.msg);
	assert_true(tensor_get(graph_wire(m->graph, "w")->init, 0) == 3);
	model_free(m);
	remove_folder(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_external)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
