/* spec.c - see spec.h. */
#include "worker/parent/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"
#include "worker/parent/internal_spec.h"

#define MAX_WORDS 64 /* options, arguments or variables of one backend */

size_t spec_name_length(const char *backend)
{
	return strcspn(backend, "-");
}

int spec_is(const char *backend, const char *name)
{
	size_t n = spec_name_length(backend);

	return !strcmp(backend, name) || (!strncmp(backend, name, n) && !name[n]);
}

/* ---- words ------------------------------------------------------------------------------------------------------- */

static char *copy_of(const char *text, size_t n)
{
	char *copy = mem_alloc(n + 1);

	if (copy) {
		memcpy(copy, text, n);
		copy[n] = '\0';
	}
	return copy;
}

/* Calls use(s, word) for each word of a text; `between` separates them. */
typedef int word_user(struct worker_spec *s, const char *word, struct err *e);

static int for_each_word(struct worker_spec *s, const char *text, const char *between, word_user *use, struct err *e)
{
	int rc = 0;

	while (!rc && *(text += strspn(text, between))) {
		size_t n = strcspn(text, between);
		char *word = copy_of(text, n);

		rc = word ? use(s, word, e) : err_nomem(e, "a backend", n);
		mem_free(word);
		text += n;
	}
	return rc;
}

/* Adds a copy of a word to a NULL-terminated list; `key` bytes of it are a name that an earlier word may have. */
static int put_word(char ***list, const char *word, size_t key, struct err *e)
{
	char *copy = mem_strdup(word);
	size_t n = 0;

	if (!*list)
		*list = mem_array(MAX_WORDS + 1, sizeof **list);
	if (!copy || !*list) {
		mem_free(copy);
		return err_nomem(e, "a backend", strlen(word));
	}
	while ((*list)[n] && !(key && !strncmp((*list)[n], word, key)))
		n++;
	if (n == MAX_WORDS) {
		mem_free(copy);
		return err_set(e, ERR_USAGE, "more than %d words for one backend", MAX_WORDS);
	}
	mem_free((*list)[n]);
	(*list)[n] = copy;
	return 0;
}

int spec_set_env(struct worker_spec *s, const char *word, struct err *e)
{
	return put_word(&s->env, word, strcspn(word, "=") + 1, e);
}

int spec_add_arg(struct worker_spec *s, const char *word, struct err *e)
{
	return put_word(&s->args, word, 0, e);
}

static void free_words(char **list)
{
	for (size_t i = 0; list && list[i]; i++)
		mem_free(list[i]);
	mem_free(list);
}

/* ---- options ----------------------------------------------------------------------------------------------------- */

const char *spec_option(const struct worker_spec *s, const char *name)
{
	for (size_t i = 0; i < s->n_options; i++)
		if (!strcmp(s->options[i].name, name))
			return s->options[i].value;
	return NULL;
}

int spec_set_option(struct worker_spec *s, const char *name, const char *value, struct err *e)
{
	char *copy = mem_strdup(value), *key = NULL;
	size_t i = 0;

	if (!s->options)
		s->options = mem_array(MAX_WORDS, sizeof *s->options);
	while (s->options && i < s->n_options && strcmp(s->options[i].name, name))
		i++;
	if (i == MAX_WORDS) {
		mem_free(copy);
		return err_set(e, ERR_USAGE, "more than %d options for backend '%s'", MAX_WORDS, s->name);
	}
	key = s->options && i == s->n_options ? mem_strdup(name) : NULL;
	if (!copy || !s->options || (i == s->n_options && !key)) {
		mem_free(copy);
		mem_free(key);
		return err_nomem(e, "options", 0);
	}
	if (key) {
		s->options[i].name = key;
		s->n_options++;
	}
	mem_free((char *)s->options[i].value);
	s->options[i].value = copy;
	return 0;
}

static int add_option(struct worker_spec *s, const char *word, struct err *e)
{
	size_t n = strcspn(word, "=");
	char *name = copy_of(word, n);
	int rc = name ? spec_set_option(s, name, word[n] ? word + n + 1 : "", e) : err_nomem(e, "options", n);

	mem_free(name);
	return rc;
}

