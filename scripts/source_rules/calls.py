"""Functions that are banned from some folders or from all."""

import re

# function, why not, files that may (prefixes of paths)
BANNED = [
    ("strcpy|strcat|sprintf|vsprintf|gets", "writes past the end", ()),
    ("atoi|atol|atoll|atof", "cannot report a bad number", ()),
    ("strtok|localtime|gmtime|ctime|asctime|s?rand|s?random|drand48|getpwuid|getpwnam", "keeps hidden state", ()),
    ("system", "goes through a shell", ()),
    ("alloca", "overflows the stack", ()),
    ("malloc|calloc|realloc|free|strdup|strndup|asprintf|vasprintf|aligned_alloc|posix_memalign",
     "goes past the allocator in base/mem.h", ("src/base/mem.c", "tests/", "bench/")),
    ("printf|vprintf|fprintf|vfprintf|puts|fputs|putchar|perror", "prints from library code",
     ("src/cli/", "src/base/err.c", "src/base/log.c", "src/base/progress.c", "tests/", "bench/")),
    ("setenv|unsetenv|putenv|clearenv", "changes the environment of the program that uses the library",
     ("src/worker/child/", "src/backends/", "tests/", "bench/")),
    ("setlocale|umask|chdir|signal|sigaction|setrlimit", "changes the program that uses the library",
     ("src/base/child.c", "src/base/mapped.c", "src/worker/", "src/backends/", "src/cli/", "tests/", "bench/")),
    ("mapped_allow", "is for main()", ("src/base/mapped.", "src/cli/main.c", "tests/")),
    ("mallopt", "changes the allocator of the program that uses the library", ("src/base/mem.c",)),
    ("mem_keep_large", "is for main()", ("src/base/mem.", "src/cli/main.c", "src/worker/child/serve.c", "bench/")),
    ("pthread_create|pthread_mutex_init|pthread_cond_init", "starts threads past base/crew.h and base/parallel.h",
     ("src/base/crew.c", "src/base/parallel.c", "tests/")),
    ("exit|_exit|_Exit|quick_exit|abort|assert|raise", "ends the program from library code",
     ("src/cli/", "src/base/err.c", "src/base/child.c", "src/worker/parent/supervision.c", "src/worker/supervisor/",
      "src/methods/fuzz/campaign.c", "src/faults/fault_process.c",
      "src/backends/rewrite/rewriter.c",  # a worker that ends as its rewriter did
      "tests/", "bench/")),
    ("store_add", "goes past the door to the store, triage/keep.c",
     ("src/triage/keep", "src/store/", "tests/", "bench/")),
    ("spec_make|spec_make_list|party_open", "starts what a name says, which data may have: spec_make_found()",
     ("src/worker/", "src/judge/party.c", "src/judge/trial.h", "src/install/", "src/methods/", "src/cli/",
      "src/triage/subject.c", "src/triage/switches.c", "src/triage/bisect.c",  # typed, or made of what is open already
      "tests/", "bench/")),
    ("json_dumps|json_dumpb|json_dumpf|json_dumpfd|json_dump_file|json_dump_callback", "goes past base/json.h",
     ("src/base/json.c", "src/cli/cli.c", "tests/", "bench/")),
    ("mkdir", "goes past base/place.h", ("src/base/place.c", "tests/", "bench/")),
]


def rule_banned(source):
    if not source.is_c:
        return
    for names, why, allowed in BANNED:
        if source.path.startswith(allowed or ("\0",)):
            continue
        for found in re.finditer(rf"(?<![\w.>])({names})\s*\(", source.code):
            yield source.line_of(found.start()), f"{found.group(1)}() {why}"


# Files that have to do with the program's own streams; all others print through base/plain.h
STREAMS = ("src/base/log.c", "src/base/err.c", "src/base/progress.c", "src/base/child.c", "src/worker/child/",
           "src/worker/supervisor/", "src/backends/rewrite/rewriter.c", "src/cli/main.c", "src/cli/cli.c",
           "src/cli/fuzz_status.c", "src/cli/campaign_status.c", "src/cli/terminal.c", "src/cli/page_file.c")


def rule_streams(source):
    """Names and messages come from models, libraries and stores: what prints them escapes what a terminal obeys."""
    if not source.is_c or not source.path.startswith("src/") or source.path.startswith(STREAMS):
        return
    streams = r"\b(stdout|stderr|STDOUT_FILENO|STDERR_FILENO)\b"
    if source.path.startswith("src/cli/"):  # elsewhere they are banned
        streams += r"|(?<![\w.>])(printf|vprintf|puts|putchar|perror)(?=\s*\()"
    for found in re.finditer(streams, source.code):
        yield source.line_of(found.start()), f"'{found.group()}' goes past base/plain.h"


def rule_typedef(source):
    if source.is_c:
        for found in re.finditer(r"\btypedef\s+(struct|union)\b[^;(]*[;{]", source.code):  # of a function is fine
            yield source.line_of(found.start()), f"{found.group(1)} hidden behind a typedef"


FILE_RULES = [rule_banned, rule_streams, rule_typedef]
