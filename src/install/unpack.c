/* unpack.c - see unpack.h. */
#include "install/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/place.h"
#include "install/pattern.h"

#define STEP 65536

struct unpack_job {
	zip_t *zip;
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

/* Unix mode of a member: 0 when the archive was made elsewhere. */
static unsigned mode_of(zip_t *z, zip_uint64_t i)
{
	zip_uint32_t attributes = 0;
	zip_uint8_t system = 0;

	if (zip_file_get_external_attributes(z, i, 0, &system, &attributes) || system != ZIP_OPSYS_UNIX)
		return 0;
	return attributes >> 16;
}

/* Copies the opened member; libzip compares the checksum at its end. */
static int copy_member(zip_file_t *from, int fd, uint64_t left, struct unpacked_file *file, struct err *e)
{
	struct sha256_ctx ctx;
	uint8_t step[STEP];
	zip_int64_t got;

	sha256_init(&ctx);
	while ((got = zip_fread(from, step, sizeof step)) > 0) {
		file->bytes += (uint64_t)got;
		if (file->bytes > left)
			return err_set(e, ERR_LIMIT, "the package unpacks to more than %llu bytes",
				       (unsigned long long)UNPACK_MAX_BYTES);
		sha256_update(&ctx, (size_t)got, step);
		if (buf_write_fd(fd, step, (size_t)got))
			return err_set(e, ERR_IO, "cannot write: %s", strerror(errno));
	}
	if (got < 0)
		return err_set(e, ERR_INPUT, "%s", zip_file_strerror(from));
	hash_text(&ctx, file->sha256);
	return 0;
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

static int extract(struct unpack_job *j, zip_uint64_t i, const char *target, struct err *e)
{
	struct unpacked_file file = {.path = target};
	char path[PLACE_PATH];
	zip_file_t *from;
	int fd, rc = place_path(path, e, "%s/%s", j->folder, target);

	if (rc)
		return rc;
	fd = create_file(path, mode_of(j->zip, i), e);
	if (fd < 0)
		return fd;
	from = zip_fopen_index(j->zip, i, 0);
	rc = from ? copy_member(from, fd, UNPACK_MAX_BYTES - j->out->bytes, &file, e)
		  : err_set(e, ERR_INPUT, "%s", zip_strerror(j->zip));
	if (from)
		zip_fclose(from);
	if (close(fd) && !rc)
		rc = err_set(e, ERR_IO, "cannot write '%s': %s", path, strerror(errno));
	if (!rc && vec_push(&j->out->files, file))
		rc = err_nomem(e, "a list of files", 0);
	j->out->bytes += file.bytes;
	return rc;
}

static int take_member(struct unpack_job *j, zip_uint64_t i, struct err *e)
{
	const char *member = zip_get_name(j->zip, i, ZIP_FL_ENC_RAW);
	const struct lock_rule *r;
	size_t n = member ? strlen(member) : 0, index;
	char *target;
	int rc;

	if (!n)
		return err_set(e, ERR_INPUT, "a member without a name");
	r = rule_for(j->package, member);
	if (!r || !r->target || member[n - 1] == '/')
		return 0;
	if (!path_is_safe(member))
		return err_set(e, ERR_INPUT, "member '%.200s' leads out of the folder it is unpacked to", member);
	if ((mode_of(j->zip, i) & S_IFMT) == S_IFLNK)
		return err_set(e, ERR_INPUT, "member '%s' is a symbolic link", member);
	index = (size_t)(r - j->package->rules.at);
	if (j->taken[index]++ && r->target[strlen(r->target) - 1] != '/')
		return err_set(e, ERR_INPUT, "'%s' fits several members, one of them '%s'", r->glob, member);
	target = target_of(r, member, &j->out->arena);
	if (!target)
		return err_nomem(e, "a path", n);
	rc = path_is_safe(target) ? extract(j, i, target, e)
				  : err_set(e, ERR_LIMIT, "target '%.200s' is too long", target);
	return rc ? err_prefix(e, "member '%s'", member) : 0;
}

/* A version that is not locked may lie otherwise than the one whose rules it has: what they name in full must be there,
 * folders of headers and the like need not. */
static int must_fit(const struct lock_package *p, const struct lock_rule *r)
{
	return r->target && (*p->sha256 || !strpbrk(r->glob, "*?"));
}

static int take_members(struct unpack_job *j, const struct unpack_progress *progress, struct err *e)
{
	zip_int64_t n = zip_get_num_entries(j->zip, 0);
	int rc = 0;

	if (n > UNPACK_MAX_MEMBERS)
		return err_set(e, ERR_LIMIT, "%lld members, more than %d", (long long)n, UNPACK_MAX_MEMBERS);
	for (zip_int64_t i = 0; !rc && i < n; i++) {
		if (progress)
			progress->step(progress->arg, (size_t)i, (size_t)n);
		rc = take_member(j, (zip_uint64_t)i, e);
	}
	for (size_t i = 0; !rc && i < j->package->rules.n; i++)
		if (must_fit(j->package, &j->package->rules.at[i]) && !j->taken[i])
			rc = err_set(e, ERR_INPUT, "no member fits '%s' of line %d", j->package->rules.at[i].glob,
				     j->package->rules.at[i].line);
	return rc;
}

int unpack_package(const char *archive, const struct lock_package *p, const char *folder, struct unpacked *out,
		   const struct unpack_progress *progress, struct err *e)
{
	struct unpack_job j = {.package = p, .folder = folder, .out = out};
	int code = 0, rc;

	j.taken = mem_array(p->rules.n + 1, sizeof *j.taken);
	if (!j.taken)
		return err_nomem(e, "rules", 0);
	j.zip = zip_open(archive, ZIP_RDONLY, &code);
	if (!j.zip) {
		zip_error_t ze;

		zip_error_init_with_code(&ze, code);
		rc = err_set(e, ERR_INPUT, "%s", zip_error_strerror(&ze));
		zip_error_fini(&ze);
	} else {
		rc = take_members(&j, progress, e);
		zip_discard(j.zip);
	}
	mem_free(j.taken);
	return rc ? err_prefix(e, "cannot unpack '%s'", archive) : 0;
}
