/* folder.c - see folder.h.
 *
 * A folder has its final name only once it is locked, so that a sweep never takes a new one for one left behind.  The
 * name that it has before that is swept by age. */
#include "worker/parent/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/place.h"

static const char prefix[] = "assay-worker-";
static const char unlocked_prefix[] = "assay-making-";
#define UNLOCKED_SECONDS 3600

/* Opens a folder that is ours, whatever its owner may no longer do with it. */
static int open_anyway(const char *path)
{
	int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char link[64];

	if (fd < 0)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	chmod(link, 0700);
	close(fd);
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_locked(const char *path)
{
	int fd = open_anyway(path);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int is_same_device(int a, int b)
{
	struct stat x, y;

	return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev;
}

/* Removes what is in a folder of `root`; folders in it become folders of `root`, so that no path gets longer and no
 * more descriptors are open however deep they lie. */
static void empty_folder(int root, const char *name, unsigned long *number)
{
	int fd = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 || !is_same_device(fd, root) ? NULL : fdopendir(fd);
	struct dirent *entry;
	char moved[64];

	while (d && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") || !unlinkat(fd, entry->d_name, 0))
			continue;
		fchmodat(fd, entry->d_name, 0700, 0); /* unlinkat() has removed whatever is no folder */
		if (!unlinkat(fd, entry->d_name, AT_REMOVEDIR))
			continue;
		snprintf(moved, sizeof moved, "assay-removed-%lu", (*number)++);
		renameat2(fd, entry->d_name, root, moved, RENAME_NOREPLACE);
	}
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
}

/* One round over the folders of `root`: 1 when something was removed, and there may be more. */
static int remove_once(int root, unsigned long *number)
{
	int again = dup(root), removed = 0;
	DIR *d = again < 0 ? NULL : fdopendir(again);
	struct dirent *entry;

	if (d)
		rewinddir(d); /* the position is that of the descriptor it was duplicated from */
	while (d && (entry = readdir(d))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (unlinkat(root, entry->d_name, 0)) {
			fchmodat(root, entry->d_name, 0700, 0);
			empty_folder(root, entry->d_name, number);
			removed |= !unlinkat(root, entry->d_name, AT_REMOVEDIR);
		} else {
			removed = 1;
		}
	}
	if (d)
		closedir(d);
	else if (again >= 0)
		close(again);
	return removed;
}

static void remove_tree(const char *path)
{
	unsigned long number = 0;
	int root;

	if (!rmdir(path) || errno != ENOTEMPTY)
		return;
	root = open_anyway(path);
	while (root >= 0 && remove_once(root, &number))
		;
	if (root >= 0)
		close(root);
	rmdir(path);
}

int folder_make(struct folder *f, const char *base, struct err *e)
{
	char making[PATH_MAX], path[PATH_MAX];

	base = base ? base : place_temporary();
	*f = (struct folder)FOLDER_INIT;
	if ((size_t)snprintf(making, sizeof making, "%s/%sXXXXXX", base, unlocked_prefix) >= sizeof making)
		return err_set(e, ERR_LIMIT, "the path of the temporary folder '%s' is too long", base);
	if (!mkdtemp(making))
		return err_set(e, ERR_IO, "cannot create folder '%s': %s", making, strerror(errno));
	snprintf(path, sizeof path, "%.*s/%s%s", (int)strlen(base), base, prefix, making + strlen(making) - 6);
	f->lock = open_locked(making);
	if (f->lock < 0 || renameat2(AT_FDCWD, making, AT_FDCWD, path, RENAME_NOREPLACE)) {
		err_set(e, ERR_IO, "cannot lock folder '%s': %s", making, strerror(errno));
		rmdir(making);
		folder_remove(f);
		return ERR_IO;
	}
	f->path = mem_strdup(path);
	if (f->path)
		return 0;
	rmdir(path);
	folder_remove(f);
	return err_nomem(e, "a folder's name", 0);
}

void folder_remove(struct folder *f)
{
	if (f->path)
		remove_tree(f->path);
	mem_free(f->path);
	if (f->lock >= 0)
		close(f->lock);
	*f = (struct folder)FOLDER_INIT;
}

/* A folder of ours, by its name, that was left behind. */
static int is_left_behind(const char *name, const struct stat *st)
{
	if (!S_ISDIR(st->st_mode) || st->st_uid != geteuid())
		return 0;
	if (!strncmp(name, prefix, sizeof prefix - 1))
		return 1; /* if it can be locked */
	return !strncmp(name, unlocked_prefix, sizeof unlocked_prefix - 1) &&
	       st->st_mtime < time(NULL) - UNLOCKED_SECONDS;
}

void folder_sweep(void)
{
	const char *base = place_temporary();
	char path[PATH_MAX];
	struct stat st;
	DIR *d = opendir(base);

	for (struct dirent *entry; d && (entry = readdir(d));) {
		int fd;

		if (strncmp(entry->d_name, "assay-", 6) ||
		    (size_t)snprintf(path, sizeof path, "%s/%s", base, entry->d_name) >= sizeof path ||
		    lstat(path, &st) || !is_left_behind(entry->d_name, &st))
			continue;
		fd = open_locked(path);
		if (fd < 0)
			continue;
		remove_tree(path);
		close(fd);
	}
	if (d)
		closedir(d);
}
