/* cli.h - what the verbs share: options in tables, errors, output.
 *
 * A verb is a row in verbs.def and a function in cmd_<verb>.c.  It declares its options as a table that points at its
 * own variables; parsing, --help and shell completion all come from that table. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "base/texts.h"

enum cli_type {
	CLI_FLAG,    /* int *: set to 1 */
	CLI_STRING,  /* const char ** */
	CLI_LIST,    /* struct texts *: may be given several times */
	CLI_INT,     /* int64_t *, not negative: no option has a meaning for that */
	CLI_COUNT,   /* int64_t *, from 1 on: 0 stands for the default there and is not to be typed */
	CLI_FLOAT,   /* double *, neither negative nor NaN */
	CLI_ABOVE0,  /* double *, likewise above 0 */
	CLI_RANGE,   /* struct number_range *: LO:HI, or nothing at all */
	CLI_TIME,    /* double *: seconds, written as 90s, 5m or 1h */
	CLI_SPLIT,   /* struct split *: K/N */
	CLI_WORD,    /* struct cli_word *: one of its words */
	CLI_WORDS,   /* struct cli_word *: several of them, with commas between */
	CLI_OR_FILE, /* struct cli_word *: one of its words, or a file: *text has it */
	CLI_MARK     /* no option: see CLI_RARE */
};

struct cli_word {
	const char *const *words; /* up to the first NULL */
	int at;                   /* which of them; before the options are parsed, the default */
	size_t stride;            /* they are in rows of so many bytes; 0: in an array of their own */
	const char **text;        /* what was written goes there; NULL: nowhere */
	unsigned chosen;          /* CLI_WORDS: a bit for each */
};

/* The names of a table's rows, one of which goes to *text when it is given. */
#define CLI_NAMES(rows, to)                                                     \
	{                                                                       \
		.words = &(rows)->name, .stride = sizeof *(rows), .text = (to), \
	}

struct cli_option {
	char letter;      /* 0: long form only */
	const char *name; /* without the dashes */
	const char *arg;  /* name of its argument in the help; NULL for flags */
	enum cli_type type;
	void *to;
	const char *help;
};

/* A row of the table: those below it, and the notes, are in 'assay help VERB --all' alone.  Help fits 40 lines. */
#define CLI_RARE                                \
	{                                       \
		0, "", NULL, CLI_MARK, NULL, "" \
	}

/* What a verb is called with. */
struct cli {
	const char *verb, *arguments, *summary, *example; /* from its row */
	int argc;
	char **argv;        /* after the verb; for completion, up to the word that is asked for */
	FILE *out;          /* results */
	int complete;       /* print the options for shell completion instead of running */
	const char *notes;  /* printed below the options in the help; a verb sets it before it parses; NULL: none */
	const char *status; /* its exit status, in the short help as well; NULL: as 'assay help' has it */
	int verdicts;       /* the help says what they mean */
	int networks;       /* its arguments are models: files, or names of the zoo */
	uint64_t lists;     /* rows of the options' table with a list that was given: a second one would replace it */
};

#define CLI_DONE 1 /* cli_parse: help was printed; the verb returns 0 */

/* Parses options (up to the first row without a name) and gathers the other arguments in rest.  0, CLI_DONE, or
 * ERR_USAGE with a message. */
int cli_parse(struct cli *c, const struct cli_option *options, struct texts *rest, struct err *e);

/* What was typed; without some options, each with a blank behind it: "--resume --time= ", "=" where it has a value. */
void cli_command(const struct cli *c, const char *but, struct buf *out);

/* Exit statuses of design.md section 8. */
enum {
	CLI_OK = 0,
	CLI_FINDINGS = 1,
	CLI_BAD_INPUT = 2,
	CLI_FAILED = 3,
	CLI_HOLLOW = 4,   /* nothing found, but some backend was judged on nothing */
	CLI_EXPLAINED = 5 /* nothing found, but a lower precision, or one quantization step, explains a difference */
};

/* Prints "assay: message" to standard error and returns the exit status for it. */
int cli_fail(const struct err *e);

/* The exit status after cli_parse() returned rc != 0. */
int cli_parse_status(int rc, const struct err *e);

/* A verb from its options to its exit status: parses, then runs with the other arguments.  `run` returns an exit
 * status, or a negative one with a message, which is printed. */
typedef int cli_run_fn(struct cli *c, const struct texts *rest, void *arg, struct err *e);
int cli_main(struct cli *c, const struct cli_option *options, cli_run_fn *run, void *arg);

/* ERR_USAGE unless there is one argument: "reduce needs one finding or folder, not 2". */
int cli_one(const struct cli *c, const struct texts *rest, const char *what, struct err *e);

/* What verbs over a finding say of "N|DIR". */
#define CLI_SUBJECT "finding or folder"
#define CLI_SUBJECT_NOTES \
	"N is the number of a finding; DIR is a bundle, or a folder with model.onnx and inputs.npz and -b NAME.\n"

/* Prints JSON for programs, and a line end, and drops it; CLI_OK or CLI_FAILED. */
int cli_print_json(FILE *out, json_t *take);

/* Warns of what model_complain() has noted. */
struct model;
void cli_warn_of(const struct model *m);

/* Prints which sizes of inputs were made up (case/told_sizes.h), or puts all sizes into a report. */
void cli_tell_sizes(FILE *out, const json_t *sizes, json_t *report);

/* ---- verbs whose first argument says what to do ------------------------------------------------------------------ */

struct cli_action {
	const char *name;
	cli_run_fn *run;     /* with the arguments behind the name */
	size_t least;        /* arguments it needs … */
	const char *needs;   /* … as the message says it */
	const char *summary; /* for completion */
};

/* A cli_run_fn for cli_main(), arg: does what the first word names, or without one the first action. */
struct cli_actions {
	const struct cli_action *at; /* up to the first without a name */
	void *arg;                   /* of `run` */
};
int cli_act(struct cli *c, const struct texts *words, void *actions, struct err *e);
/* Prints their names when completion asks for the first word. */
void cli_complete_actions(const struct cli *c, const struct cli_action *actions);

#define CLI_COMPLETE_FILES "<file>\t\n" /* among the words for completion: names of files fit as well */
/* The words that may be the value of an option, when completion asks for that; 0: the last word is none of them. */
int cli_complete_value(const struct cli *c, const struct cli_option *options);
void cli_complete_networks(const struct cli *c);

struct cli_verb {
	const char *name, *arguments, *summary, *example;
	int (*run)(struct cli *c); /* returns the exit status */
};

extern const struct cli_verb cli_verbs[]; /* up to the first without a name */

#endif
