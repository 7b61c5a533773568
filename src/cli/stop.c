/* stop.c - see stop.h. */
#include "cli/stop.h"

volatile sig_atomic_t stop_asked;

static void on_signal(int number)
{
	(void)number;
	stop_asked = 1;
}

void stop_on(int signal_number)
{
	struct sigaction catch = {.sa_handler = on_signal};

	sigemptyset(&catch.sa_mask);
	sigaction(signal_number, &catch, NULL);
}
