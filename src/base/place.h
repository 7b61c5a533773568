/* place.h - where things lie: data files, fetched packages; and folders: making, walking, removing them. */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define PLACE_PATH 4096

/* Writes a path; ERR_LIMIT when it does not fit PLACE_PATH bytes. */
int place_path(char *out, struct err *e, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The folder of data files: $ASSAY_DATA; share/assay of the installation this program belongs to; data/ of the source
 * tree it was built from. */
int place_data(char *out, struct err *e);

/* True for the program of an installation (its data lie in ../share/assay), not for one in a build folder. */
int place_is_installed(void);

/* A file of that folder by its name, or `given`, a path that somebody named, when that is not NULL. */
int place_data_file(const char *given, const char *name, char *out, struct err *e);

/* What `name` of the source tree is called on this machine: below the data folder of an installation, or in the source
 * tree.  For sources that are compiled while a library is installed. */
int place_source(const char *name, char *out, struct err *e);

/* What scripts/setup fetched: `name` below $ASSAY_DEPS, or, unless this program is installed, below .deps of the source
 * tree; ERR_IO when it is not there. */
int place_deps(const char *name, char *out, struct err *e);

/* Fetched packages: $ASSAY_CACHE, $XDG_CACHE_HOME/assay/packages or ~/.cache/assay/packages; made when it is not
 * there. */
int place_cache(char *out, struct err *e);

/* $TMPDIR, where it is an absolute path, or /tmp. */
const char *place_temporary(void);

/* A new folder there, or a new file, "assay-NAME-" and six characters. */
int place_temporary_folder(char *out, const char *name, struct err *e);
int place_temporary_file(char *out, const char *name, struct err *e);

int place_is_folder(const char *path);

/* True when a file's name ends so, in any case: ".npy", ".csv.gz". */
int place_has_suffix(const char *path, const char *suffix);

/* Makes a folder where there is none; the one above it must be there. */
int place_make_folder(const char *path, struct err *e);

/* The same, and those above it that are not there. */
int place_make_folders(const char *path, struct err *e);

/* Makes the folders above a file. */
int place_make_parents(const char *path, struct err *e);

/* Removes a file or a folder with everything in it, without following links; what is not there is fine. */
int place_remove_tree(const char *path, struct err *e);

/* Bytes of all regular files below a folder; 0 when there is none. */
uint64_t place_tree_bytes(const char *path);

#endif
