/* csv.h - tables of numbers that are not quite .csv; io.h has csv_load() for those that are. */
#ifndef TENSOR_CSV_H
#define TENSOR_CSV_H

#include "tensor/tensor.h"

struct csv_form {
	size_t skip; /* lines before the table, which are not looked at */
	int spaces;  /* numbers are separated by spaces or tabs, not by commas */
};

/* As csv_load() does it.  Lines are counted from the first of the file. */
int csv_load_form(const char *path, const struct csv_form *form, struct tensor **out, struct err *e);

#endif
