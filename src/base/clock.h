/* clock.h - time that only goes forward, and lengths of it as people write them. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/err.h"

/* Seconds since some moment in the past; not moved by changes of the date. */
double clock_now(void);

/* Seconds of processors that the children of this process, and theirs, have taken: of those that are waited for. */
double clock_children(void);

/* `seconds` times $ASSAY_PATIENCE, where that is a number from 1 to 1000: for limits that nobody has given in so many
 * words, on machines that are slower than they were made for. */
double clock_patience(double seconds);

/* "90", "90s", "5m", "1h" as seconds, above 0; ERR_USAGE otherwise. */
int clock_parse(const char *text, double *seconds, struct err *e);

#endif
