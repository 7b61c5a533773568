/* glossary.h - docs/glossary.md, which the build embeds: what the words on screens and pages mean.
 *
 * "## Verdicts" begins a group, "### noise ratio, ratio" an entry with its words, and the paragraph below is its text.
 */
#ifndef REPORT_GLOSSARY_H
#define REPORT_GLOSSARY_H

#include "base/arena.h"
#include "base/err.h"
#include "base/near.h"
#include "base/texts.h"

struct glossary_entry {
	const char *group;
	const char *head;   /* all its words, as the page has them */
	struct texts words; /* each of them */
	const char *text;   /* one paragraph without marks: '`', '*' and links are gone */
};

struct glossary {
	struct arena arena;
	VEC(struct glossary_entry) entries;
};

/* Reads a page; on success glossary_release() frees it. */
int glossary_read(const char *page, struct glossary *out, struct err *e);
int glossary_open(struct glossary *out, struct err *e); /* the page that is embedded */
void glossary_release(struct glossary *g);

/* An entry by one of its words; NULL: there is none.  Capitals do not count, and '_' and '-' are blanks. */
const struct glossary_entry *glossary_find(const struct glossary *g, const char *word);

/* The name of a group as the page has it, found in the same way; NULL: there is none. */
const char *glossary_group(const struct glossary *g, const char *word);

/* Offers all words and groups to somebody who wrote another one. */
void glossary_offer(const struct glossary *g, struct near *n);

#endif
