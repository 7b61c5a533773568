/* steps.c - see steps.h. */
#include "install/steps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/child.h"
#include "base/clock.h"
#include "base/place.h"
#include "install/elf.h"
#include "install/pattern.h"

#define MAX_WORDS 64
#define TAIL 700
#define MAX_SOURCE (1 << 20)
#define MAX_STUB (1 << 16) /* bytes of C */

static const char no_compiler[] = "a compiler is needed: install g++, or set CC and CXX";

/* One step that is being run. */
struct install_step {
	const struct lock_step *row;
	const char *folder;
	struct unpacked *files;
	const struct install_watch *watch; /* may be NULL */
	double start;                      /* of the compiler */
	char target[PLACE_PATH];           /* its first or second word, below the folder */
};

#define STEP(id, word, min, max) static int step_##id(struct install_step *s, struct err *e);
#include "install/steps.def"
#undef STEP

/* A word as a path below the folder, in s->target. */
static int set_path(struct install_step *s, const char *word, struct err *e)
{
	if (!path_is_safe(word) || word[strlen(word) - 1] == '/')
		return err_set(e, ERR_INPUT, "'%s' is not a file below the library's folder", word);
	if (place_path(s->target, e, "%s/%s", s->folder, word))
		return e->code;
	return place_make_parents(s->target, e);
}

static int set_target(struct install_step *s, size_t i, struct err *e)
{
	return set_path(s, s->row->words.at[i], e);
}

/* What a step made belongs to the library as what was unpacked. */
static int add_file(struct install_step *s, const char *name, struct err *e)
{
	struct unpacked_file f = {.path = name};
	int rc = hash_file(s->target, f.sha256, &f.bytes, e);

	if (!rc && vec_push(&s->files->files, f))
		rc = err_nomem(e, "a list of files", 0);
	s->files->bytes += f.bytes;
	return rc;
}

/* "@/lib" as the folder's lib, alone or behind a flag that takes a path. */
static const char *expand(const char *word, struct install_step *s)
{
	static const char *const flags[] = {"-I", "-L", "-isystem"};
	size_t skip = 0;

	for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
		if (!strncmp(word, flags[i], strlen(flags[i])))
			skip = strlen(flags[i]);
	if (word[skip] != '@')
		return word;
	return arena_printf(&s->files->arena, "%.*s%s%s", (int)skip, word, s->folder, word + skip + 1);
}

static void watch_compiler(void *arg)
{
	const struct install_step *s = arg;

	if (s->watch && s->watch->step)
		s->watch->step(s->watch->arg, s->row->name, INSTALL_SECONDS, (uint64_t)(clock_now() - s->start), 0);
}

static int compile(struct install_step *s, const char *const *argv, const char *missing, struct err *e)
{
	char log[PLACE_PATH], tail[TAIL];
	struct child c = {.argv = argv, .folder = s->folder, .log = log, .tick = watch_compiler, .arg = s};
	int status, rc = place_path(log, e, "%s/.compile.log", s->folder);

	s->start = clock_now();
	if (!rc)
		rc = child_run(&c, &status, e);
	if (rc == ERR_UNSUPPORTED)
		rc = err_prefix(e, "%s", missing);
	if (!rc && status) {
		child_log_tail(log, tail, sizeof tail);
		rc = err_set(e, ERR_IO, "'%s' failed with status %d: %s", argv[0], status, tail);
	}
	unlink(log);
	return rc;
}

static int step_compile_shim(struct install_step *s, struct err *e)
{
	const char *given = getenv("CXX");
	const char *argv[MAX_WORDS] = {given && *given ? given : "c++", "-shared", "-fPIC", "-O2", "-o", s->target};
	char source[PLACE_PATH];
	size_t n = 6;
	int rc = place_source(s->row->words.at[0], source, e);

	if (!rc)
		rc = set_target(s, 1, e);
	if (rc)
		return rc;
	argv[n++] = source;
	for (size_t i = 2; i < s->row->words.n; i++) {
		argv[n] = expand(s->row->words.at[i], s);
		if (!argv[n++])
			return err_nomem(e, "a command", 0);
	}
	rc = compile(s, argv, no_compiler, e);
	return rc ? rc : add_file(s, s->row->words.at[1], e);
}

/* ---- Rust ------------------------------------------------------------------------------------------------------ */

/* One file of this project at another place. */
static int copy_source(const char *name, const char *folder, const char *as, struct err *e)
{
	char from[PLACE_PATH], to[PLACE_PATH];
	struct buf b;
	int rc = place_source(name, from, e);

	buf_init(&b, MAX_SOURCE);
	if (!rc)
		rc = place_path(to, e, "%s/%s", folder, as);
	if (!rc)
		rc = place_make_parents(to, e);
	if (!rc)
		rc = buf_read_file(&b, from, MAX_SOURCE, e);
	if (!rc)
		rc = buf_write_file(b.data ? b.data : "", b.len, to, e);
	buf_release(&b);
	return rc;
}

