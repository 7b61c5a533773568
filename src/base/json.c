/* json.c - see json.h. */
#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD in UTF-8 */
#define MAX_TEXT ((size_t)1 << 20)

json_t *json_text(const char *s)
{
	json_t *text = json_string(s);
	size_t n = strlen(s);
	struct buf b;

	if (text)
		return text;
	buf_init(&b, MAX_TEXT);
	for (size_t i = 0, step; i < n; i += step) {
		int32_t character;

		step = utf8_decode(s + i, n - i, &character);
		if (character == UTF8_INVALID)
			buf_puts(&b, REPLACEMENT);
		else
			buf_add(&b, s + i, step);
	}
	text = b.data ? json_string(b.data) : NULL;
	buf_release(&b);
	return text;
}

json_t *json_number(double x)
{
	if (isnan(x))
		return json_string("nan");
	if (isinf(x))
		return json_string(x > 0 ? "inf" : "-inf");
	return json_real(x);
}

json_t *json_number_or_null(double x)
{
	return isnan(x) ? json_null() : json_number(x);
}

json_t *json_hex(const void *bytes, size_t n)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *at = bytes;
	struct buf text;
	json_t *j;

	buf_init(&text, 2 * n + 1);
	for (size_t i = 0; i < n; i++)
		buf_add(&text, (const char[]){digits[at[i] >> 4], digits[at[i] & 15]}, 2);
	j = text.failed ? NULL : json_string(text.data ? text.data : "");
	buf_release(&text);
	return j;
}

static int digit_of(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int json_unhex(const json_t *text, struct buf *out, struct err *e)
{
	const char *at = json_string_value(text);

	for (; at && digit_of(at[0]) >= 0 && digit_of(at[1]) >= 0; at += 2)
		buf_add(out, &(char){(char)(digit_of(at[0]) << 4 | digit_of(at[1]))}, 1);
	return buf_check(out, e);
}

static json_t *with_schema(json_t *object)
{
	json_t *all = json_pack("{s:s}", "schema", JSON_SCHEMA);

	json_object_update(all, object);
	return all;
}

json_t *json_document(json_t *take)
{
	json_t *out = take;

	if (json_is_object(take))
		out = with_schema(take);
	else if (json_is_array(take))
		out = json_array();
	for (size_t i = 0; out != take && i < json_array_size(take); i++)
		json_array_append_new(out, json_document(json_incref(json_array_get(take, i))));
	if (out != take)
		json_decref(take);
	return out;
}

const char *json_text_at(const json_t *object, const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : "";
}

static int append(const char *text, size_t n, void *arg)
{
	return buf_add(arg, text, n) ? -1 : 0;
}

int json_write(struct buf *out, const json_t *j, size_t flags)
{
	if (!out->failed && (!j || json_dump_callback(j, append, out, flags)) && !out->failed)
		out->failed = ERR_MEMORY;
	return out->failed;
}

int json_save(const json_t *j, size_t flags, size_t most, const char *path, struct err *e)
{
	struct buf text;
	int rc;

	buf_init(&text, most);
	json_write(&text, j, flags);
	buf_puts(&text, "\n");
	rc = buf_check(&text, e);
	if (!rc)
		rc = buf_write_file(text.data, text.len, path, e);
	buf_release(&text);
	return rc;
}
