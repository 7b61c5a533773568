/* pattern.c - see pattern.h. */
#include "install/pattern.h"

#include <string.h>

/* A place to go back to: the pattern after a star, and the text that the star has not swallowed yet. */
struct retry {
	const char *pattern, *name;
};

/* Lets a star swallow one more character; false when it may not. */
static int swallow(struct retry *r, int crosses_folders, const char **pattern, const char **name)
{
	if (!r->pattern || !*r->name || (!crosses_folders && *r->name == '/'))
		return 0;
	*name = ++r->name;
	*pattern = r->pattern;
	return 1;
}

/* Only the last star of each kind is ever tried again: what an earlier one could swallow instead, the later one can
 * too, so the time is bounded by the product of the lengths, squared at worst. */
int pattern_match(const char *pattern, const char *name)
{
	struct retry one = {NULL, NULL}, two = {NULL, NULL};

	for (;;) {
		if (pattern[0] == '*' && pattern[1] == '*') {
			pattern += 2;
			two = (struct retry){pattern, name};
			one.pattern = NULL;
		} else if (pattern[0] == '*') {
			pattern++;
			one = (struct retry){pattern, name};
		} else if (*name && (*pattern == *name || (*pattern == '?' && *name != '/'))) {
			pattern++;
			name++;
		} else if (!*name && !*pattern) {
			return 1;
		} else if (!swallow(&one, 0, &pattern, &name)) {
			if (!swallow(&two, 1, &pattern, &name))
				return 0;
			one.pattern = NULL;
		}
	}
}

size_t pattern_fixed_folders(const char *pattern)
{
	size_t fixed = 0, end = strcspn(pattern, "*?");

	for (size_t i = 0; i < end; i++)
		if (pattern[i] == '/')
			fixed = i + 1;
	return fixed;
}

int path_is_safe(const char *path)
{
	size_t n = strlen(path), start = 0;

	if (!n || n > PATH_MAX_BYTES)
		return 0;
	for (size_t i = 0; i <= n; i++) {
		unsigned char c = (unsigned char)path[i];
		size_t length = i - start;

		if (i < n && (c == '\\' || c < ' ' || c == 0x7f))
			return 0;
		if (i < n && c != '/')
			continue;
		if (i == n && !length) /* a '/' at the end; a lone "/" was refused before */
			return 1;
		if (!length || (length == 1 && path[start] == '.') ||
		    (length == 2 && path[start] == '.' && path[start + 1] == '.'))
			return 0;
		start = i + 1;
	}
	return 1;
}
