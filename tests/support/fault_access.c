/* fault_access.c - what a worker can reach: files and variables, for fault_worker. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "support/fault_worker.h"

static int can_write(const char *path, int how)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | how, 0600);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

int fault_write_around(struct err *e)
{
	const char *more = getenv("ASSAY_TEST_WRITABLE"), *above = getenv("ASSAY_TEST_ABOVE");
	char path[4096];

	if (mkdir("folder", 0700) || !can_write("folder/file", O_CREAT) || rename("folder/file", "file"))
		return err_set(e, ERR_INPUT, "its own folder: %s", strerror(errno));
	if (!can_write("/dev/null", 0) || !can_write("/dev/null", O_TRUNC))
		return err_set(e, ERR_INPUT, "a device: %s", strerror(errno));
	snprintf(path, sizeof path, "%s/file", more);
	if (!can_write(path, O_CREAT))
		return err_set(e, ERR_INPUT, "%s: %s", path, strerror(errno));
	/* Beside the victim, which is above the folder: the folder of one that was forked is in that of the first. */
	if (chdir(above))
		return err_set(e, ERR_INPUT, "%s: %s", above, strerror(errno));
	if (can_write("outside", O_CREAT) || can_write("/dev/shm/assay-outside", O_CREAT) || can_write("victim", 0) ||
	    can_write("victim", O_TRUNC) || !truncate("victim", 0) || !unlink("victim") || !mkdir("folder", 0700) ||
	    !symlink("x", "link") || !rename("victim", "other"))
		return err_set(e, ERR_INPUT, "it can write outside of its folder");
	return 0;
}

int fault_look_at_environment(struct err *e)
{
	static const char *const secrets[] = {"AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "HF_TOKEN", "SSH_AUTH_SOCK",
					      "PATHS_OF_MINE"};
	static const char *const needed[] = {
		"PATH",    "HOME",      "TMPDIR", "OMP_NUM_THREADS", "LC_ALL", "MKL_DEBUG", "CUDA_VISIBLE_DEVICES",
		"ALLOWED", "ASSAY_TEST"};

	for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++)
		if (getenv(secrets[i]))
			return err_set(e, ERR_INPUT, "it sees %s", secrets[i]);
	for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
		if (!getenv(needed[i]))
			return err_set(e, ERR_INPUT, "it does not see %s", needed[i]);
	return 0;
}