const struct spec_option_set *spec_find_set(const char *backend, const char *set, size_t n)
{
	size_t name = strcspn(backend, "@:=");

	for (const struct spec_option_set *s = spec_option_sets; s->name; s++)
		if (strlen(s->backend) == name && !strncmp(s->backend, backend, name) && strlen(s->name) == n &&
		    !strncmp(s->name, set, n))
			return s;
	return NULL;
}

/* One part after the colon: NAME=VALUE, or an option set. */
static int add_part(struct worker_spec *s, const char *part, struct err *e)
{
	const struct spec_option_set *o;
	int rc;

	if (strchr(part, '=')) {
		rc = spec_check_option(s->backend, part, e);
		return rc ? rc : add_option(s, part, e);
	}
	if (spec_find(s->backend)->kind == SPEC_OWN)
		return spec_set_option(s, s->backend, part, e);
	o = spec_find_set(s->backend, part, strlen(part));
	if (!o)
		return spec_no_set(s->backend, part, e);
	rc = for_each_word(s, o->options, " ", add_option, e);
	return rc ? rc : for_each_word(s, o->environment, " ", spec_set_env, e);
}

/* ---- specs ------------------------------------------------------------------------------------------------------- */

void spec_name_set(const char *backend, const char *set, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s", backend, !set ? "" : strchr(backend, ':') ? "+" : ":", set ? set : "");
}

void spec_release(struct worker_spec *s)
{
	mem_free(s->name);
	mem_free(s->program);
	free_words(s->args);
	free_words(s->env);
	mem_free(s->folder);
	mem_free(s->backend);
	mem_free(s->library);
	mem_free(s->version);
	for (size_t i = 0; i < s->n_options; i++) {
		mem_free((char *)s->options[i].name);
		mem_free((char *)s->options[i].value);
	}
	mem_free(s->options);
	*s = (struct worker_spec){0};
}

const char *spec_plain_name(const struct worker_spec *s, char *out, size_t size)
{
	const char *options = strcmp(s->backend, "exec") ? strchr(s->name, ':') : NULL;

	snprintf(out, size, "%s%s", strcmp(s->backend, "exec") ? s->backend : s->name, options ? options : "");
	return out;
}

int spec_is_reference(const struct worker_spec *s)
{
	return !s->program;
}

static int replace(char **to, const char *text, struct err *e)
{
	char *copy = mem_strdup(text);

	if (!copy)
		return err_nomem(e, "a backend", strlen(text));
	mem_free(*to);
	*to = copy;
	return 0;
}

static int copy_text(char **to, const char *text, struct err *e)
{
	return text ? replace(to, text, e) : 0;
}

int spec_copy(const struct worker_spec *s, struct worker_spec *out, struct err *e)
{
	struct worker_spec c = {0};
	int rc = copy_text(&c.name, s->name, e);

	if (!rc)
		rc = copy_text(&c.program, s->program, e);
	if (!rc)
		rc = copy_text(&c.folder, s->folder, e);
	if (!rc)
		rc = copy_text(&c.backend, s->backend, e);
	if (!rc)
		rc = copy_text(&c.library, s->library, e);
	if (!rc)
		rc = copy_text(&c.version, s->version, e);
	for (size_t i = 0; s->args && s->args[i] && !rc; i++)
		rc = spec_add_arg(&c, s->args[i], e);
	for (size_t i = 0; s->env && s->env[i] && !rc; i++)
		rc = spec_set_env(&c, s->env[i], e);
	for (size_t i = 0; i < s->n_options && !rc; i++)
		rc = spec_set_option(&c, s->options[i].name, s->options[i].value, e);
	if (rc)
		spec_release(&c);
	else
		*out = c;
	return rc;
}

static int unknown_backend(const char *name, struct err *e)
{
	struct near n = NEAR(name);

	if (strchr(name, ','))
		return err_set(e, ERR_USAGE, "'%s' is a list: this takes one backend", name);
	if (!*name)
		return err_set(e, ERR_USAGE, "a backend without a name; 'assay backends' lists them");
	return err_set(e, ERR_USAGE, "unknown backend '%s'%s; 'assay backends' lists them", name, spec_hint(&n));
}

