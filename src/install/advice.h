/* advice.h - how to mend what keeps a library from running, from the words that it left. */
#ifndef INSTALL_ADVICE_H
#define INSTALL_ADVICE_H

#include <stddef.h>

/* What is known of a failure. */
struct failure {
	const char *backend;        /* "ort@1.31.1" */
	const char *message, *said; /* assay's message; the worker's last words */
	int signal;                 /* that ended it; 0: none */
	int damaged;                /* files are not what was installed */
};

/* One sentence that says what to do, "" when nothing is known. */
void advice_for(const struct failure *f, char *out, size_t size);

#endif
