/* words.c - a library's error message as one line, and what it says; see onnx.h. */
#include <string.h>

#include "backends/onnx/onnx.h"

int onnx_says(const char *message, const char *const *words)
{
	for (; *words; words++)
		if (strstr(message, *words))
			return 1;
	return 0;
}

static int begins_with(const char *line, const char *const *beginnings)
{
	for (; *beginnings; beginnings++)
		if (!strncmp(line, *beginnings, strlen(*beginnings)))
			return 1;
	return 0;
}

void onnx_one_line(const char *message, const char *const *noise, struct buf *out)
{
	while (*message) {
		size_t n;

		message += strspn(message, " \n");
		n = strcspn(message, "\n");
		if (n && !begins_with(message, noise)) {
			if (out->len)
				buf_puts(out, "; ");
			buf_add(out, message, n);
		}
		message += n;
	}
}
