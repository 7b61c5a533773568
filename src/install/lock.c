/* lock.c - see lock.h.
 *
 * A lock file decides what is fetched, unpacked and run, so each word is checked here, once: what the rest of the
 * installer gets from a struct lock is safe to be part of a path and an argument of a command. */
#include "install/lock.h"

#include <ctype.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/buf.h"
#include "base/mem.h"
#include "install/pattern.h"

#define LOCK_MAX_FILE (1 << 20)
#define LOCK_MAX_WORDS 64
#define LOCK_MAX_NAME 63
#define LOCK_MAX_BYTES (UINT64_C(1) << 40)
#define SHA256_HEX 64

struct lock_line {
	int number, n;
	char *words[LOCK_MAX_WORDS];
};

const char *lock_source_word(enum lock_source s)
{
	static const char *const words[] = {
#define X(id, word) word,
		LOCK_SOURCE_MAP(X)
#undef X
	};
	return words[s];
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static int only(const char *s, const char *signs)
{
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr(signs, *s))
			return 0;
	return 1;
}

int lock_is_name(const char *s)
{
	return isalnum((unsigned char)*s) && strlen(s) <= LOCK_MAX_NAME && only(s, "._+-");
}

static int is_sha256(const char *s)
{
	return strlen(s) == SHA256_HEX && strspn(s, "0123456789abcdef") == SHA256_HEX;
}

static int read_bytes(const char *s, uint64_t *out)
{
	uint64_t n = 0;

	if (!*s || strlen(s) > 13)
		return 0;
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return 0;
		n = n * 10 + (uint64_t)(*s - '0');
	}
	*out = n;
	return n > 0 && n <= LOCK_MAX_BYTES;
}

/* group:artifact:version[:classifier] */
static int is_maven(const char *s)
{
	int parts = 1;

	if (strlen(s) > 255 || !only(s, "._-:"))
		return 0;
	for (const char *p = s; *p; p++) {
		int first = p == s || p[-1] == ':';

		if (first && !isalnum((unsigned char)*p))
			return 0;
		parts += *p == ':';
	}
	return (parts == 3 || parts == 4) && s[strlen(s) - 1] != ':';
}

/* name@version */
static int is_npm(const char *s)
{
	const char *at = strchr(s, '@');

	return at && at - s <= LOCK_MAX_NAME && isalnum((unsigned char)*s) && only(s, "._-@") && lock_is_name(at + 1) &&
	       !strchr(at + 1, '@');
}

static int copy_part(char *out, size_t size, const char *from, const char *to)
{
	size_t n = (size_t)(to - from);

	if (!n || n >= size)
		return 0;
	memcpy(out, from, n);
	out[n] = '\0';
	return 1;
}

int wheel_name_parse(const char *file, struct wheel_name *out)
{
	const char *dash[5];
	size_t n = strlen(file), count = 0;

	if (n < 4 || n > 255 || strcmp(file + n - 4, ".whl") || !isalnum((unsigned char)*file) || !only(file, "._+!-"))
		return 0;
	for (const char *p = file; *p; p++)
		if (*p == '-') {
			if (count == 5)
				return 0;
			dash[count++] = p;
		}
	if (count < 4)
		return 0;
	return copy_part(out->project, sizeof out->project, file, dash[0]) &&
	       copy_part(out->version, sizeof out->version, dash[0] + 1, dash[1]) &&
	       copy_part(out->python, sizeof out->python, dash[count - 3] + 1, dash[count - 2]) &&
	       copy_part(out->abi, sizeof out->abi, dash[count - 2] + 1, dash[count - 1]) &&
	       copy_part(out->platform, sizeof out->platform, dash[count - 1] + 1, file + n - 4);
}

/* ---- statements -------------------------------------------------------------------------------------------------- */

static struct lock_version *last_version(struct lock *l)
{
	return &l->versions.at[l->versions.n - 1];
}

