/* cmd_fuzz.c - assay fuzz: random models on backends, guided by operator coverage. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/near.h"
#include "base/place.h"
#include "cli/cli.h"
#include "cli/findings.h"
#include "cli/fuzz_status.h"
#include "cli/stop.h"
#include "cli/tally_print.h"
#include "cli/terminal.h"
#include "methods/equiv/share.h"
#include "methods/fuzz/target.h"
#include "ops/op.h"
#include "report/text.h"
#include "store/record.h"
#include "worker/parent/quirks.h"

int cmd_fuzz(struct cli *c);

static const char notes[] =
	"Blocks: --corpus paper (the 50 operators and 3 subgraphs of the paper), large (every operator that can be\n"
	"drawn, and patterns of several), or a file like data/blocks-paper.yaml.\n"
	"Coverage: OLC, of operators, is the mean of OTC (their types), IDC and ODC (how many inputs and outputs they\n"
	"have), SEC (edges from one type to another) and SPC (their shapes and parameters).\n"
	"Statuses: MCF the model is not loaded, IF it is not run, DCF wrong numbers, DCP right ones.\n"
	"--oracle lets another rule call numbers wrong: compared with the first backend, or with the reference if "
	"there\n"
	"is one.  A finding is kept when the rounding oracle agrees.\n"
	"--reference B makes a library the first backend, as the paper does with TensorFlow, and gbft the oracle.\n"
	"--search: mcts chooses blocks by a tree search that looks for coverage, and fills the other places with what\n"
	"makes new edges; filled fills all places so; random takes any block.  paper and paper-random are the two\n"
	"searches as the paper has them: models that cover nothing new are thrown away, numbers are uniform in [-1, "
	"1],\n"
	"the tree is rewarded when a library fails; they take one job, and a run that was stopped starts again.\n"
	"-o DIR gets corpus/N/ (model.onnx, inputs.npz, expected.npz) of each case that raised the coverage, and with\n"
	"--keep-all models/N.onnx of every case.  Ctrl-C stops after the current case; the same command continues.\n";

struct cmd_fuzz_options {
	const char *backends, *reference, *corpus, *seeds, *oracle, *input, *output, *db, *opset;
	struct cli_word search, graphs, lines;
	struct split split;
	int64_t seed, models, jobs, blocks;
	int no_mutations, special, invalid, gradients, fusions, subgraphs, keep_all, no_store, no_reduce, json;
	double limit, seconds, share;
};

struct cmd_fuzz_job {
	const struct cmd_fuzz_options *o;
	struct corpus corpus;
	struct spec_list specs;
	struct quirks quirks;
	struct campaign_options run;
	struct fuzz_stats stats;
	struct equiv_shared rules;
	struct buf fused; /* what the campaign had seen when it was stopped */
};

static const char *const corpora[] = {"paper", "large", NULL}; /* data/blocks-NAME.yaml */

/* ---- before ------------------------------------------------------------------------------------------------------ */

static int load_corpus(struct cmd_fuzz_job *j, struct err *e)
{
	char path[PLACE_PATH], name[64];
	const char *given = j->o->corpus;
	struct near n = NEAR(given);
	int large = !strcmp(given, "large"), rc;

	snprintf(name, sizeof name, "blocks-%.40s.yaml", given);
	rc = place_data_file(near_find(given, strlen(given), corpora, 0) < 0 ? given : NULL, name, path, e);
	if (!rc && access(path, F_OK))
		rc = err_set(e, ERR_IO, "--corpus: there is no file '%s'%s", path,
			     near_hint(near_offer_rows(&n, corpora, sizeof *corpora)));
	rc = rc ? rc : corpus_load(path, large, &j->corpus, e);
	return rc || !j->o->seeds ? rc : corpus_add_seeds(&j->corpus, j->o->seeds, e);
}

