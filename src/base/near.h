/* near.h - which of several names somebody meant who wrote another one.
 *
 *   err_set(e, ERR_USAGE, "no network '%s'%s", word, NEAR_HINT(word, zoo_rows))
 *   no network 'lenett' (did you mean 'lenet5'?) */
#ifndef BASE_NEAR_H
#define BASE_NEAR_H

#include <stddef.h>

#define NEAR_MAX 64 /* names that are longer are not compared */

struct near {
	const char *word;
	const char *best;   /* borrowed from near_offer(); NULL: none is near enough */
	const char *before; /* what the hint puts before it, as "--"; NULL: nothing */
	size_t distance;    /* of it */
	char hint[NEAR_MAX + 32];
};

#define NEAR(wrong)             \
	{                       \
		.word = (wrong) \
	}

/* How many letters have to be put in, left out, changed or swapped with the next one; capitals do not count.  NEAR_MAX
 * when a word is too long. */
size_t near_distance(const char *a, const char *b);

/* A name, and what is to be written for it: another one for an alias.  The first of several that are equally near is
 * kept.  Near enough is a third of the letters, or a name that begins with the word. */
void near_offer(struct near *n, const char *name, const char *instead);

/* All names of a table of rows, up to the first NULL: the first row's, and how many bytes a row has.  Returns n. */
struct near *near_offer_rows(struct near *n, const char *const *name, size_t stride);

/* " (did you mean 'check'?)", or nothing; lives as long as n does. */
const char *near_hint(struct near *n);

/* The same for the `name` of rows up to the first without one; lives up to the end of the block. */
#define NEAR_HINT(wrong, rows) near_hint(near_offer_rows(&(struct near)NEAR(wrong), &(rows)->name, sizeof *(rows)))

#endif
