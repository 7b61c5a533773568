/* log.h - messages about the work, on standard error.
 *
 * For programs, not for the library: library code reports through struct err and prints nothing.  The level is set once
 * from the command line (-v N); messages above it are not printed. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level {
	LOG_ERROR,   /* what ends the run */
	LOG_WARNING, /* what the user should look at; the default */
	LOG_INFO,    /* what is done, and how long it took */
	LOG_DEBUG    /* each step of it */
};

void log_set_level(int level); /* values outside of the enum are brought into it */
int log_level(void);

/* "assay: text" and a newline. */
void log_print(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