static int check_options(struct cmd_fuzz_job *j, struct err *e)
{
	const struct cmd_fuzz_options *o = j->o;
	struct campaign_options *r = &j->run;
	int rc = 0;

	if (o->blocks < 0 || o->blocks > FUZZ_MAX_NODES)
		rc = err_set(e, ERR_USAGE, "--blocks takes 1 to %d", FUZZ_MAX_NODES);
	if (!rc && (o->jobs < 1 || o->jobs > FUZZ_MAX_JOBS))
		rc = err_set(e, ERR_USAGE, "--jobs takes 1 to %d", FUZZ_MAX_JOBS);
	if (!rc && o->fusions && o->jobs != 1)
		rc = err_set(e, ERR_USAGE, "--fusions takes one job: cases depend on what came of those before");
	if (!rc && o->lines.at && (o->fusions || o->jobs != 1))
		rc = err_set(e, ERR_USAGE, "--lines takes one job, and no --fusions");
	if (!rc && fuzz_searches[o->search.at].paper && o->jobs != 1)
		rc = err_set(e, ERR_USAGE, "--search %s takes one job: cases depend on what came of those before",
			     fuzz_searches[o->search.at].name);
	if (!rc && o->models < 0)
		rc = err_set(e, ERR_USAGE, "--models takes a number of models");
	if (!rc && !(o->share >= 0 && o->share < 100))
		rc = err_set(e, ERR_USAGE, "--share takes a percentage below 100");
	if (!rc && o->keep_all && !o->output)
		rc = err_set(e, ERR_USAGE, "--keep-all needs -o DIR");
	r->fuzz = (struct fuzz_options){.seed = (uint64_t)o->seed,
					.split = o->split,
					.search = (enum fuzz_search)o->search.at,
					.graphs = (enum graph_model)o->graphs.at,
					.blocks = (int)o->blocks,
					.no_mutations = o->no_mutations,
					.special = o->special,
					.invalid = o->invalid,
					.subgraphs = o->subgraphs};
	return !rc && o->opset ? fuzz_options_opset(&r->fuzz, o->opset, e) : rc;
}

static int prepare(struct cmd_fuzz_job *j, struct err *e)
{
	struct campaign_options *r = &j->run;
	const struct cmd_fuzz_options *o = j->o;
	const char *oracle;
	int rc = check_options(j, e);

	if (!rc)
		rc = load_corpus(j, e);
	if (!rc)
		rc = quirks_load(NULL, &j->quirks, e);
	if (!rc)
		rc = fuzz_target_specs(o->reference, o->backends, &j->specs, e);
	if (!rc && j->specs.n > FUZZ_MAX_BACKENDS)
		rc = err_set(e, ERR_USAGE, "fuzz takes at most %d backends", FUZZ_MAX_BACKENDS);
	if (!rc)
		rc = fuzz_target_fit(&j->specs, &r->fuzz, &j->corpus, e);
	if (!rc && o->subgraphs && !j->corpus.n_subgraphs)
		rc = err_set(e, ERR_USAGE, "--subgraphs: the corpus has none that these backends can be given");
	if (rc)
		return rc;
	r->corpus = &j->corpus;
	r->specs = j->specs.at;
	r->n_specs = j->specs.n;
	r->judge = (struct judge_options){.limit = o->limit, .quirks = &j->quirks};
	r->db = o->no_store ? NULL : o->db ? o->db : "";
	oracle = o->oracle ? o->oracle : o->reference ? "gbft" : "rounding";
	if (strcmp(oracle, "rounding"))
		r->oracle = oracle_find(oracle)->oracle;
	r->start = o->input;
	r->folder = o->output;
	r->keep_all = o->keep_all;
	r->fusions = o->fusions;
	r->lines = (enum fuzz_lines)o->lines.at;
	r->gradients = o->gradients;
	r->jobs = (int)o->jobs;
	r->models = o->models;
	r->seconds = o->seconds;
	r->no_reduce = o->no_reduce;
	r->stop = &stop_asked;
	return campaign_resume(r, o->backends, &j->fused, e);
}

