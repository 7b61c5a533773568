/* recipe.c - see recipe.h. */
#include "install/recipe.h"

#include <dirent.h>
#include <string.h>

#include "base/mem.h"
#include "base/place.h"

/* With its NUL, so that "a" "bc" and "ab" "c" differ. */
static void add_word(struct sha256_ctx *ctx, const char *word)
{
	sha256_update(ctx, strlen(word) + 1, (const uint8_t *)word);
}

static void add_file(struct sha256_ctx *ctx, const char *path)
{
	char digest[HASH_TEXT];
	struct err ignored = ERR_INIT;
	uint64_t bytes;

	if (!hash_file(path, digest, &bytes, &ignored))
		add_word(ctx, digest);
}

/* Headers in a folder whose names begin with a stem, in the order of their names. */
static void add_headers(struct sha256_ctx *ctx, const char *folder, const char *stem)
{
	struct dirent **entries = NULL;
	int n = scandir(folder, &entries, NULL, alphasort);

	for (int i = 0; i < n; i++) {
		const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
		struct err ignored = ERR_INIT;
		char path[PLACE_PATH];

		if (!strncmp(name, stem, strlen(stem)) && dot && !strcmp(dot, ".h") &&
		    !place_path(path, &ignored, "%s/%s", folder, name))
			add_file(ctx, path);
		mem_free(entries[i]);
	}
	mem_free(entries);
}

/* A source of this project that a step names, and the headers beside it that belong to it: shim.h, shim_values.h. */
static void add_source(struct sha256_ctx *ctx, const char *name)
{
	char path[PLACE_PATH], *slash, *dot;
	struct err ignored = ERR_INIT;

	if (place_source(name, path, &ignored))
		return;
	add_file(ctx, path);
	slash = strrchr(path, '/');
	dot = slash ? strrchr(slash, '.') : NULL;
	if (!dot)
		return;
	*slash = *dot = '\0';
	add_headers(ctx, path, slash + 1);
}

void recipe_digest(const struct lock_package *const *packages, size_t n, const struct lock_version *v,
		   char out[HASH_TEXT])
{
	struct sha256_ctx ctx;

	sha256_init(&ctx);
	for (size_t i = 0; i < n; i++) {
		add_word(&ctx, packages[i]->name);
		for (size_t k = 0; k < packages[i]->rules.n; k++) {
			const struct lock_rule *r = &packages[i]->rules.at[k];

			add_word(&ctx, r->glob);
			add_word(&ctx, r->target ? r->target : "");
		}
	}
	for (size_t i = 0; i < v->steps.n; i++) {
		const struct lock_step *s = &v->steps.at[i];

		add_word(&ctx, s->name);
		for (size_t k = 0; k < s->words.n; k++)
			add_word(&ctx, s->words.at[k]);
		for (size_t k = 0; k < s->words.n; k++)
			if (!strncmp(s->words.at[k], "src/", 4))
				add_source(&ctx, s->words.at[k]);
	}
	hash_text(&ctx, out);
}
