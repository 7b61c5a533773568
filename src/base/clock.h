/* clock.h - time that only goes forward. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

/* Seconds since some moment in the past; not moved by changes of the date. */
double clock_now(void);

#endif