/* Rules on single operators first: a campaign that has begun, or that is to have so many models, has none. */
static int run_rules(struct cmd_fuzz_job *j, struct err *e)
{
	const struct equiv_share s = {.specs = &j->specs,
				      .percent = j->o->models || j->run.first || j->o->invalid ? 0 : j->o->share,
				      .seconds = j->o->seconds,
				      .seed = (uint64_t)j->o->seed,
				      .split = j->o->split,
				      .jobs = (size_t)j->o->jobs,
				      .db = j->run.db,
				      .campaign = j->run.id};
	int rc = equiv_share_run(&s, &j->rules, e);

	j->run.seconds -= j->rules.seconds;
	return rc;
}

/* ---- after ------------------------------------------------------------------------------------------------------- */

struct cmd_fuzz_listing {
	struct store *store;
	json_t *list; /* NULL: text */
	FILE *out;
};

static int list_finding(const struct finding *f, void *arg)
{
	struct cmd_fuzz_listing *l = arg;
	struct buf line;

	if (!verdict_is_finding(f->verdict))
		return 0;
	if (l->list) {
		json_array_append_new(l->list, finding_json(f, l->store));
		return 0;
	}
	buf_init(&line, 65536);
	buf_puts(&line, "finding ");
	buf_printf(&line, "%lld: ", (long long)f->id);
	text_plain(&line, f->signature, 250);
	buf_printf(&line, ", %d node%s\nrepro: ", f->nodes, PLURAL(f->nodes));
	finding_repro(f, l->store, &line);
	fprintf(l->out, "%s\n", line.data ? line.data : "");
	buf_release(&line);
	return 0;
}

static int each_finding(const struct cmd_fuzz_job *j, struct cmd_fuzz_listing *l, struct err *e)
{
	struct store_filter filter = {.campaign = j->run.id};
	int rc = j->run.id ? store_open(j->run.db, 0, &l->store, e) : 0;

	if (!rc && l->store)
		rc = store_each(l->store, &filter, list_finding, l, e);
	store_close(l->store);
	return rc;
}

static void make_rows(const struct cmd_fuzz_job *j, struct tally_row rows[FUZZ_MAX_BACKENDS])
{
	for (size_t i = 0; i < j->specs.n; i++)
		rows[i] = (struct tally_row){j->specs.at[i].name, j->stats.all.tallies[i]};
}

/* What the cases held that each backend was judged on. */
static json_t *special_json(const struct cmd_fuzz_job *j)
{
	json_t *o = json_object();

	for (size_t i = 0; i < j->specs.n; i++)
		json_object_set_new(o, j->specs.at[i].name, held_json(&j->stats.all.held[i]));
	return o;
}

static void print_special(const struct cmd_fuzz_job *j, FILE *out)
{
	struct buf text;

	for (size_t i = 0; i < j->specs.n; i++) {
		buf_init(&text, 4096);
		buf_printf(&text, "special: %s was judged on ", j->specs.at[i].name);
		held_text(&j->stats.all.held[i], &text);
		terminal_say(out, 0, 2, text.data ? text.data : "");
		buf_release(&text);
	}
}

static int print_json(const struct cmd_fuzz_job *j, const struct tally_row *rows, FILE *out, struct err *e)
{
	const struct fuzz_stats *s = &j->stats;
	struct cmd_fuzz_listing l = {.list = json_array()};
	json_t *o;
	int rc = each_finding(j, &l, e);

	if (rc) {
		json_decref(l.list);
		return rc;
	}
	o = fuzz_stats_json(s, j->o->fusions, j->o->lines.at);
	if (o)
		json_object_set_new(o, "findings", l.list);
	else
		json_decref(l.list);
	if (o)
		json_object_set_new(o, "counts", tally_rows_json(rows, j->specs.n));
	if (o && j->o->special)
		json_object_set_new(o, "special", special_json(j));
	if (o && j->rules.backends)
		json_object_set_new(o, "rules",
				    json_pack("{s:I, s:I, s:I}", "pairs", (json_int_t)j->rules.pairs, "inputs",
					      (json_int_t)j->rules.inputs, "findings", (json_int_t)j->rules.findings));
	return cli_print_json(out, o);
}

