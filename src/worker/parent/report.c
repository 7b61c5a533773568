/* report.c - what came of a request, in words (declared in worker.h and internal.h). */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "worker/parent/internal.h"

const char *worker_result_name(enum worker_result r)
{
	static const char *const words[] = {
#define X(id, word) [id] = word,
		WORKER_RESULT_MAP(X)
#undef X
	};

	return (size_t)r < sizeof words / sizeof *words ? words[r] : "unknown";
}

/* ---- while it is made -------------------------------------------------------------------------------------------- */

void report_say(struct worker_report *report, enum worker_result result, const char *fmt, ...)
{
	va_list ap;

	report->result = result;
	va_start(ap, fmt);
	vsnprintf(report->message, sizeof report->message, fmt, ap);
	va_end(ap);
}

enum worker_result worker_refused(struct worker_report *report, const struct err *e)
{
	report_say(report, WORKER_UNSUPPORTED, "%s", e->msg);
	return report->result;
}

enum worker_result worker_unread(struct worker_report *report, const struct err *e)
{
	if (e->code == ERR_MEMORY)
		report_say(report, WORKER_UNSUPPORTED, "assay has no memory to read its answer: %s", e->msg);
	else
		report_say(report, WORKER_PROTOCOL, "its answer makes no sense: %s", e->msg);
	return report->result;
}

void report_end(struct worker_report *report, int status)
{
	if (WIFSIGNALED(status)) {
		report->signal = WTERMSIG(status);
		report_say(report, WORKER_CRASH, "died by signal %d (%s)", report->signal, strsignal(report->signal));
	} else {
		report->exit_status = WEXITSTATUS(status);
		report_say(report, WORKER_CRASH, "exited with status %d", report->exit_status);
	}
}

/* ---- for people -------------------------------------------------------------------------------------------------- */

/* Length of a text without the blanks at its end. */
static size_t trimmed(const char *text)
{
	size_t n = strlen(text);

	while (n && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	return n;
}

/* What the library said, or the last line that a dying worker wrote. */
static const char *words_of(const struct worker_report *r, size_t *n)
{
	const char *text = *r->message ? r->message : r->stderr_tail;
	size_t start;

	*n = trimmed(text);
	start = *n;
	while (!*r->message && start && text[start - 1] != '\n')
		start--;
	start = *r->message ? 0 : start;
	*n -= start;
	return text + start;
}

const char *worker_report_words(const struct worker_report *r, char *out, size_t size)
{
	size_t n;
	const char *said = words_of(r, &n);

	snprintf(out, size, "%.*s", (int)n, said);
	return out;
}

const char *worker_report_text(const struct worker_report *r, char *out, size_t size)
{
	char how[48] = "";
	size_t n;
	const char *said = words_of(r, &n);

	if (r->result == WORKER_CRASH && r->signal)
		snprintf(how, sizeof how, " (signal %d)", r->signal);
	else if (r->result == WORKER_CRASH)
		snprintf(how, sizeof how, " (exit status %d)", r->exit_status);
	snprintf(out, size, "%s%s%s%.*s", worker_result_name(r->result), how, n ? ": " : "", (int)n, said);
	return out;
}
