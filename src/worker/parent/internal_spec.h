/* internal_spec.h - what the parts of backend names share. */
#ifndef WORKER_PARENT_INTERNAL_SPEC_H
#define WORKER_PARENT_INTERNAL_SPEC_H

#include "worker/parent/spec.h"

/* How much of a name is the worker's: what follows is a device. */
size_t spec_name_length(const char *backend);
int spec_add_arg(struct worker_spec *s, const char *word, struct err *e);
/* ERR_USAGE unless the backend has the option of a word NAME=VALUE, with such a value. */
int spec_check_option(const char *backend, const char *word, struct err *e);
/* ERR_USAGE for a name that is none of the backend's option sets: which there are, and which is near. */
int spec_no_set(const char *backend, const char *part, struct err *e);

/* ---- command.c --------------------------------------------------------------------------------------------------- */

/* Adds the words of a command as arguments. */
int spec_split_command(struct worker_spec *s, const char *command, struct err *e);
/* Whether a name of a backend is that of a command: exec:CMD, rewrite:exec=CMD. */
#define SPEC_REWRITE_PREFIX "rewrite:"
#define SPEC_REWRITE_EXEC SPEC_REWRITE_PREFIX "exec="
int spec_is_command(const char *name);
/* Up to the first comma that is not in quotes. */
size_t spec_command_length(const char *text);

/* ---- programs.c -------------------------------------------------------------------------------------------------- */

/* A program's path as a new string, or NULL. */
char *spec_find_in_path(const char *program);
/* Path of the program that stands over workers, as a new string. */
char *spec_find_supervisor(struct err *e);
/* s->program of a backend: its worker program; Python or node with the workers' module, its arguments and
 * environment. */
int spec_find_program(struct worker_spec *s, const struct spec_backend *b, struct err *e);
int spec_find_script(struct worker_spec *s, const struct spec_backend *b, struct err *e);
/* The same of a rewriter: the program "rewrite", which starts Python. */
int spec_find_rewrite(struct worker_spec *s, struct err *e);
/* … and of a rewriter that is a command. */
int spec_find_rewrite_command(struct worker_spec *s, const char *command, struct err *e);

#endif