/* A backend for GPUs needs one: without it there is nothing to install either. */
static int check_device(const struct worker_spec *s, const struct spec_backend *b, struct err *e)
{
	static const char device[] = "/dev/nvidia0";
	const char *wanted = spec_option(s, "device");

	if (!wanted || strcmp(wanted, "cuda") || !access(device, F_OK))
		return 0;
	return err_set(e, ERR_UNSUPPORTED, "backend '%s' is absent: no GPU, there is no '%s'", b->name, device);
}

/* Version and folder of what is installed; `version` NULL: the newest. */
static int find_library(struct worker_spec *s, const struct spec_backend *b, const char *version, struct err *e)
{
	struct spec_installed_list l = VEC_INIT;
	int rc = spec_find_installed(b->name, &l, e), found = 0;

	for (size_t i = 0; i < l.n && !rc && !found; i++) {
		if (version && strcmp(version, l.at[i].version))
			continue;
		found = 1;
		rc = replace(&s->folder, l.at[i].folder, e);
		if (!rc)
			rc = replace(&s->version, l.at[i].version, e);
	}
	if (!rc && !found)
		rc = err_set(e, ERR_USAGE, "backend '%s%s%s' is not installed; 'assay backends install %s%s%s' gets it",
			     b->name, version ? "@" : "", version ? version : "", b->name, version ? "@" : "",
			     version ? version : "");
	spec_installed_release(&l);
	return rc;
}

/* A local build: PATH is a folder, or the library's file. */
static int find_build(struct worker_spec *s, const char *path, struct err *e)
{
	char real[SPEC_PATH]; /* as long as any path */

	if (!realpath(path, real))
		return err_set(e, ERR_USAGE, "backend '%s': there is no '%s'", s->name, path);
	return replace(&s->folder, real, e);
}

int spec_adopt(struct worker_spec *s, const char *library, const char *version, struct err *e)
{
	int rc = 0;

	if (strcmp(s->backend, "exec") != 0)
		return 0;
	if (*library)
		rc = replace(&s->library, library, e);
	return rc ? rc : replace(&s->version, version, e);
}

static int make_exec(struct worker_spec *s, const char *command, struct err *e)
{
	int rc = spec_split_command(s, command, e);

	if (!rc && !s->args)
		rc = err_set(e, ERR_USAGE, "backend 'exec:' needs a command");
	if (rc)
		return rc;
	s->program = spec_find_in_path(s->args[0]);
	if (!s->program)
		return err_set(e, ERR_USAGE, "backend '%s': cannot find program '%s'", s->name, s->args[0]);
	mem_free(s->args[0]);
	memmove(s->args, s->args + 1, MAX_WORDS * sizeof *s->args);
	return 0;
}

static int find_worker(struct worker_spec *s, const struct spec_backend *b, struct err *e)
{
	if (b->kind == SPEC_PYTHON || b->kind == SPEC_NODE)
		return spec_find_script(s, b, e);
	return b->kind == SPEC_REWRITE ? spec_find_rewrite(s, e) : spec_find_program(s, b, e);
}

/* name, version and options are cut out of one copy of the text. */
static int make_named(struct worker_spec *s, char *text, struct err *e)
{
	char *options = strchr(text, ':'), *version, *build;
	const struct spec_backend *b;
	int rc;

	if (options)
		*options++ = '\0';
	build = strchr(text, '=');
	if (build)
		*build++ = '\0';
	version = strchr(text, '@');
	if (version)
		*version++ = '\0';
	if (version && build)
		return err_set(e, ERR_USAGE, "backend '%s': a build at '%s' has a version of its own", s->name, build);
	b = spec_find(text);
	if (!b)
		return unknown_backend(text, e);
	rc = replace(&s->backend, b->name, e);
	if (rc)
		return rc;
	if (b->kind == SPEC_INSIDE)
		return options || version || build
			       ? err_set(e, ERR_USAGE, "backend '%s' has no versions or options", b->name)
			       : 0;
	rc = replace(&s->library, b->library, e);
	if (!rc)
		rc = for_each_word(s, b->options, " ", add_option, e);
	if (!rc)
		rc = for_each_word(s, b->environment, " ", spec_set_env, e);
	if (!rc && options)
		rc = for_each_word(s, options, "+", add_part, e);
	if (!rc)
		rc = check_device(s, b, e);
	if (!rc && b->kind == SPEC_OWN)
		rc = version || build ? err_set(e, ERR_USAGE, "backend '%s' has no versions", b->name)
				      : replace(&s->version, ASSAY_VERSION, e);
	else if (!rc)
		rc = build ? find_build(s, build, e) : find_library(s, b, version, e);
	return rc ? rc : find_worker(s, b, e);
}

