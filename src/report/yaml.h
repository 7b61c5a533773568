/* yaml.h - YAML files of users by a schema, with messages that say which file, which line and what is wrong. */
#ifndef REPORT_YAML_H
#define REPORT_YAML_H

#include <cyaml/cyaml.h>

#include "base/err.h"

/* Reads a file into what the schema describes, for yaml_file_free().  what: what it is a file of, as "blocks":
 *
 *     cannot read blocks from 'b.yaml': line 3: Unexpected key: sise
 *
 * (yaml_free() is a function of libyaml, which a program's own would replace.) */
int yaml_file_load(const char *path, const char *what, const cyaml_schema_value_t *schema, void **out, struct err *e);
void yaml_file_free(const cyaml_schema_value_t *schema, void *loaded); /* NULL is fine */

#endif