/* Kinds of operators that libraries made of the models. */
static void print_fusions(const struct fuzz_stats *s, FILE *out)
{
	fprintf(out, "fusions: %d kinds of operators, each made of so many models:", s->fusions);
	for (int i = 0; i < s->fusions; i++)
		fprintf(out, "%s %s %lld", i ? "," : "", s->fused[i].name, (long long)s->fused[i].n);
	fprintf(out, "\n");
}

/* "ort|wrong|end|Relu|Conv" of known_look() as a sentence: the operators from the end of the model on. */
static void say_look(struct buf *text, char *line)
{
	char *verdict = strchr(line, '|'), *rest = verdict ? strchr(verdict + 1, '|') : NULL, *end;

	if (!rest) {
		text_plain(text, line, 120);
		return;
	}
	*verdict++ = '\0';
	*rest++ = '\0';
	end = strncmp(rest, "end|", 4) ? NULL : rest + 4;
	for (char *p = end ? end : rest; (p = strchr(p, '|')); p++)
		*p = ' ';
	text_plain(text, line, 60);
	buf_printf(text, ": %s%s", verdict, end ? ", in a model that ends with (last first) " : ": ");
	text_plain(text, end ? end : rest, 120);
}

static void print_looks(const struct fuzz_stats *s, FILE *out)
{
	char line[1024];
	struct buf text;
	int n;

	fprintf(out, "nothing is stored, so none was confirmed, proven or reduced; kinds of failures:\n");
	for (const char *p = s->looks; sscanf(p, "%1023[^\n]%n", line, &n) == 1; p += n + (p[n] == '\n')) {
		buf_init(&text, 4096);
		say_look(&text, line);
		fprintf(out, "  %s\n", text.data ? text.data : "");
		buf_release(&text);
	}
}

static void print_coverage(const struct fuzz_stats *s, FILE *out)
{
	const struct coverage_figures *c = &s->coverage;
	char line[512];

	snprintf(line, sizeof line,
		 "coverage: OLC %.1f %%, the mean of operator types (OTC) %.1f, input degrees (IDC) %.1f, "
		 "output degrees (ODC) %.1f, edges (SEC) %.1f, shapes and parameters (SPC) %.1f",
		 100 * c->olc, 100 * c->otc, 100 * c->idc, 100 * c->odc, 100 * c->sec, 100 * c->spc);
	terminal_say(out, 0, 2, line);
}

static void print_statuses(const struct fuzz_stats *s, FILE *out)
{
	char line[512];

	snprintf(line, sizeof line,
		 "status: not loaded (MCF) %lld, not run (IF) %lld, wrong (DCF) %lld, right (DCP) %lld; "
		 "unsupported %lld, flaky %lld, ours %lld",
		 (long long)s->status[FUZZ_MCF], (long long)s->status[FUZZ_IF], (long long)s->status[FUZZ_DCF],
		 (long long)s->status[FUZZ_DCP], (long long)s->status[FUZZ_UNSUPPORTED],
		 (long long)s->status[FUZZ_FLAKY], (long long)s->status[FUZZ_OURS]);
	terminal_say(out, 0, 2, line);
}

