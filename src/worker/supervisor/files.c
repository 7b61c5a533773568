/* files.c - see files.h.
 *
 * Landlock (Linux 5.13) needs no privileges and, like the filter on system calls, cannot be taken off again.  Numbers
 * that newer kernels know are written out: the headers of the machine that compiles may be older. */
#include "worker/supervisor/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CREATE_VERSION 1U /* asks for the version alone */
#define RULE_BENEATH 1

#define WRITE_FILE (UINT64_C(1) << 1)
#define CHANGE_FOLDER (UINT64_C(0x1ff) << 4) /* removing and making: files, folders, devices, links, … */
#define REFER (UINT64_C(1) << 13)            /* from the second version on: moving between folders */
#define TRUNCATE (UINT64_C(1) << 14)         /* from the third */
#define SCOPE_ALL UINT64_C(3)                /* from the sixth: abstract sockets and signals */

struct landlock_ruleset {
	uint64_t files, network, scoped;
};

struct landlock_beneath {
	uint64_t allowed;
	int32_t fd;
} __attribute__((packed));

static uint64_t all_of(long version)
{
	return WRITE_FILE | CHANGE_FOLDER | (version >= 2 ? REFER : 0) | (version >= 3 ? TRUNCATE : 0);
}

/* What is not there needs no rule. */
static int allow_at(int rules, int folder, const char *path, uint64_t what)
{
	struct landlock_beneath rule = {what, openat(folder, path, O_PATH | O_CLOEXEC)};
	struct stat st;
	long rc = 0;

	if (rule.fd < 0)
		return 0;
	if (!fstat(rule.fd, &st) && !S_ISDIR(st.st_mode))
		rule.allowed &= WRITE_FILE | TRUNCATE;
	rc = syscall(SYS_landlock_add_rule, rules, RULE_BENEATH, &rule, 0);
	close(rule.fd);
	return rc ? -1 : 0;
}

/* Devices, one by one: below /dev lie file systems as well. */
static int allow_devices(int rules, uint64_t what)
{
	static const char *const folders[] = {"dri", "nvidia-caps", "pts"};
	DIR *d = opendir("/dev");
	struct dirent *entry;
	struct stat st;
	int rc = 0;

	while (d && !rc && (entry = readdir(d)))
		if (!fstatat(dirfd(d), entry->d_name, &st, 0) && S_ISCHR(st.st_mode))
			rc = allow_at(rules, dirfd(d), entry->d_name, what);
	for (size_t i = 0; d && !rc && i < sizeof folders / sizeof *folders; i++)
		rc = allow_at(rules, dirfd(d), folders[i], what);
	if (d)
		closedir(d);
	return rc;
}

static long version_here(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_VERSION);
}

int files_can_restrict(void)
{
	return version_here() >= 1;
}

int files_restrict(char *const *folders, size_t n)
{
	long version = version_here();
	struct landlock_ruleset made = {all_of(version), 0, version >= 6 ? SCOPE_ALL : 0};
	size_t size = version >= 6 ? sizeof made : version >= 4 ? 2 * sizeof(uint64_t) : sizeof(uint64_t);
	uint64_t write_only = made.files & (WRITE_FILE | TRUNCATE);
	int rules, rc;

	if (version < 1)
		return 0;
	rules = (int)syscall(SYS_landlock_create_ruleset, &made, size, 0);
	if (rules < 0)
		return -1;
	rc = allow_devices(rules, write_only);
	if (!rc)
		rc = allow_at(rules, AT_FDCWD, "/proc/self", write_only); /* names of threads */
	for (size_t i = 0; i < n && !rc; i++)
		rc = allow_at(rules, AT_FDCWD, folders[i], made.files);
	if (!rc)
		rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!rc && syscall(SYS_landlock_restrict_self, rules, 0))
		rc = errno == E2BIG ? 0 : -1; /* within sixteen others of its kind */
	close(rules);
	return rc;
}