/* What cargo built: lib<crate>.so, as the target is called too. */
static int take_built(struct install_step *s, const char *built, struct err *e)
{
	char path[PLACE_PATH];
	const char *slash = strrchr(s->target, '/');
	int rc = place_path(path, e, "%s/release%s", built, slash);

	if (!rc && rename(path, s->target))
		rc = err_set(e, ERR_IO, "cannot move '%s' to '%s': %s", path, s->target, strerror(errno));
	return rc ? rc : add_file(s, s->row->words.at[1], e);
}

static int run_cargo(struct install_step *s, const char *verb, const char *manifest, const char *built, struct err *e)
{
	static const char missing[] = "Rust is needed: install cargo (rustup), or set ASSAY_CARGO";
	const char *given = getenv("ASSAY_CARGO"), *program = given && *given ? given : "cargo";
	const char *const lock[] = {program, verb, "--manifest-path", manifest, NULL};
	const char *const build[] = {program,  verb,           "--release", "--locked", "--manifest-path",
				     manifest, "--target-dir", built,       NULL};

	return compile(s, built ? build : lock, missing, e);
}

/* The lock file `name` of this project as the crate's: it has the digests of all that cargo fetches, and not where
 * from, which is what cargo itself wrote into a lock file there as source = "…". */
static int write_cargo_lock(const char *name, const char *crate, struct err *e)
{
	static const char key[] = "\nsource = \"", before[] = "checksum = ";
	char from[PLACE_PATH], to[PLACE_PATH];
	const char *source;
	struct buf made, ours, out;
	int rc = place_source(name, from, e);

	buf_init(&made, MAX_SOURCE);
	buf_init(&ours, MAX_SOURCE);
	buf_init(&out, MAX_SOURCE);
	if (!rc)
		rc = place_path(to, e, "%s/Cargo.lock", crate);
	if (!rc)
		rc = buf_read_file(&made, to, MAX_SOURCE, e);
	if (!rc)
		rc = buf_read_file(&ours, from, MAX_SOURCE, e);
	source = !rc && made.data ? strstr(made.data, key) : NULL;
	if (!rc && !source)
		rc = err_set(e, ERR_IO, "cargo does not say where it fetches crates from");
	for (size_t at = 0, n; !rc && at < ours.len; at += n) {
		n = strcspn(ours.data + at, "\n");
		n += at + n < ours.len;
		if (!strncmp(ours.data + at, before, sizeof before - 1))
			buf_add(&out, source + 1, strcspn(source + 1, "\n") + 1);
		buf_add(&out, ours.data + at, n);
	}
	if (!rc)
		rc = buf_check(&out, e);
	if (!rc)
		rc = buf_write_file(out.data ? out.data : "", out.len, to, e);
	buf_release(&made);
	buf_release(&ours);
	buf_release(&out);
	return rc;
}

/* The crate that a manifest, its lock file and one source are; --locked makes cargo keep to the lock file. */
static int step_cargo_shim(struct install_step *s, struct err *e)
{
	const char *const *words = (const char *const *)s->row->words.at;
	char crate[PLACE_PATH], built[PLACE_PATH], manifest[PLACE_PATH];
	struct err ignored = ERR_INIT;
	int rc = set_target(s, 1, e);

	if (!rc)
		rc = place_path(crate, e, "%s/.crate", s->folder);
	if (!rc)
		rc = place_path(built, e, "%s/target", crate);
	if (!rc)
		rc = place_path(manifest, e, "%s/Cargo.toml", crate);
	if (!rc)
		rc = copy_source(words[0], crate, "src/lib.rs", e);
	if (!rc)
		rc = copy_source(words[2], crate, "Cargo.toml", e);
	if (!rc)
		rc = run_cargo(s, "generate-lockfile", manifest, NULL, e);
	if (!rc)
		rc = write_cargo_lock(words[3], crate, e);
	if (!rc)
		rc = run_cargo(s, "build", manifest, built, e);
	if (!rc)
		rc = take_built(s, built, e);
	place_remove_tree(crate, &ignored);
	return rc;
}

/* ---- stubs ------------------------------------------------------------------------------------------------------- */

/* A library that is nothing but the zeroed symbols of `text`, at s->target.  Its symbols have its name as their
 * version: a library that asks for one with a version is not loaded where the other has none. */