static int print_text(const struct cmd_fuzz_job *j, FILE *out, struct err *e)
{
	const struct fuzz_stats *s = &j->stats;
	struct cmd_fuzz_listing l = {.out = out};
	char time[128];

	fprintf(out, "%lld models in %.1f s", (long long)s->cases, s->seconds);
	if (fuzz_searches[j->o->search.at].paper)
		fprintf(out, "; %lld more covered nothing new, and were thrown away", (long long)s->discarded);
	fprintf(out, "\n");
	print_coverage(s, out);
	print_statuses(s, out);
	if (j->o->special)
		print_special(j, out);
	if (s->not_run)
		fprintf(out, "%lld cases of '%s' were not run: the end came first\n", (long long)s->not_run,
			j->run.start);
	if (s->cut_off)
		fprintf(out,
			"cut off: %lld case%s at which a library gave no answer until long after the end; the same "
			"command "
			"goes on there\n",
			(long long)s->cut_off, PLURAL(s->cut_off));
	if (j->o->fusions)
		print_fusions(s, out);
	if (j->o->lines.at)
		fprintf(out, "lines: %lld of the libraries' own Python code were run\n", (long long)s->lines);
	if (j->rules.backends)
		fprintf(out, "rules, %.0f %% of the time: %zu pairs of single operators, %zu inputs, %zu findings\n",
			j->o->share, j->rules.pairs, j->rules.inputs, j->rules.findings);
	fuzz_triage_text(s, time, sizeof time);
	fprintf(out, "findings: %lld, stored %lld, new %lld; %s\n", (long long)s->findings, (long long)s->stored,
		(long long)s->fresh, time);
	if (j->o->no_store && s->findings)
		print_looks(s, out);
	return each_finding(j, &l, e);
}

/* ---- the verb ---------------------------------------------------------------------------------------------------- */

static int run_campaign(struct cmd_fuzz_job *j, FILE *out, struct err *e)
{
	struct tally_row rows[FUZZ_MAX_BACKENDS];
	struct fuzz_screen screen = {.specs = &j->specs};
	struct err trouble = ERR_INIT;
	int printed = 0, rc = prepare(j, e);

	if (!rc)
		rc = run_rules(j, e);
	if (rc)
		return rc;
	stop_on(SIGINT);
	stop_on(SIGTERM);
	terminal_screen_start(&screen.screen);
	j->run.progress = fuzz_status_show;
	j->run.progress_arg = &screen;
	rc = campaign_run(&j->run, &j->stats, e);
	terminal_screen_end(&screen.screen);
	make_rows(j, rows);
	if (!rc || j->stats.cases) /* what was counted is told however it ended */
		printed = j->o->json ? print_json(j, rows, out, &trouble) : print_text(j, out, &trouble);
	if (!rc && printed) {
		*e = trouble;
		rc = printed;
	}
	if (rc)
		return rc;
	if (j->run.id)
		store_record_rows(&(struct store_run){.db = j->run.db, .campaign = j->run.id}, rows, j->specs.n);
	return tally_print(j->o->json ? NULL : out, rows, j->specs.n,
			   j->stats.all.findings || j->rules.findings ? CLI_FINDINGS : CLI_OK);
}

static int run(struct cli *c, const struct texts *rest, void *options, struct err *e)
{
	struct cmd_fuzz_job j = {.o = options};
	struct buf command;
	int rc;

	if (rest->n)
		return err_set(e, ERR_USAGE, "fuzz takes options only; see 'assay help fuzz'");
	buf_init(&j.fused, (size_t)16 << 20);
	buf_init(&command, 65536);
	cli_command(c, NULL, &command);
	j.run.command = command.data ? command.data : "";
	rc = run_campaign(&j, c->out, e);
	corpus_release(&j.corpus);
	quirks_release(&j.quirks);
	buf_release(&j.fused);
	spec_list_release(&j.specs);
	buf_release(&command);
	return rc;
}

