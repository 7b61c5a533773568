/* main.c - the program: finds the verb and runs it. */
#include <stdio.h>
#include <string.h>

#include "base/mapped.h"
#include "base/mem.h"
#include "base/near.h"
#include "base/plain.h"
#include "cli/cli.h"
#include "worker/parent/worker.h"

#define VERB(id, name, arguments, summary, example) int cmd_##id(struct cli *c);
#include "cli/verbs.def"
#undef VERB

const struct cli_verb cli_verbs[] = {
#define VERB(id, name, arguments, summary, example) {name, arguments, summary, example, cmd_##id},
#include "cli/verbs.def"
#undef VERB
	{NULL, NULL, NULL, NULL, NULL},
};

static const struct cli_verb *find_verb(const char *name)
{
	for (const struct cli_verb *v = cli_verbs; v->name; v++)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

static void print_usage(FILE *to)
{
	fputs("assay tests deep-learning libraries.\n\nusage: assay VERB [options]\n\nverbs:\n", to);
	for (const struct cli_verb *v = cli_verbs; v->name; v++)
		fprintf(to, "  %-12s %s\n", v->name, v->summary);
	fputs("\nfirst steps:\n"
	      "  assay backends install ort                     get a library\n"
	      "  assay check m.onnx -b ort                      is it right on your model?\n"
	      "  assay fuzz -b ort --corpus large --time 1m     look for its bugs\n"
	      "\n'assay help VERB' describes a verb, 'assay explain WORD' a word; 'assay --version' prints the "
	      "version.\n"
	      "Exit status: 0 nothing found, 1 findings, 2 bad usage or bad input, 3 a failure of assay itself,\n"
	      "4 a backend was judged on nothing, 5 a lower precision explains a difference.\n",
	      to);
}

static int run_verb(const struct cli_verb *v, int argc, char **argv, int complete)
{
	struct cli c = {.verb = v->name,
			.arguments = v->arguments,
			.summary = v->summary,
			.example = v->example,
			.argc = argc,
			.argv = argv,
			.out = plain_open(stdout),
			.complete = complete};
	int status;

	if (!c.out)
		return CLI_FAILED;
	mapped_allow();
	worker_park_open();
	status = v->run(&c);
	worker_park_close();
	fclose(c.out); /* what goes wrong there shows in stdout */
	return status;
}

static int unknown_verb(const char *name)
{
	static const char *const own[] = {"--help", "--version", NULL};
	struct err e = ERR_INIT;

	if (*name == '-') {
		struct near n = NEAR(name);

		near_offer_rows(&n, own, 0);
		err_set(&e, ERR_USAGE,
			"'%s' is not a verb%s; options stand behind the verb, as in 'assay check m.onnx -b ort'", name,
			near_hint(&n));
		return cli_fail(&e);
	}
	err_set(&e, ERR_USAGE, "unknown verb '%s'%s; 'assay help' lists them", name, NEAR_HINT(name, cli_verbs));
	return cli_fail(&e);
}

/* help [VERB [--all]], --help, --version and the list that completion asks for. */
static int built_in(const char *name, int argc, char **argv, int *handled)
{
	char *help[] = {(char *)"--help", (char *)"--all"};
	int asks_help = !strcmp(name, "help") || !strcmp(name, "--help") || !strcmp(name, "-h");

	*handled = 1;
	if (asks_help && argc) {
		const struct cli_verb *v = find_verb(argv[0]);

		return v ? run_verb(v, argc > 1 && !strcmp(argv[1], "--all") ? 2 : 1, help, 0) : unknown_verb(argv[0]);
	}
	if (asks_help) {
		print_usage(stdout);
		return CLI_OK;
	}
	if (!strcmp(name, "--version") || !strcmp(name, "version")) {
		puts("assay " ASSAY_VERSION);
		return CLI_OK;
	}
	if (!strcmp(name, "--complete")) { /* verbs, or what may follow one: "name<TAB>help" lines */
		const struct cli_verb *v = argc ? find_verb(argv[0]) : NULL;

		for (const struct cli_verb *each = cli_verbs; !argc && each->name; each++)
			printf("%s\t%s\n", each->name, each->summary);
		return v ? run_verb(v, argc - 1, argv + 1, 1) : CLI_OK;
	}
	*handled = 0;
	return 0;
}

/* Results that could not be written must not look like success. */
static int finish(int status)
{
	if (fflush(stdout) || ferror(stdout)) {
		fputs("assay: cannot write standard output\n", stderr);
		return CLI_FAILED;
	}
	return status;
}

int main(int argc, char **argv)
{
	const struct cli_verb *v;
	int handled, status;

	mem_keep_large();
	if (argc < 2) {
		print_usage(stderr);
		return CLI_BAD_INPUT;
	}
	status = built_in(argv[1], argc - 2, argv + 2, &handled);
	if (handled)
		return finish(status);
	v = find_verb(argv[1]);
	return v ? finish(run_verb(v, argc - 2, argv + 2, 0)) : unknown_verb(argv[1]);
}
