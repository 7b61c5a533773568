/* text.c - see text.h. */
#include "report/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/plain.h"
#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */
#define ELLIPSIS "\xe2\x80\xa6"    /* U+2026 */
#define MAX_TEXT ((size_t)1 << 24)

/* Ranges of characters that are replaced: what XML 1.0 forbids or discourages, and marks that reverse what is read. */
static const struct {
	int32_t first, last;
} refused[] = {
	{0x00, 0x08},     {0x0b, 0x0c},     {0x0e, 0x1f},     {0x7f, 0x9f},
	{0x200e, 0x200f}, {0x202a, 0x202e}, {0x2066, 0x2069}, {0xfdd0, 0xfdef},
};

static int is_refused(int32_t c)
{
	if (c == UTF8_INVALID || (c & 0xfffe) == 0xfffe) /* the last two of every plane are noncharacters */
		return 1;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
		if (c >= refused[i].first && c <= refused[i].last)
			return 1;
	return 0;
}

static const struct {
	char c;
	const char *entity;
} entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}, {'\r', "&#13;"}};

static void put_character(struct buf *b, const char *at, size_t step, int escape)
{
	for (size_t i = 0; escape && i < sizeof entities / sizeof *entities; i++)
		if (*at == entities[i].c) {
			buf_puts(b, entities[i].entity);
			return;
		}
	buf_add(b, at, step);
}

/* Appends up to max characters, the rest as an ellipsis. */
static void put(struct buf *b, const char *s, size_t max, int escape)
{
	size_t n = strlen(s), count = 0;

	for (size_t i = 0, step; i < n; i += step) {
		int32_t character;

		step = utf8_decode(s + i, n - i, &character);
		if (++count >= max && i + step < n) {
			buf_puts(b, ELLIPSIS);
			return;
		}
		if (is_refused(character))
			buf_puts(b, REPLACEMENT);
		else
			put_character(b, s + i, step, escape);
	}
}

void text_put(struct buf *b, const char *s)
{
	put(b, s, (size_t)-1, 1);
}

void text_put_short(struct buf *b, const char *s, size_t max)
{
	put(b, s, max, 1);
}

void text_attribute(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, " %s=\"", name);
	text_put(b, value);
	buf_puts(b, "\"");
}

json_t *text_json(const char *s)
{
	struct buf b;
	json_t *text;

	buf_init(&b, MAX_TEXT);
	put(&b, s, (size_t)-1, 0);
	text = b.failed ? NULL : json_string(b.data ? b.data : "");
	buf_release(&b);
	return text;
}

int text_load_json(const char *path, size_t most, json_t **out, struct err *e)
{
	json_error_t trouble = {.line = 0};
	json_t *j = NULL;
	struct buf text;
	int rc;

	buf_init(&text, most);
	rc = buf_read_file(&text, path, most, e);
	if (!rc && !(j = json_loadb(text.data ? text.data : "", text.len, 0, &trouble)))
		rc = err_set(e, ERR_INPUT, "'%s' is not JSON: line %d: %s", path, trouble.line, trouble.text);
	buf_release(&text);
	if (!rc)
		*out = j;
	return rc;
}

size_t text_width(const char *s, size_t max)
{
	size_t n = strlen(s), count = 0;

	for (size_t i = 0; i < n && count < max; count++) {
		int32_t character;

		i += utf8_decode(s + i, n - i, &character);
	}
	return count;
}

const char *text_number(double x, char out[32])
{
	if (isnan(x))
		return "nan";
	if (isinf(x))
		return x < 0 ? "-inf" : "inf";
	snprintf(out, 32, x != 0 && (fabs(x) >= 1e5 || fabs(x) < 1e-3) ? "%.1e" : "%.3g", x);
	return out;
}

const char *text_time(double seconds, char out[32])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	out[0] = 0;
	if (seconds > 0 && seconds < 1e11 && gmtime_r(&t, &tm))
		strftime(out, 32, "%Y-%m-%d %H:%M UTC", &tm);
	return out;
}

const char *text_duration(double seconds, char out[32])
{
	static const struct {
		double size;
		const char *unit;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {0, "s"}};
	size_t i = 0;

	while (units[i].size > 0 && seconds < 2 * units[i].size)
		i++;
	snprintf(out, 32, "%.3g %s", units[i].size > 0 ? seconds / units[i].size : seconds, units[i].unit);
	return out;
}

/* ---- for a terminal ---------------------------------------------------------------------------------------------- */

size_t text_columns(const char *s)
{
	return text_width(s, SIZE_MAX);
}

void text_plain(struct buf *b, const char *s, size_t max)
{
	size_t n = strlen(s), width = text_columns(s), shown = 0, step;
	int32_t c;

	for (size_t i = 0; i < n; i += step, shown++) {
		if (width > max && shown + 1 >= max) {
			buf_puts(b, ELLIPSIS);
			return;
		}
		step = utf8_decode(s + i, n - i, &c);
		if (plain_is_unsafe(c))
			buf_puts(b, REPLACEMENT);
		else
			buf_add(b, s + i, step);
	}
}

const char *text_ratio(double x, char *out, size_t size)
{
	if (!isfinite(x) || fabs(x) >= 1e6)
		snprintf(out, size, "%.2g", x);
	else if (x >= 1000)
		snprintf(out, size, "%d,%03d", (int)x / 1000, (int)x % 1000);
	else
		snprintf(out, size, "%.3g", x);
	return out;
}
