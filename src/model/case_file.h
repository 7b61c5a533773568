/* case_file.h - files of operator cases (see case.h): data/cases/<family>.case. */
#ifndef MODEL_CASE_FILE_H
#define MODEL_CASE_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/vec.h"

struct case_line {
	const char *text;
	const char *file; /* its path */
	int number;       /* in the file, from 1 */
};

struct case_lines {
	VEC(struct case_line) all; /* lines that have a case, as they stand in the files */
	struct arena arena;
};

/* Reads a file, or all *.case files of a folder in the order of their names; NULL: the folder of the data that come
 * with assay.  Release with case_lines_release(). */
int case_lines_read(const char *path, struct case_lines *out, struct err *e);
void case_lines_release(struct case_lines *l); /* zeroed is fine */

#endif