/* The words behind the first, as one text that a lock file has once. */
static int read_text(struct lock *l, const struct lock_line *in, const char **out, struct err *e)
{
	struct buf text;

	if (l->versions.n || *out)
		return err_set(e, ERR_INPUT, "one %s, before the first version", in->words[0]);
	buf_init(&text, LOCK_MAX_FILE);
	for (int i = 1; i < in->n; i++)
		buf_printf(&text, "%s%s", i > 1 ? " " : "", in->words[i]);
	if (!text.failed)
		*out = arena_strdup(&l->arena, text.data);
	buf_release(&text);
	return *out ? 0 : err_nomem(e, "a text", 0);
}

static int read_title(struct lock *l, const struct lock_line *in, struct err *e)
{
	return read_text(l, in, &l->title, e);
}

static int read_apart(struct lock *l, const struct lock_line *in, struct err *e)
{
	return read_text(l, in, &l->apart, e);
}

static int read_version(struct lock *l, const struct lock_line *in, struct err *e)
{
	struct lock_version v = {.version = in->words[1], .line = in->number};

	if (!lock_is_name(v.version))
		return err_set(e, ERR_INPUT, "'%s' is not a version", v.version);
	if (lock_find(l, v.version))
		return err_set(e, ERR_INPUT, "version '%s' is there twice", v.version);
	return vec_push(&l->versions, v) ? err_nomem(e, "versions", 0) : 0;
}

static int is_package(enum lock_source source, const char *name)
{
	struct wheel_name wheel;

	switch (source) {
	case LOCK_WHEEL:
		return wheel_name_parse(name, &wheel);
	case LOCK_MAVEN:
		return is_maven(name);
	case LOCK_NPM:
		return is_npm(name);
	case LOCK_FILE:
		return *name != '-' && strlen(name) <= PATH_MAX_BYTES;
	}
	return 0;
}

static int read_package(struct lock *l, const struct lock_line *in, struct err *e)
{
	struct lock_package p = {.name = in->words[1], .sha256 = in->words[3], .line = in->number};

	while (strcmp(lock_source_word(p.source), in->words[0]))
		p.source++;
	if (!is_package(p.source, p.name))
		return err_set(e, ERR_INPUT, "'%s' names no %s package", p.name, in->words[0]);
	if (!read_bytes(in->words[2], &p.bytes))
		return err_set(e, ERR_INPUT, "'%s' is not a number of bytes", in->words[2]);
	if (!is_sha256(p.sha256))
		return err_set(e, ERR_INPUT, "'%s' is not a SHA-256 of 64 lower-case digits", p.sha256);
	return vec_push(&last_version(l)->packages, p) ? err_nomem(e, "packages", 0) : 0;
}

static int read_rule(struct lock *l, const struct lock_line *in, struct err *e)
{
	struct lock_version *v = last_version(l);
	struct lock_rule r = {.glob = in->words[1], .target = in->n > 2 ? in->words[2] : NULL, .line = in->number};

	if (!v->packages.n)
		return err_set(e, ERR_INPUT, "'%s' belongs below a package", in->words[0]);
	if (strlen(r.glob) > PATH_MAX_BYTES)
		return err_set(e, ERR_INPUT, "a pattern of more than %d characters", PATH_MAX_BYTES);
	if (r.target && !path_is_safe(r.target))
		return err_set(e, ERR_INPUT, "target '%s' leads out of the library's folder", r.target);
	return vec_push(&v->packages.at[v->packages.n - 1].rules, r) ? err_nomem(e, "rules", 0) : 0;
}

static int read_python(struct lock *l, const struct lock_line *in, struct err *e)
{
	(void)in;
	(void)e;
	last_version(l)->python = 1;
	return 0;
}

static int read_need(struct lock *l, const struct lock_line *in, struct err *e)
{
	struct lock_need need = {in->words[1], in->words[2]};

	if (!lock_is_name(need.soname) || !lock_is_name(need.package))
		return err_set(e, ERR_INPUT, "'needs' wants a library's file name and a package");
	return vec_push(&last_version(l)->needs, need) ? err_nomem(e, "needs", 0) : 0;
}

static int read_step(struct lock *l, const struct lock_line *in, struct err *e)
{
	struct lock_version *v = last_version(l);
	struct lock_step s = {.name = in->words[1], .line = in->number};

	if (vec_push(&v->steps, s))
		return err_nomem(e, "steps", 0);
	for (int i = 2; i < in->n; i++)
		if (vec_push(&v->steps.at[v->steps.n - 1].words, in->words[i]))
			return err_nomem(e, "steps", 0);
	return 0;
}

