/* elf.h - what a shared library asks of others. */
#ifndef INSTALL_ELF_H
#define INSTALL_ELF_H

#include "base/err.h"

/* Hands elf_symbol the name of each symbol that the library at `path` uses and does not define; what it returns ends
 * the walk when it is not 0. */
typedef int elf_symbol(void *arg, const char *name, struct err *e);
int elf_undefined(const char *path, elf_symbol *each, void *arg, struct err *e);

#endif
