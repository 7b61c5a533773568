/* show.h - values and their rounding noise, for people and as JSON. */
#ifndef CLI_SHOW_H
#define CLI_SHOW_H

#include <jansson.h>
#include <stdio.h>

#include "tensor/value.h"

#define SHOW_VALUES 64 /* most elements that JSON lists one by one */

/* "name: float32[2,3]  min … max … mean … std …" and a preview below it; with noise (one number an element, NULL: none)
 * its size and the first elements as value ± noise. */
void show_value(FILE *out, const char *name, const struct value *v, const float *noise, int runs);

/* {"name", "dtype", "dims", "min", "max", "mean", "nan", "inf", "values" (up to SHOW_VALUES elements), "noise"}; a
 * value that is no tensor has "kind" and "items".  Numbers that JSON lacks are the strings "nan", "inf" and "-inf"; of
 * a tensor without finite elements min, max and mean are null.  NULL: out of memory. */
json_t *show_json(const char *name, const struct value *v, const float *noise, int runs);

#endif
