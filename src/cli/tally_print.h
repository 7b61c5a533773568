/* tally_print.h - the end of every verb that tests backends: how much of it was judged. */
#ifndef CLI_TALLY_PRINT_H
#define CLI_TALLY_PRINT_H

#include <stdio.h>

#include "base/tally.h"

/* Prints the table (out NULL: not, the caller prints JSON) and warns of backends that were judged on nothing.  Gives
 * the exit status: `status`, or where that is CLI_OK: CLI_HOLLOW if there is such a backend, CLI_EXPLAINED if a
 * difference was explained. */
int tally_print(FILE *out, const struct tally_row *rows, size_t n, int status);

#endif
