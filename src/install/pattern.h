/* pattern.h - which members of an archive a lock file means, and where they may go. */
#ifndef INSTALL_PATTERN_H
#define INSTALL_PATTERN_H

#include <stddef.h>

#define PATH_MAX_BYTES 512 /* of a member's name and of a target */

/* True when `name` fits: `?` one character, `*` any number of characters other than '/', `**` any number of any. */
int pattern_match(const char *pattern, const char *name);

/* Bytes of the leading folders of a pattern that hold no wildcard, with their last '/'. */
size_t pattern_fixed_folders(const char *pattern);

/* True when joining `path` to a folder stays inside of that folder on every system: relative, no empty, "." or ".."
 * component, no backslash, no control character, not longer than PATH_MAX_BYTES.  A '/' at the end is fine. */
int path_is_safe(const char *path);

#endif