static const struct statement {
	const char *word;
	int min, max; /* words, with the first */
	int outside;  /* may stand before the first version */
	int (*read)(struct lock *l, const struct lock_line *in, struct err *e);
	const char *usage;
} statements[] = {
	{"title", 2, LOCK_MAX_WORDS, 1, read_title, "title TEXT"},
	{"apart", 2, LOCK_MAX_WORDS, 1, read_apart, "apart REASON"},
	{"version", 2, 2, 1, read_version, "version V"},
	{"wheel", 4, 4, 0, read_package, "wheel FILE BYTES SHA256"},
	{"maven", 4, 4, 0, read_package, "maven GROUP:ARTIFACT:VERSION[:CLASSIFIER] BYTES SHA256"},
	{"npm", 4, 4, 0, read_package, "npm NAME@VERSION BYTES SHA256"},
	{"file", 4, 4, 0, read_package, "file PATH BYTES SHA256"},
	{"take", 3, 3, 0, read_rule, "take GLOB TARGET"},
	{"skip", 2, 2, 0, read_rule, "skip GLOB"},
	{"python", 1, 1, 0, read_python, "python"},
	{"needs", 3, 3, 0, read_need, "needs SONAME PACKAGE"},
	{"step", 2, LOCK_MAX_WORDS, 0, read_step, "step NAME [WORD…]"},
};

static int read_statement(struct lock *l, const struct lock_line *in, struct err *e)
{
	for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
		const struct statement *s = &statements[i];

		if (strcmp(s->word, in->words[0]))
			continue;
		if (in->n < s->min || in->n > s->max)
			return err_set(e, ERR_INPUT, "%d words, wanted: %s", in->n, s->usage);
		if (!s->outside && !l->versions.n)
			return err_set(e, ERR_INPUT, "'%s' before the first version", s->word);
		return s->read(l, in, e);
	}
	return err_set(e, ERR_INPUT, "unknown statement '%s'", in->words[0]);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* Cuts a line into words; the words stay in the text, which the lock's arena owns. */
static int split(char *text, struct lock_line *out, struct err *e)
{
	out->n = 0;
	for (char *p = text; *p;) {
		p += strspn(p, " \t\r");
		if (!*p || (*p == '#' && !out->n))
			return 0;
		if (out->n == LOCK_MAX_WORDS)
			return err_set(e, ERR_INPUT, "more than %d words", LOCK_MAX_WORDS);
		out->words[out->n++] = p;
		for (; *p && !strchr(" \t\r", *p); p++)
			if (iscntrl((unsigned char)*p))
				return err_set(e, ERR_INPUT, "a control character");
		if (*p)
			*p++ = '\0';
	}
	return 0;
}

static int check_version(const struct lock_version *v, struct err *e)
{
	if (!v->packages.n)
		return err_set(e, ERR_INPUT, "version '%s' has no package", v->version);
	for (size_t i = 0; i < v->packages.n; i++)
		if (!v->packages.at[i].rules.n)
			return err_set(e, ERR_INPUT, "nothing is taken from '%s'", v->packages.at[i].name);
	return 0;
}

static int parse_lines(struct lock *l, char *text, struct err *e)
{
	struct lock_line in = {0};
	int rc = 0;

	for (char *next; !rc && text; text = next) {
		next = strchr(text, '\n');
		if (next)
			*next++ = '\0';
		in.number++;
		rc = split(text, &in, e);
		if (!rc && in.n)
			rc = read_statement(l, &in, e);
	}
	if (rc)
		return err_prefix(e, "'%s' line %d", l->path, in.number);
	if (!l->versions.n)
		return err_set(e, ERR_INPUT, "'%s': no version in it", l->path);
	for (size_t i = 0; !rc && i < l->versions.n; i++)
		if ((rc = check_version(&l->versions.at[i], e)))
			err_prefix(e, "'%s' line %d", l->path, l->versions.at[i].line);
	return rc;
}

