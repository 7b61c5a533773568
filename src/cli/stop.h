/* stop.h - signals that ask long work to end. */
#ifndef CLI_STOP_H
#define CLI_STOP_H

#include <signal.h>

/* Set once a signal came that stop_on() was told of. */
extern volatile sig_atomic_t stop_asked;

/* From now on this signal sets it, in place of ending the process. */
void stop_on(int signal_number);

#endif