static int build_stub(struct install_step *s, const char *name, struct buf *text, struct err *e)
{
	const char *given = getenv("CC");
	char source[PLACE_PATH], soname[PLACE_PATH];
	const char *const argv[] = {given && *given ? given : "cc",
				    "-shared",
				    "-fPIC",
				    "-Wl,--default-symver",
				    "-o",
				    s->target,
				    soname,
				    source,
				    NULL};
	int rc = lock_is_name(name) ? 0 : err_set(e, ERR_INPUT, "'%s' is not the name of a library", name);

	if (!rc)
		rc = buf_check(text, e);
	if (!rc)
		rc = place_path(source, e, "%s/.stub.c", s->folder);
	if (!rc)
		rc = buf_write_file(text->data ? text->data : "", text->len, source, e);
	if (!rc && !place_path(soname, e, "-Wl,-soname,%s", name)) {
		rc = compile(s, argv, no_compiler, e);
		unlink(source);
	}
	return rc ? rc : add_file(s, s->row->words.at[0], e);
}

static int add_symbol(struct buf *text, const char *symbol, struct err *e)
{
	if (strspn(symbol, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") != strlen(symbol))
		return err_set(e, ERR_INPUT, "'%s' is not a symbol", symbol);
	buf_printf(text, "char %s[64];\n", symbol);
	return 0;
}

/* Old libraries name symbols of libraries that they never call on one machine; 64 zero bytes each are enough. */
static int step_stub_library(struct install_step *s, struct err *e)
{
	struct buf text;
	int rc = set_target(s, 0, e);

	buf_init(&text, MAX_STUB);
	for (size_t i = 2; !rc && i < s->row->words.n; i++)
		rc = add_symbol(&text, s->row->words.at[i], e);
	if (!rc)
		rc = build_stub(s, s->row->words.at[1], &text, e);
	buf_release(&text);
	return rc;
}

struct install_wanted {
	const struct install_step *s;
	struct buf *text;
};

/* One undefined symbol: it is stubbed when it begins with one of the step's prefixes. */
static int add_wanted(void *arg, const char *symbol, struct err *e)
{
	const struct install_wanted *w = arg;

	for (size_t i = 3; i < w->s->row->words.n; i++)
		if (!strncmp(symbol, w->s->row->words.at[i], strlen(w->s->row->words.at[i])))
			return add_symbol(w->text, symbol, e);
	return 0;
}

/* The same for whatever libraries that were unpacked ask for under these prefixes; two may ask for one symbol, which C
 * allows to declare twice. */
static int step_stub_undefined(struct install_step *s, struct err *e)
{
	char *at = arena_strdup(&s->files->arena, s->row->words.at[2]);
	struct buf text;
	struct install_wanted w = {s, &text};
	int rc = at ? 0 : err_nomem(e, "a step", 0);

	buf_init(&text, MAX_STUB);
	for (const char *library; !rc && (library = strsep(&at, ","));) {
		rc = set_path(s, library, e);
		if (!rc)
			rc = elf_undefined(s->target, add_wanted, &w, e);
	}
	if (!rc)
		rc = set_target(s, 0, e);
	if (!rc)
		rc = build_stub(s, s->row->words.at[1], &text, e);
	buf_release(&text);
	return rc;
}

/* ---- links ------------------------------------------------------------------------------------------------------- */

static int step_link(struct install_step *s, struct err *e)
{
	const char *name = s->row->words.at[1];
	int rc = set_target(s, 0, e);

	if (!rc && (!path_is_safe(name) || strchr(name, '/')))
		rc = err_set(e, ERR_INPUT, "'%s' is not a file beside the link", name);
	if (!rc && symlink(name, s->target))
		rc = err_set(e, ERR_IO, "cannot link '%s': %s", s->target, strerror(errno));
	return rc ? rc : add_file(s, s->row->words.at[0], e);
}

static const struct {
	const char *word;
	size_t min, max;
	int (*run)(struct install_step *s, struct err *e);
} steps[] = {
#define STEP(id, word, min, max) {word, min, max, step_##id},
#include "install/steps.def"
#undef STEP
};

int step_run(const struct lock_step *row, const char *folder, struct unpacked *files, const struct install_watch *watch,
	     struct err *e)
{
	struct install_step s = {.row = row, .folder = folder, .files = files, .watch = watch};
	int rc = err_set(e, ERR_INPUT, "there is no such step");

	for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
		if (strcmp(steps[i].word, row->name))
			continue;
		rc = row->words.n < steps[i].min || row->words.n > steps[i].max
			     ? err_set(e, ERR_INPUT, "%zu words, wanted %zu to %zu", row->words.n, steps[i].min,
				       steps[i].max)
			     : steps[i].run(&s, e);
		break;
	}
	return rc ? err_prefix(e, "step '%s' of line %d", row->name, row->line) : 0;
}
