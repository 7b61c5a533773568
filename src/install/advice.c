/* advice.c - see advice.h.
 *
 * One row a cause: a text that the loader, Python or the kernel leave, and what helps. */
#include "install/advice.h"

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Shared libraries of the system that libraries under test want, and the Debian packages they come in. */
static const struct {
	const char *soname, *package;
} packages[] = {
	{"libgomp.so.1", "libgomp1"},
	{"libquadmath.so.0", "libquadmath0"},
	{"libgfortran.so.5", "libgfortran5"},
	{"libstdc++.so.6", "libstdc++6"},
	{"libgcc_s.so.1", "libgcc-s1"},
	{"libz.so.1", "zlib1g"},
	{"libGL.so.1", "libgl1"},
	{"libglib-2.0.so.0", "libglib2.0-0"},
	{"libnuma.so.1", "libnuma1"},
	{"libopenblas.so.0", "libopenblas0"},
	{"libtbb.so.12", "libtbb12"},
	{"libatomic.so.1", "libatomic1"},
	{"libpython3.11.so.1.0", "libpython3.11"},
};

static const char *package_of(const char *soname)
{
	for (size_t i = 0; i < sizeof packages / sizeof *packages; i++)
		if (!strcmp(packages[i].soname, soname))
			return packages[i].package;
	return NULL;
}

/* "libx.so.1: cannot open shared object file": the word before the colon, or the path in quotes, which is one that the
 * loader passed over. */
static void missing_library(const struct failure *f, const char *at, const char *text, char *out, size_t size)
{
	const char *end = at, *start;
	char soname[512];
	const char *package;

	while (end > text && strchr(" :'", end[-1]))
		end--;
	for (start = end; start > text && !isspace((unsigned char)start[-1]) && start[-1] != '\''; start--)
		;
	snprintf(soname, sizeof soname, "%.*s", (int)(end - start), start);
	package = package_of(soname);
	if (strchr(soname, '/') && !access(soname, F_OK))
		snprintf(out, size, "'%s' is there, but not for this kind of processor: 'file' says for which", soname);
	else if (package)
		snprintf(out, size, "the system library '%s' is missing: apt-get install %s", soname, package);
	else if (!strncmp(soname, "libcuda", 7) || !strncmp(soname, "libnvidia", 9))
		snprintf(out, size, "'%s' comes with the driver of an NVIDIA GPU, which this machine lacks", soname);
	else
		snprintf(out, size,
			 "the shared library '%s' is missing: if it is a part of the library, 'assay backends install "
			 "--force %s'; else install the package that has it ('apt-file search %s')",
			 soname, f->backend, soname);
}

static void missing_module(const struct failure *f, const char *at, const char *text, char *out, size_t size)
{
	const char *name = strchr(at, '\'');

	(void)text;
	snprintf(out, size,
		 "Python finds no module %.*s: 'assay backends install --force %s'; the wheels are for one "
		 "Python version, which ASSAY_PYTHON chooses",
		 name ? (int)strcspn(name, "\n") : 0, name ? name : "", f->backend);
}

#define PLAIN(id, text)                                                                                  \
	static void id(const struct failure *f, const char *at, const char *all, char *out, size_t size) \
	{                                                                                                \
		(void)at;                                                                                \
		(void)all;                                                                               \
		snprintf(out, size, text, f->backend);                                                   \
	}

PLAIN(newer_system, "%s is built for a newer system than this: install an older version ('assay backends list')")
PLAIN(own_symbols,
      "%s lacks a function that its worker needs: it is too old or too new for this assay; take another version")
PLAIN(build_again, "'assay backends install --force %s' builds it again")
PLAIN(no_python, "%s runs inside Python: install python3, or set ASSAY_PYTHON")
PLAIN(no_worker, "the worker of %s is not built: run make, or set ASSAY_WORKERS to the folder of the workers")
PLAIN(no_device, "%s needs a GPU that this machine lacks, or its driver is not loaded")
PLAIN(static_tls, "%s needs more room for thread-local data: set GLIBC_TUNABLES=glibc.rtld.optional_static_tls=4096")
PLAIN(exec_stack,
      "the kernel forbids the executable stack that %s asks for; it runs in a container or system that allows it")

static const struct {
	const char *text;
	void (*advise)(const struct failure *f, const char *at, const char *all, char *out, size_t size);
} causes[] = {
	{"cannot open shared object file", missing_library},
	{"' not found (required by", newer_system},
	{"cannot enable executable stack", exec_stack},
	{"static TLS block", static_tls},
	{"No module named", missing_module},
	{"undefined symbol", own_symbols},
	{"has no function", own_symbols},
	{"build it again", build_again},
	{"needs python3", no_python},
	{"has no program", no_worker},
	{"workers/python/worker.py", no_worker},
	{"no CUDA", no_device},
	{"CUDA_ERROR_NO_DEVICE", no_device},
	{"Unknown backend cuda", no_device},
};

void advice_for(const struct failure *f, char *out, size_t size)
{
	const char *texts[] = {f->message, f->said};

	out[0] = '\0';
	for (size_t i = 0; i < sizeof causes / sizeof *causes && !*out; i++)
		for (size_t k = 0; k < 2 && !*out; k++) {
			const char *at = texts[k] ? strstr(texts[k], causes[i].text) : NULL;

			if (at)
				causes[i].advise(f, at, texts[k], out, size);
		}
	if (*out)
		return;
	if (f->signal == SIGILL)
		snprintf(out, size, "this processor lacks instructions that %s is built for: take another version",
			 f->backend);
	else if (f->signal == SIGKILL)
		snprintf(out, size, "%s was killed: most likely this machine has too little memory", f->backend);
	else if (f->damaged)
		snprintf(out, size, "'assay backends install --force %s' puts the files in place again", f->backend);
}
