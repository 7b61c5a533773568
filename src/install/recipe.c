/* recipe.c - see recipe.h. */
#include "install/recipe.h"

#include <string.h>

#include "install/place.h"

/* With its NUL, so that "a" "bc" and "ab" "c" differ. */
static void add_word(struct sha256_ctx *ctx, const char *word)
{
	sha256_update(ctx, strlen(word) + 1, (const uint8_t *)word);
}

/* A source of this project that a step names, and the header beside it. */
static void add_source(struct sha256_ctx *ctx, const char *name)
{
	char path[PLACE_PATH], digest[HASH_TEXT], *dot;
	struct err ignored = ERR_INIT;
	uint64_t bytes;

	if (place_source(name, path, &ignored))
		return;
	if (!hash_file(path, digest, &bytes, &ignored))
		add_word(ctx, digest);
	dot = strrchr(path, '.');
	if (!dot || strchr(dot, '/') || (size_t)(dot - path) + sizeof ".h" > sizeof path)
		return;
	memcpy(dot, ".h", sizeof ".h");
	if (!hash_file(path, digest, &bytes, &ignored))
		add_word(ctx, digest);
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
		if (s->words.n && !strncmp(s->words.at[0], "src/", 4))
			add_source(&ctx, s->words.at[0]);
	}
	hash_text(&ctx, out);
}
