/* digits.c - see digits.h. */
#include "base/digits.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHORT 9
#define LONG 17
#define SHORT_LIMIT 1e9  /* whole numbers below have at most SHORT digits */
#define EXACT_LIMIT 9e15 /* above, a double does not have every whole number */

static int is_whole(double x)
{
	return floor(x) == x && fabs(x) <= EXACT_LIMIT;
}

int digits_of_pair(double a, double b)
{
	char x[40], y[40];

	snprintf(x, sizeof x, "%.*g", SHORT, a);
	snprintf(y, sizeof y, "%.*g", SHORT, b);
	return !strcmp(x, y) || (is_whole(a) && is_whole(b) && fmax(fabs(a), fabs(b)) >= SHORT_LIMIT) ? LONG : SHORT;
}
