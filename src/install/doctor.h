/* doctor.h - does an installed library work, and if not, what helps?
 *
 * For one library, in this order; the first check that fails ends it:
 *   files      what was unpacked is still as it was (manifest.json)
 *   system     the shared libraries that its lock file names are there
 *   start      its worker starts, opens the library and says HELLO
 *   add, conv  small models give what the reference says, up to rounding noise */
#ifndef INSTALL_DOCTOR_H
#define INSTALL_DOCTOR_H

#include <jansson.h>

#include "install/doctor_models.h"
#include "install/install.h"
#include "worker/parent/spec.h"

enum doctor_status { DOCTOR_OK, DOCTOR_SKIPPED, DOCTOR_FAILED };

struct doctor_check {
	const char *name;
	enum doctor_status status;
	char detail[512]; /* what is wrong, or what was seen */
	double ratio;     /* in units of rounding noise; < 0: not compared */
};

#define DOCTOR_MAX_CHECKS (3 + DOCTOR_CASES)

/* One library that is looked at. */
struct doctor_patient {
	const struct spec_installed *library;
	char backend[160]; /* name@version */
	struct doctor_check checks[DOCTOR_MAX_CHECKS];
	size_t n;
	char version[64]; /* what the library says of itself */
	char said[4096];  /* its worker's last words */
	int signal;       /* that ended it */
	char mend[512];   /* what helps; "" when nothing is known, or nothing is wrong */
	unsigned guards;  /* what held its worker: bits of worker/guards.h; 0: none was started */
};

const char *doctor_status_name(enum doctor_status s); /* "ok", "skipped", "failed" */

/* Fills *out.  `cases` are borrowed; trials belong to one thread, and so do they. */
void doctor_examine(const struct spec_installed *library, struct doctor_case cases[DOCTOR_CASES],
		    const struct lock_list *locks, struct doctor_patient *out);

/* The check that failed, or NULL. */
const struct doctor_check *doctor_failed(const struct doctor_patient *p);

/* What holds workers on this machine, in words. */
const char *doctor_guards_text(unsigned guards, char *out, size_t size);

json_t *doctor_json(const struct doctor_patient *p); /* doctor_json.c */
json_t *doctor_guards_json(unsigned guards);         /* those that are there */

#endif