/* The library's name from the file's. */
static int name_lock(struct lock *l, const char *path, struct err *e)
{
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	size_t n = strlen(base), suffix = sizeof LOCK_SUFFIX - 1;

	if (n <= suffix || strcmp(base + n - suffix, LOCK_SUFFIX))
		return err_set(e, ERR_INPUT, "'%s': a lock file's name ends in " LOCK_SUFFIX, path);
	l->name = arena_strndup(&l->arena, base, n - suffix);
	l->path = arena_strdup(&l->arena, path);
	if (!l->name || !l->path)
		return err_nomem(e, "a lock file", 0);
	return lock_is_name(l->name)
		       ? 0
		       : err_set(e, ERR_INPUT, "'%s': '%s' cannot be the name of a library", path, l->name);
}

int lock_parse(const char *text, size_t n, const char *path, struct lock *out, struct err *e)
{
	struct lock l = {.arena = ARENA_INIT};
	char *copy;
	int rc;

	if (n > LOCK_MAX_FILE)
		return err_set(e, ERR_LIMIT, "'%s': more than %d bytes", path, LOCK_MAX_FILE);
	if (memchr(text, '\0', n))
		return err_set(e, ERR_INPUT, "'%s': a zero byte in it", path);
	copy = arena_strndup(&l.arena, text, n);
	rc = copy ? name_lock(&l, path, e) : err_nomem(e, "a lock file", n);
	if (!rc)
		rc = parse_lines(&l, copy, e);
	if (!rc && !l.title)
		l.title = l.name;
	if (rc)
		lock_release(&l);
	else
		*out = l;
	return rc;
}

int lock_read(const char *path, struct lock *out, struct err *e)
{
	struct buf b;
	int rc;

	buf_init(&b, LOCK_MAX_FILE);
	rc = buf_read_file(&b, path, LOCK_MAX_FILE, e);
	if (rc)
		return rc;
	rc = lock_parse(b.data, b.len, path, out, e);
	buf_release(&b);
	return rc;
}

void lock_release(struct lock *l)
{
	for (size_t i = 0; i < l->versions.n; i++) {
		struct lock_version *v = &l->versions.at[i];

		for (size_t k = 0; k < v->packages.n; k++)
			vec_release(&v->packages.at[k].rules);
		for (size_t k = 0; k < v->steps.n; k++)
			vec_release(&v->steps.at[k].words);
		vec_release(&v->packages);
		vec_release(&v->needs);
		vec_release(&v->steps);
	}
	vec_release(&l->versions);
	arena_release(&l->arena);
}

const struct lock_version *lock_find(const struct lock *l, const char *version)
{
	for (size_t i = 0; i < l->versions.n; i++)
		if (!strcmp(l->versions.at[i].version, version))
			return &l->versions.at[i];
	return NULL;
}

/* ---- what it comes to -------------------------------------------------------------------------------------------- */

const char *lock_machine(void)
{
	static _Thread_local struct utsname name;

	return uname(&name) ? "" : name.machine;
}

int lock_fits(const struct lock_package *p, const char *machine)
{
	struct wheel_name w;
	size_t n, end = strlen(machine);

	if (p->source != LOCK_WHEEL || !wheel_name_parse(p->name, &w) || !strcmp(w.platform, "any"))
		return 1;
	n = strlen(w.platform);
	return n > end && w.platform[n - end - 1] == '_' && !strcmp(w.platform + n - end, machine);
}

/* True when an earlier wheel is of the same project: for another Python, of which one is installed. */
static int is_alternative(const struct lock_version *v, size_t i, const char *machine)
{
	const char *name = v->packages.at[i].name;
	size_t n = strcspn(name, "-") + 1;

	if (!v->python || v->packages.at[i].source != LOCK_WHEEL)
		return 0;
	for (size_t k = 0; k < i; k++)
		if (v->packages.at[k].source == LOCK_WHEEL && lock_fits(&v->packages.at[k], machine) &&
		    !strncmp(v->packages.at[k].name, name, n))
			return 1;
	return 0;
}

uint64_t lock_bytes(const struct lock_version *v)
{
	const char *machine = lock_machine();
	uint64_t bytes = 0;

	for (size_t i = 0; i < v->packages.n; i++)
		if (lock_fits(&v->packages.at[i], machine) && !is_alternative(v, i, machine))
			bytes += v->packages.at[i].bytes;
	return bytes;
}