int cmd_fuzz(struct cli *c)
{
	static const char *const graphs[] = {"both", "ws", "rn", NULL};
	static const char *const lines[] = {"no", "count", "reward", NULL}; /* enum fuzz_lines */
	struct cmd_fuzz_options o = {.backends = "ort",
				     .corpus = "paper",
				     .search = CLI_NAMES(fuzz_searches, NULL),
				     .graphs = {.words = graphs},
				     .lines = {.words = lines},
				     .jobs = 1,
				     .share = SHARE_PERCENT};
	struct cli_word oracle = CLI_NAMES(oracle_rows, &o.oracle);
	struct cli_word corpus = {.words = corpora, .text = &o.corpus};
	const struct cli_option options[] = {
		{'b', "backend", "LIST", CLI_STRING, &o.backends, "backends under test (default: ort)"},
		{0, "corpus", "FILE", CLI_OR_FILE, &corpus, "blocks: paper, large, or a file (default: paper)"},
		{0, "seeds", "DIR", CLI_STRING, &o.seeds,
		 "also blocks: the subgraphs of networks that extract wrote to DIR"},
		{0, "models", "N", CLI_COUNT, &o.models, "stop after N models (default: no end)"},
		{0, "time", "TIME", CLI_TIME, &o.seconds, "stop after this time: 90s, 5m, 1h"},
		{0, "jobs", "N", CLI_INT, &o.jobs, "processes, each with workers of its own (default: 1)"},
		{0, "seed", "N", CLI_INT, &o.seed, "for everything drawn (default: 0)"},
		{0, "opset", "N", CLI_STRING, &o.opset,
		 "opset of the models, or a range 9-13 (default: all that all backends load)"},
		{0, "special", NULL, CLI_FLAG, &o.special, "put NaN, infinities and the largest integers into inputs"},
		{0, "invalid", NULL, CLI_FLAG, &o.invalid,
		 "make models that break one ONNX rule each: they must be refused"},
		{'g', "gradients", NULL, CLI_FLAG, &o.gradients, "also test gradients, on libraries that have them"},
		{0, "fusions", NULL, CLI_FLAG, &o.fusions,
		 "reward models that a library changes in a new way (ort, openvino, tvm, onnxscript)"},
		{0, "lines", "WORD", CLI_WORD, &o.lines,
		 "lines of its own Python code that a library runs: count, or reward models with new ones"},
		{'i', "input", "DIR", CLI_STRING, &o.input,
		 "run the cases in DIR/corpus first: of another run (-o DIR) or of extract"},
		{'o', "output", "DIR", CLI_STRING, &o.output, "write the cases that raised coverage there"},
		{0, "no-reduce", NULL, CLI_FLAG, &o.no_reduce, "do not reduce findings"},
		{0, "db", "FILE", CLI_STRING, &o.db, "store for findings (default: assay.db)"},
		{0, "no-store", NULL, CLI_FLAG, &o.no_store, "do not record findings"},
		{0, "json", NULL, CLI_FLAG, &o.json, "print results as JSON"},
		CLI_RARE,
		{0, "shard", "K/N", CLI_SPLIT, &o.split, "only every N-th model, from the K-th on"},
		{0, "reference", "BACKEND", CLI_STRING, &o.reference,
		 "a library to compare with, in place of assay's reference"},
		{0, "share", "PERCENT", CLI_FLOAT, &o.share,
		 "of the time for equiv's rules, on libraries that read ONNX (default: 25)"},
		{0, "blocks", "N", CLI_COUNT, &o.blocks,
		 "blocks of a model (default: random, 1 to 30; 1 to 8 where compiling is slow)"},
		{0, "search", "WORD", CLI_WORD, &o.search,
		 "mcts (default), random, filled, paper, paper-random; see below"},
		{0, "subgraphs", NULL, CLI_FLAG, &o.subgraphs,
		 "models of 1 or 3 subgraphs of the corpus, and nothing else"},
		{0, "graphs", "WORD", CLI_WORD, &o.graphs, "ws, rn or both (default: both)"},
		{0, "no-mutations", NULL, CLI_FLAG, &o.no_mutations,
		 "use graphs, shapes and parameters as they are drawn"},
		{0, "keep-all", NULL, CLI_FLAG, &o.keep_all, "write every model, not only those that raise coverage"},
		{0, "oracle", "NAME", CLI_WORD, &oracle,
		 "what decides on wrong numbers: rounding (default), cradle, audee, eagle, meta, gbft"},
		{0, "noise-limit", "X", CLI_FLOAT, &o.limit, "largest noise ratio of a right answer (default: 20)"},
		{0},
	};

	c->verdicts = 1;
	c->notes = notes;
	return cli_main(c, options, run, &o);
}
