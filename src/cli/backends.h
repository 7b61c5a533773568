/* backends.h - what the parts of `assay backends` share. */
#ifndef CLI_BACKENDS_H
#define CLI_BACKENDS_H

#include <stdint.h>

#include "cli/cli.h"
#include "install/install.h"
#include "worker/parent/spec.h"

/* Options of all subcommands, and the libraries named. */
struct backends_call {
	FILE *out;
	const struct texts *names; /* NAME or NAME@VERSION; names->at[0] is the subcommand itself when there is one */
	size_t first;              /* of the names */
	int json, unlocked, force, offline;
	const char *root;
};

/* NAME[@VERSION] in two; version is NULL when there is none. */
struct backend_name {
	char name[64];
	const char *version; /* borrowed from the text */
};

int backend_name_split(const char *text, struct backend_name *out, struct err *e);

/* True when an installed library is among the names; without names all are. */
int backends_is_named(const struct backends_call *c, const struct spec_installed *l);

/* ERR_USAGE for the first name that no installed library has. */
int backends_check_names(const struct backends_call *c, const struct spec_installed_list *l, struct err *e);

/* "28.0 MiB" */
const char *backends_size_text(uint64_t bytes, char *out, size_t size);

/* Each returns the exit status. */
int backends_list(const struct backends_call *c);
int backends_install(const struct backends_call *c);
int backends_remove(const struct backends_call *c);
int backends_doctor(const struct backends_call *c);

#endif
