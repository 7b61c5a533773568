/* paint.c - see paint.h. */
#include "report/paint.h"

#include <stdio.h>
#include <string.h>

#include "base/plain.h"

static _Atomic int painting;

void paint_set(int on)
{
	painting = on;
}

static enum plain_colour colour_of(enum verdict v)
{
	return verdict_is_finding(v)                         ? PLAIN_RED
	       : verdict_is_right(v) && v != VERDICT_VACUOUS ? PLAIN_GREEN
							     : PLAIN_YELLOW;
}

const char *paint_verdict(enum verdict v, int width, char text[PAINT_SIZE])
{
	snprintf(text, PAINT_SIZE, "%s%-*s%s", painting ? plain_mark(colour_of(v)) : "", width, verdict_name(v),
		 painting ? plain_mark(PLAIN_NONE) : "");
	return text;
}

/* Words that stand in the place of a verdict. */
static const struct {
	const char *word;
	enum plain_colour colour;
} others[] = {{"error", PLAIN_RED}, {"red", PLAIN_RED}, {"green", PLAIN_GREEN}};

static enum plain_colour colour_of_word(const char *word)
{
	enum verdict v;

	if (verdict_find(word, &v))
		return colour_of(v);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (!strcmp(others[i].word, word))
			return others[i].colour;
	return PLAIN_NONE;
}

const char *paint_before(const char *word)
{
	enum plain_colour colour = painting ? colour_of_word(word) : PLAIN_NONE;

	return colour == PLAIN_NONE ? "" : plain_mark(colour);
}

const char *paint_after(const char *word)
{
	return *paint_before(word) ? plain_mark(PLAIN_NONE) : "";
}
