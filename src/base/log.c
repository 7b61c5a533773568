/* log.c - see log.h. */
#include "base/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/plain.h"

static atomic_int current = LOG_WARNING; /* threads log, too */

void log_set_level(int level)
{
	current = level < LOG_ERROR ? LOG_ERROR : level > LOG_DEBUG ? LOG_DEBUG : level;
}

int log_level(void)
{
	return current;
}

void log_print(enum log_level level, const char *fmt, ...)
{
	char text[2048]; /* one write: lines of several processes stay whole */
	va_list args;

	if ((int)level > current)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	plain_say(stderr, text);
}
