/* backends.h - what the parts of `assay backends` share. */
#ifndef CLI_BACKENDS_H
#define CLI_BACKENDS_H

#include <stdint.h>

#include "cli/cli.h"
#include "install/install.h"
#include "worker/parent/spec.h"

/* Options of all subcommands: what they are run with. */
struct backends_options {
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
int backends_is_named(const struct texts *names, const struct spec_installed *l);

/* ERR_USAGE for the first name that no installed library has. */
int backends_check_names(const struct texts *names, const struct spec_installed_list *l, struct err *e);

/* "28.0 MiB" */
const char *backends_size_text(uint64_t bytes, char *out, size_t size);

/* The subcommands; names are NAME or NAME@VERSION, `options` a struct backends_options. */
cli_run_fn backends_list, backends_install, backends_remove, backends_doctor;

#endif
