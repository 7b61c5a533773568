/* test_campaign_site.c - a cluster that does not answer: site_slurm.c with scripts in the place of Slurm's programs. */
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

#include "base/buf.h"
#include "base/place.h"
#include "methods/campaign/site.h"

static char folder[] = "/tmp/test_campaign_site.XXXXXX";
static const char text[] = "time: 1h\njobs: 8\nmethods:\n  - {method: fuzz, backends: [reference]}\n";

static char *name_path(const char *name, char out[PLACE_PATH])
{
	struct err e = ERR_INIT;

	assert_int_equal(place_path(out, &e, "%s/%s", folder, name), 0);
	return out;
}

static void write_file(const char *name, const char *content)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];

	assert_int_equal(buf_write_file(content, strlen(content), name_path(name, path), &e), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static int is_there(const char *name)
{
	char path[PLACE_PATH];

	return !access(name_path(name, path), F_OK);
}

static void remove_file(const char *name)
{
	char path[PLACE_PATH];

	unlink(name_path(name, path));
}

/* They run in the folder of the campaign.  A program fails while there is a file "NAME.fails". */
static int make_cluster(void **state)
{
	char path[2 * PLACE_PATH], bin[PLACE_PATH];
	struct err e = ERR_INIT;

	(void)state;
	if (!mkdtemp(folder) || place_make_folder(name_path("bin", bin), &e))
		return -1;
	write_file("bin/scontrol", "#!/bin/sh\necho 'MaxArraySize            = 3'\n");
	write_file("bin/squeue", "#!/bin/sh\n[ -e squeue.fails ] && exit 1\ncat queue 2>/dev/null\nexit 0\n");
	write_file("bin/sbatch", "#!/bin/sh\necho \"$@\" >>sent\n[ -e sbatch.fails ] && exit 1\nexit 0\n");
	write_file("bin/scancel", "#!/bin/sh\ntouch cancelled\n");
	write_file("order.yaml", text);
	snprintf(path, sizeof path, "%s:%s", bin, getenv("PATH"));
	return setenv("PATH", path, 1);
}

static int remove_cluster(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	return place_remove_tree(folder, &e);
}

static struct site *open_site(struct campaign_order *o)
{
	char path[PLACE_PATH];
	struct err e = ERR_INIT;
	struct site *s = NULL;

	assert_int_equal(order_read(name_path("order.yaml", path), o, &e), 0);
	assert_int_equal(site_slurm(folder, o, &s, &e), 0);
	return s;
}

static size_t count_lines(const char *name)
{
	struct err e = ERR_INIT;
	char path[PLACE_PATH];
	struct buf all;
	size_t n = 0;

	buf_init(&all, 1 << 20);
	if (is_there(name))
		assert_int_equal(buf_read_file(&all, name_path(name, path), 1 << 20, &e), 0);
	for (size_t i = 0; i < all.len; i++)
		n += all.data[i] == '\n';
	buf_release(&all);
	return n;
}

/* What is in the queue stays there, also when the leader gives up. */
static void queue_is_waited_for(void **state)
{
	static const size_t tasks[] = {1000, 1001, 7000, 8000};
	struct campaign_order o;
	struct err e = ERR_INIT;
	struct site *s = open_site(&o);

	(void)state;
	assert_true(s->patience >= 60);
	assert_int_equal(s->kind->start(s, tasks, 4, &e), 0);
	assert_int_equal(count_lines("sent"), 2); /* arrays of three elements, and of one */
	write_file("squeue.fails", "");
	for (int i = 0; i < 10; i++)
		assert_int_equal(s->kind->look(s, &e), 0);
	for (int i = 0; i < 4; i++)
		assert_true(s->kind->holds(s, tasks[i]));
	s->patience = 0;
	assert_int_equal(s->kind->look(s, &e), ERR_IO);
	assert_non_null(strstr(e.msg, "squeue failed"));
	err_clear(&e);
	s->kind->close(s);
	assert_false(is_there("cancelled"));
	remove_file("squeue.fails");
	order_release(&o);
}

/* Another leader knows which tasks the elements are: 7000 runs, 8000 waits, the others have left the queue. */
static void tasks_are_found_again(void **state)
{
	struct campaign_order o;
	struct err e = ERR_INIT;
	struct site *s;

	(void)state;
	write_file("queue", "2 0\n0 1\n0 99\nN/A (null)\n7 0\n");
	s = open_site(&o);
	for (int i = 0; i < 5; i++)
		assert_int_equal(s->kind->look(s, &e), 0);
	assert_true(s->kind->holds(s, 7000) && s->kind->holds(s, 8000));
	assert_false(s->kind->holds(s, 1000) || s->kind->holds(s, 1001));
	assert_true(is_there("arrays/0.sh") && is_there("arrays/1.sh"));
	write_file("queue", "2 0\n");
	for (int i = 0; i < 5; i++)
		assert_int_equal(s->kind->look(s, &e), 0);
	assert_true(s->kind->holds(s, 7000) && !s->kind->holds(s, 8000));
	assert_true(is_there("arrays/0.sh") && !is_there("arrays/1.sh"));
	remove_file("queue");
	s->kind->close(s);
	order_release(&o);
}

/* The first time sbatch fails for good; later it may be the controller that is away. */
static void submitting_is_tried_again(void **state)
{
	static const size_t first[] = {1}, second[] = {2};
	struct campaign_order o;
	struct err e = ERR_INIT;
	struct site *s = open_site(&o);

	(void)state;
	write_file("sbatch.fails", "");
	assert_int_equal(s->kind->start(s, first, 1, &e), ERR_IO);
	err_clear(&e);
	remove_file("sbatch.fails");
	assert_int_equal(s->kind->look(s, &e), 0);
	write_file("sbatch.fails", "");
	remove_file("sent");
	assert_int_equal(s->kind->start(s, second, 1, &e), 0);
	for (int i = 0; i < 5; i++)
		assert_int_equal(s->kind->look(s, &e), 0);
	assert_int_equal(count_lines("sent"), 6);
	assert_true(s->kind->holds(s, 2));
	remove_file("sbatch.fails");
	assert_int_equal(s->kind->look(s, &e), 0);
	assert_int_equal(s->kind->look(s, &e), 0);
	assert_int_equal(count_lines("sent"), 7);
	s->kind->close(s);
	order_release(&o);
}

static void no_arrays(void **state)
{
	char path[PLACE_PATH];
	struct campaign_order o;
	struct err e = ERR_INIT;
	struct site *s;

	(void)state;
	write_file("bin/scontrol", "#!/bin/sh\necho 'MaxArraySize            = 0'\n");
	assert_int_equal(order_read(name_path("order.yaml", path), &o, &e), 0);
	assert_int_equal(site_slurm(folder, &o, &s, &e), ERR_UNSUPPORTED);
	order_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(queue_is_waited_for),
		cmocka_unit_test(tasks_are_found_again),
		cmocka_unit_test(submitting_is_tried_again),
		cmocka_unit_test(no_arrays),
	};

	return cmocka_run_group_tests(tests, make_cluster, remove_cluster);
}
