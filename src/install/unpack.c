/* unpack.c - see unpack.h. */
#include "install/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/place.h"
#include "install/archive.h"
#include "install/pattern.h"

#define STEP 65536

struct unpack_job {
	const struct archive_reader *reader;
	void *archive;
	const struct lock_package *package;
	const char *folder;
	struct unpacked *out;
	int *taken; /* members that each rule took */
};

void unpacked_release(struct unpacked *u)
{
	vec_release(&u->files);
	arena_release(&u->arena);
	u->bytes = 0;
}

/* The first rule that fits decides. */
static const struct lock_rule *rule_for(const struct lock_package *p, const char *member)
{
	for (size_t i = 0; i < p->rules.n; i++)
		if (pattern_match(p->rules.at[i].glob, member))
			return &p->rules.at[i];
	return NULL;
}

/* Where a member goes below the folder. */
static char *target_of(const struct lock_rule *r, const char *member, struct arena *arena)
{
	size_t n = strlen(r->target);

	if (r->target[n - 1] != '/')
		return arena_strdup(arena, r->target);
	return arena_printf(arena, "%s%s", r->target, member + pattern_fixed_folders(r->glob));
}

/* Copies the member that the archive is at. */
static int copy_member(struct unpack_job *j, int fd, struct unpacked_file *file, struct err *e)
{
	uint64_t left = UNPACK_MAX_BYTES - j->out->bytes;
	struct sha256_ctx ctx;
	uint8_t step[STEP];
	size_t got = 0;
	int rc;

	sha256_init(&ctx);
	while (!(rc = j->reader->read(j->archive, step, sizeof step, &got, e)) && got) {
		file->bytes += got;
		if (file->bytes > left)
			return err_set(e, ERR_LIMIT, "the package unpacks to more than %llu bytes",
				       (unsigned long long)UNPACK_MAX_BYTES);
		sha256_update(&ctx, got, step);
		if (buf_write_fd(fd, step, got))
			return err_set(e, ERR_IO, "cannot write: %s", strerror(errno));
	}
	if (!rc)
		hash_text(&ctx, file->sha256);
	return rc;
}

/* O_EXCL: two members for one place are a mistake in the lock file or an attack, never a question of order. */
static int create_file(const char *path, unsigned mode, struct err *e)
{
	int fd, rc = place_make_parents(path, e);

	if (rc)
		return rc;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode & 0111 ? 0777 : 0666);
	if (fd < 0 && errno == EEXIST)
		return err_set(e, ERR_INPUT, "two members go to '%s'", path);
	return fd < 0 ? err_set(e, ERR_IO, "cannot write '%s': %s", path, strerror(errno)) : fd;
}

static int extract(struct unpack_job *j, unsigned mode, const char *target, struct err *e)
{
	struct unpacked_file file = {.path = target};
	char path[PLACE_PATH];
	int fd, rc = place_path(path, e, "%s/%s", j->folder, target);

	if (rc)
		return rc;
	fd = create_file(path, mode, e);
	if (fd < 0)
		return fd;
	rc = copy_member(j, fd, &file, e);
	if (close(fd) && !rc)
		rc = err_set(e, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
	if (!rc && vec_push(&j->out->files, file))
		rc = err_nomem(e, "a list of files", 0);
	j->out->bytes += file.bytes;
	return rc;
}

static int take_member(struct unpack_job *j, const struct archive_member *m, struct err *e)
{
	const char *member = m->name;
	const struct lock_rule *r;
	size_t n = strlen(member), index;
	char *target;
	int rc;

	if (!n)
		return err_set(e, ERR_INPUT, "a member without a name");
	r = rule_for(j->package, member);
	if (!r || !r->target || member[n - 1] == '/')
		return 0;
	if (!path_is_safe(member))
		return err_set(e, ERR_INPUT, "member '%.200s' leads out of the folder it is unpacked to", member);
	if ((m->mode & S_IFMT) == S_IFLNK)
		return err_set(e, ERR_INPUT, "member '%s' is a symbolic link", member);
	index = (size_t)(r - j->package->rules.at);
	if (j->taken[index]++ && r->target[strlen(r->target) - 1] != '/')
		return err_set(e, ERR_INPUT, "'%s' fits several members, one of them '%s'", r->glob, member);
	target = target_of(r, member, &j->out->arena);
	if (!target)
		return err_nomem(e, "a path", n);
	rc = path_is_safe(target) ? extract(j, m->mode, target, e)
				  : err_set(e, ERR_LIMIT, "target '%.200s' is too long", target);
	return rc ? err_prefix(e, "member '%s'", member) : 0;
}

/* A version that is not locked may lie otherwise than the one whose rules it has: what they name in full must be there,
 * folders of headers and the like need not. */
static int must_fit(const struct lock_package *p, const struct lock_rule *r)
{
	return r->target && (*p->sha256 || !strpbrk(r->glob, "*?"));
}

static int check_rules(const struct unpack_job *j, struct err *e)
{
	for (size_t i = 0; i < j->package->rules.n; i++)
		if (must_fit(j->package, &j->package->rules.at[i]) && !j->taken[i])
			return err_set(e, ERR_INPUT, "no member fits '%s' of line %d", j->package->rules.at[i].glob,
				       j->package->rules.at[i].line);
	return 0;
}

static int take_members(struct unpack_job *j, const struct unpack_progress *progress, struct err *e)
{
	enum archive_next found;
	struct archive_member m;
	uint64_t done, total;

	for (int n = 0; (found = j->reader->next(j->archive, &m, e)) == ARCHIVE_MEMBER; n++) {
		if (n == UNPACK_MAX_MEMBERS)
			return err_set(e, ERR_LIMIT, "more than %d members", UNPACK_MAX_MEMBERS);
		j->reader->tell(j->archive, &done, &total);
		if (progress)
			progress->step(progress->arg, (size_t)done, (size_t)total);
		if (take_member(j, &m, e))
			return e->code;
	}
	return found == ARCHIVE_FAILED ? e->code : check_rules(j, e);
}

int unpack_package(const char *archive, const struct lock_package *p, const char *folder, struct unpacked *out,
		   const struct unpack_progress *progress, struct err *e)
{
	struct unpack_job j = {.reader = p->source == LOCK_NPM ? &archive_tar : &archive_zip,
			       .package = p,
			       .folder = folder,
			       .out = out};
	int rc;

	j.taken = mem_array(p->rules.n + 1, sizeof *j.taken);
	if (!j.taken)
		return err_nomem(e, "rules", 0);
	j.archive = j.reader->open(archive, e);
	rc = j.archive ? take_members(&j, progress, e) : e->code;
	if (j.archive)
		j.reader->close(j.archive);
	mem_free(j.taken);
	return rc ? err_prefix(e, "cannot unpack '%s'", archive) : 0;
}
