/* folder.c - see folder.h.
 *
 * A folder has its final name only once it is locked, so that a sweep never takes a new one for one left behind.  The
 * name that it has before that is swept by age. */
#include "worker/parent/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"

static const char prefix[] = "assay-worker-";
static const char unlocked_prefix[] = "assay-making-";
#define UNLOCKED_SECONDS 3600

static const char *base_folder(void)
{
	const char *given = getenv("TMPDIR");

	return given && *given == '/' ? given : "/tmp";
}

static int open_locked(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		close(fd);
		return -1;
	}
	return fd;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	if (rmdir(path) && errno == ENOTEMPTY)
		nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int folder_make(struct folder *f, const char *base, struct err *e)
{
	char making[PATH_MAX], path[PATH_MAX];

	base = base ? base : base_folder();
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
	const char *base = base_folder();
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