/* "rewrite:onnxslim" is "onnxslim"; another text is itself. */
static const char *without_rewrite(const char *name)
{
	const char *rest = !strncmp(name, SPEC_REWRITE_PREFIX, strlen(SPEC_REWRITE_PREFIX))
				   ? name + strlen(SPEC_REWRITE_PREFIX)
				   : NULL;

	for (const struct spec_backend *b = spec_backends; rest && b->name; b++)
		if (b->kind == SPEC_REWRITE && strlen(b->name) == strcspn(rest, "@=:+") &&
		    !strncmp(b->name, rest, strlen(b->name)))
			return rest;
	return name;
}

int spec_make(const char *name, struct worker_spec *out, struct err *e)
{
	name = without_rewrite(name);
	struct worker_spec s = {.name = mem_strdup(name),
				.folder = mem_strdup(""),
				.backend = mem_strdup("exec"),
				.library = mem_strdup(""),
				.version = mem_strdup("")};
	char *text = mem_strdup(name);
	int rc;

	if (!s.name || !s.folder || !s.backend || !s.library || !s.version || !text)
		rc = err_nomem(e, "a backend", strlen(name));
	else if (!strncmp(name, "exec:", 5))
		rc = make_exec(&s, name + 5, e);
	else if (!strncmp(name, SPEC_REWRITE_EXEC, strlen(SPEC_REWRITE_EXEC)))
		rc = spec_find_rewrite_command(&s, name + strlen(SPEC_REWRITE_EXEC), e);
	else
		rc = make_named(&s, text, e);
	mem_free(text);
	if (rc) {
		spec_release(&s);
		return rc;
	}
	*out = s;
	return 0;
}

int spec_make_list(const char *names, struct spec_list *out, struct err *e)
{
	struct spec_list l = VEC_INIT;
	int rc = 0;

	while (*names && !rc) {
		size_t n = spec_is_command(names) ? spec_command_length(names) : strcspn(names, ",");
		char *one = copy_of(names, n);
		struct worker_spec s;

		rc = one ? spec_make(one, &s, e) : err_nomem(e, "backends", n);
		mem_free(one);
		if (!rc && vec_push(&l, s)) {
			spec_release(&s);
			rc = err_nomem(e, "backends", n);
		}
		names += n + (names[n] == ',');
	}
	if (!rc && !l.n)
		rc = err_set(e, ERR_USAGE, "no backend is named");
	if (rc) {
		spec_list_release(&l);
		return rc;
	}
	*out = l;
	return 0;
}

static int has_own(const struct worker_spec *s)
{
	return spec_find_set(s->backend, "own", 3) && !strchr(s->name, ':');
}

int spec_list_own(struct spec_list *l, struct err *e)
{
	char name[256];
	int rc = 0;

	for (size_t i = 0; i < l->n && !rc; i++) {
		struct worker_spec own;

		if (!has_own(&l->at[i]))
			continue;
		snprintf(name, sizeof name, "%.200s:own", l->at[i].name);
		rc = spec_make(name, &own, e);
		if (rc)
			continue;
		spec_release(&l->at[i]);
		l->at[i] = own;
	}
	return rc;
}

void spec_list_release(struct spec_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		spec_release(&l->at[i]);
	vec_release(l);
}
