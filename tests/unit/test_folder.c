/* test_folder.c - temporary folders are removed whatever was left in them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "worker/parent/folder.h"

static char base[] = "/tmp/test-folder-XXXXXX";

/* As a plain user: nothing is forbidden to root. */
static int setup(void **state)
{
	(void)state;
	if (!mkdtemp(base) || setenv("TMPDIR", base, 1))
		return -1;
	return geteuid() == 0 && (chown(base, 65534, 65534) || seteuid(65534)) ? -1 : 0;
}

static int teardown(void **state)
{
	(void)state;
	return seteuid(getuid()) || rmdir(base);
}

static void make_file(int folder, const char *name)
{
	int fd = openat(folder, name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	close(fd);
}

static struct folder make(int *fd)
{
	struct folder f = FOLDER_INIT;
	struct err e = ERR_INIT;

	if (folder_make(&f, NULL, &e))
		fail_msg("%s", e.msg);
	*fd = open(f.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(*fd >= 0);
	return f;
}

static void assert_gone(struct folder *f)
{
	char *path = strdup(f->path);
	struct stat st;

	folder_remove(f);
	assert_int_equal(lstat(path, &st), -1);
	free(path);
}

/* Deeper than a path can be long, and than descriptors there are. */
static void test_deep(void **state)
{
	char name[201];
	int at;
	struct folder f = make(&at);

	(void)state;
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	for (int i = 0; i < 1500; i++) {
		int below;

		assert_int_equal(mkdirat(at, name, 0700), 0);
		make_file(at, "file");
		below = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		assert_true(below >= 0);
		close(at);
		at = below;
	}
	close(at);
	assert_gone(&f);
}

static void test_locked(void **state)
{
	int at, below;
	struct folder f = make(&at);

	(void)state;
	assert_int_equal(mkdirat(at, "a", 0700), 0);
	assert_int_equal(mkdirat(at, "a/b", 0700), 0);
	below = openat(at, "a/b", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	make_file(below, "file");
	assert_int_equal(symlinkat("/", below, "link"), 0);
	assert_int_equal(mkdirat(at, "a/b/empty", 0), 0);
	assert_int_equal(fchmod(below, 0), 0);
	assert_int_equal(fchmodat(at, "a", 0, 0), 0);
	assert_int_equal(fchmod(at, 0), 0);
	close(below);
	close(at);
	assert_gone(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_deep), cmocka_unit_test(test_locked)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
