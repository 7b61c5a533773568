/* elf.c - see elf.h.  Only 64-bit little-endian files are read, and of them the dynamic symbols; every offset is
 * checked against the file's size. */
#include "install/elf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct elf_image {
	const unsigned char *data;
	uint64_t size;
};

static int inside(const struct elf_image *f, uint64_t at, uint64_t n)
{
	return at <= f->size && n <= f->size - at;
}

/* Section i, or 0 where the file does not hold it whole. */
static int section(const struct elf_image *f, const Elf64_Ehdr *head, uint64_t i, Elf64_Shdr *out)
{
	uint64_t at = head->e_shoff + i * sizeof *out;

	if (i >= head->e_shnum || head->e_shoff > f->size || !inside(f, at, sizeof *out))
		return 0;
	memcpy(out, f->data + at, sizeof *out);
	return out->sh_type == SHT_NOBITS || inside(f, out->sh_offset, out->sh_size);
}

/* The undefined symbols of one table whose names lie in `names`. */
static int walk(const struct elf_image *f, const Elf64_Shdr *table, const Elf64_Shdr *names, elf_symbol *each,
		void *arg, struct err *e)
{
	const char *text = (const char *)f->data + names->sh_offset;
	int rc = 0;

	for (uint64_t i = 0; i < table->sh_size / sizeof(Elf64_Sym) && !rc; i++) {
		Elf64_Sym s;

		memcpy(&s, f->data + table->sh_offset + i * sizeof s, sizeof s);
		if (s.st_shndx != SHN_UNDEF || s.st_name >= names->sh_size ||
		    !memchr(text + s.st_name, '\0', names->sh_size - s.st_name))
			continue;
		rc = each(arg, text + s.st_name, e);
	}
	return rc;
}

static int read_image(const struct elf_image *f, elf_symbol *each, void *arg, struct err *e)
{
	Elf64_Ehdr head;
	Elf64_Shdr table, names;

	if (!inside(f, 0, sizeof head) || memcmp(f->data, ELFMAG, SELFMAG) != 0 || f->data[EI_CLASS] != ELFCLASS64 ||
	    f->data[EI_DATA] != ELFDATA2LSB)
		return err_set(e, ERR_INPUT, "it is not a 64-bit shared library");
	memcpy(&head, f->data, sizeof head);
	for (uint64_t i = 0; i < head.e_shnum; i++) {
		if (!section(f, &head, i, &table))
			return err_set(e, ERR_INPUT, "it is cut short or damaged");
		if (table.sh_type != SHT_DYNSYM)
			continue;
		if (!section(f, &head, table.sh_link, &names) || names.sh_type != SHT_STRTAB)
			return err_set(e, ERR_INPUT, "its symbols have no names");
		return walk(f, &table, &names, each, arg, e);
	}
	return err_set(e, ERR_INPUT, "it has no dynamic symbols");
}

int elf_undefined(const char *path, elf_symbol *each, void *arg, struct err *e)
{
	int file = open(path, O_RDONLY | O_CLOEXEC), rc;
	struct elf_image f = {.data = MAP_FAILED};
	struct stat st;

	if (file >= 0 && !fstat(file, &st) && st.st_size > 0) {
		f.size = (uint64_t)st.st_size;
		f.data = mmap(NULL, (size_t)f.size, PROT_READ, MAP_PRIVATE, file, 0);
	}
	if (f.data == MAP_FAILED) {
		rc = err_set(e, ERR_IO, "cannot read '%s': %s", path, strerror(errno));
	} else {
		rc = read_image(&f, each, arg, e);
		if (rc)
			rc = err_prefix(e, "cannot read '%s'", path);
		munmap((void *)f.data, (size_t)f.size);
	}
	if (file >= 0)
		close(file);
	return rc;
}
