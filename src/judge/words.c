/* words.c - do two refusals say the same? (declared in trial.h)
 *
 * A library's message names nodes, sizes and places of the case, which are others in a smaller case, or in one like it.
 * What is quoted is left out, and so is every word with a digit or an underscore in it, or of one letter. */
#include <ctype.h>
#include <string.h>

#include "judge/trial.h"

#define BEGINNING 64 /* letters that must agree: what stands behind them is about the case more than the failure */

static int in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Length of the word at p, and whether it is a word of the language. */
static size_t read_word(const char *p, int *plain)
{
	size_t n = 0, letters = 0;

	for (; in_word(p[n]); n++)
		letters += isalpha((unsigned char)p[n]) != 0;
	*plain = letters == n && n > 1;
	return n;
}

void outcome_words(const struct outcome *o, char *out, size_t size)
{
	words_of(o->report.message, out, size);
}

void words_of(const char *message, char *out, size_t size)
{
	size_t n = 0;
	char quote = 0;

	for (const char *p = message; *p && n + 1 < size;) {
		int plain;
		size_t length = read_word(p, &plain), room = size - 1 - n;

		if (!length) {
			if (quote)
				quote = *p == quote ? 0 : quote;
			else if (*p == '"' || (*p == '\'' && (p == message || !isalpha((unsigned char)p[-1]))))
				quote = *p;
			p++;
			continue;
		}
		if (plain && !quote) {
			memcpy(out + n, p, length < room ? length : room);
			n += length < room ? length : room;
		}
		p += length;
	}
	out[n] = '\0';
}

int words_alike(const char *a, const char *b)
{
	return !strncmp(a, b, BEGINNING);
}
