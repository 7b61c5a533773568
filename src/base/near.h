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
	size_t distance;    /* of it: twice the letters, and one more where it begins otherwise */
	char hint[NEAR_MAX + 32];
};

#define NEAR(wrong)             \
	{                       \
		.word = (wrong) \
	}

/* How many letters have to be put in, left out, changed or swapped with the next one; capitals do not count.  NEAR_MAX
 * when a word is too long. */
size_t near_distance(const char *a, const char *b);

/* A name, and what is to be written for it: another one for an alias.  Of several that are equally near the
 * first is kept that begins with the word, or else the first.  Near enough is a third of the letters, or a name that
 * begins with the word. */
void near_offer(struct near *n, const char *name, const char *instead);

/* The name in the next row of a table; stride: bytes of a row, 0: it is an array of names. */
const char *const *near_next(const char *const *name, size_t stride);

/* All names of a table of rows, up to the first NULL: the first row's, and how many bytes a row has.  Returns n. */
struct near *near_offer_rows(struct near *n, const char *const *name, size_t stride);

/* Which of a table's names, up to the first NULL, the first n letters of a word are; -1: none.  stride as above; 0 is
 * an array of names. */
int near_find(const char *word, size_t n, const char *const *name, size_t stride);

/* ERR_USAGE for a word that is none of them: "--mode: 'exat' is not exact, rounded or noisy (did you mean 'exact'?)".
 * `where` is what stands before the colon. */
struct err;
int near_refuse(const char *where, const char *word, const char *const *name, size_t stride, struct err *e);

/* " (did you mean 'check'?)", or nothing; lives as long as n does. */
const char *near_hint(struct near *n);

/* The same for the `name` of rows up to the first without one; lives up to the end of the block. */
#define NEAR_HINT(wrong, rows) near_hint(near_offer_rows(&(struct near)NEAR(wrong), &(rows)->name, sizeof *(rows)))

#endif
