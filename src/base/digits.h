/* digits.h - how many digits tell two numbers apart.
 *
 *   printf("got %.*g, expected %.*g", n, got, n, expected)     with n = digits_of_pair(got, expected) */
#ifndef BASE_DIGITS_H
#define BASE_DIGITS_H

/* 9, which is enough for float32; 17 where both would read the same, or where one of two whole numbers has more. */
int digits_of_pair(double a, double b);

#endif
