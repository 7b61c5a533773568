/* near.c - see near.h. */
#include "base/near.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "base/err.h"

static int same_letter(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Optimal string alignment:
 *
 *   d[i][j] = min(d[i-1][j] + 1, d[i][j-1] + 1, d[i-1][j-1] + (a[i] != b[j]),
 *                 d[i-2][j-2] + 1 where a[i-1] a[i] is b[j] b[j-1])
 *
 * Three rows of the table are enough. */
size_t near_distance(const char *a, const char *b)
{
	size_t rows[3][NEAR_MAX], n = strlen(a), m = strlen(b);

	if (n >= NEAR_MAX || m >= NEAR_MAX)
		return NEAR_MAX;
	for (size_t j = 0; j <= m; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= n; i++) {
		size_t *row = rows[i % 3];
		const size_t *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];

		row[0] = i;
		for (size_t j = 1; j <= m; j++) {
			row[j] = least(above[j], row[j - 1]) + 1;
			row[j] = least(row[j], above[j - 1] + !same_letter(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
				row[j] = least(row[j], second[j - 2] + 1);
		}
	}
	return rows[n % 3][m];
}

void near_offer(struct near *n, const char *name, const char *instead)
{
	size_t length = strlen(n->word), distance = near_distance(n->word, name);
	int begins = !strncasecmp(n->word, name, length);

	if (begins && length >= 3 && distance > 1)
		distance = 1;
	if (length < 2 || distance > (length < 6 ? 1 : length / 3))
		return;
	distance = 2 * distance + !begins; /* of those that are equally near, one that begins so */
	if (n->best && distance >= n->distance)
		return;
	n->best = instead;
	n->distance = distance;
}

const char *const *near_next(const char *const *name, size_t stride)
{
	return (const char *const *)((const char *)name + (stride ? stride : sizeof *name));
}

struct near *near_offer_rows(struct near *n, const char *const *name, size_t stride)
{
	for (; *name; name = near_next(name, stride))
		near_offer(n, *name, *name);
	return n;
}

int near_find(const char *word, size_t n, const char *const *name, size_t stride)
{
	for (int i = 0; *name; name = near_next(name, stride), i++)
		if (strlen(*name) == n && !memcmp(*name, word, n))
			return i;
	return -1;
}

const char *near_hint(struct near *n)
{
	if (n->best)
		snprintf(n->hint, sizeof n->hint, " (did you mean '%s%s'?)", n->before ? n->before : "", n->best);
	return n->hint;
}

int near_refuse(const char *where, const char *word, const char *const *name, size_t stride, struct err *e)
{
	struct near n = NEAR(word);
	struct buf list;
	const char *const *next;
	int rc;

	near_offer_rows(&n, name, stride);
	buf_init(&list, 4096);
	for (const char *before = ""; *name; name = next) {
		next = near_next(name, stride);
		buf_printf(&list, "%s%s", before, *name);
		before = *next && *near_next(next, stride) ? ", " : " or ";
	}
	rc = err_set(e, ERR_USAGE, "%s: '%s' is not %s%s", where, word, list.data ? list.data : "one of its words",
		     near_hint(&n));
	buf_release(&list);
	return rc;
}
