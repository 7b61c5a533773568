/* counts.c - how much of each backend was judged, over all processes and all runs of a campaign (see campaign.h).
 *
 * A campaign that was stopped goes on with the first case that was not done.  Other processes may have been further:
 * their cases will be made and run again, and must not be counted twice.  So counts are written down only up to that
 * case. */
#include "methods/fuzz/campaign.h"

#include <string.h>

#define MARK '#'   /* begins a line of counts */
#define LEAST 1024 /* cases that may wait before they are looked through */

static void note_all(struct fuzz_past *p, const struct fuzz_note *note, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t judged = p->tallies[i].judged;

		tally_note(&p->tallies[i], note->notes[i] & FUZZ_RAN, (enum verdict)(note->notes[i] & ~FUZZ_RAN));
		if (p->tallies[i].judged > judged)
			held_note(&p->held[i], note->held);
	}
	p->findings += note->findings;
}

void fuzz_counts_open(struct fuzz_counts *c, const struct campaign_options *o, struct fuzz_stats *s)
{
	c->settled = o->before;
	s->all = o->before;
}

/* Cases of another run's corpus have numbers below 0; they are made again as long as no case is done. */
static int is_settled(const struct fuzz_note *note, int64_t next)
{
	return next > 0 && note->index < next;
}

/* Cases that need not be made again. */
static void settle(struct fuzz_counts *c, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < c->waiting.n; i++) {
		if (is_settled(&c->waiting.at[i], c->next))
			note_all(&c->settled, &c->waiting.at[i], n);
		else
			c->waiting.at[left++] = c->waiting.at[i];
	}
	c->waiting.n = left;
	c->most = 2 * left + LEAST;
}

/* One that waits keeps all behind it from being settled.  There may be many: they are looked through when they have
 * doubled, and when they are written down. */
int fuzz_counts_add(struct fuzz_counts *c, const struct campaign_options *o, const struct fuzz_record *r,
		    struct fuzz_stats *s, struct err *e)
{
	struct fuzz_note note = {.index = r->index, .findings = r->findings, .held = r->held};

	memcpy(note.notes, r->notes, sizeof note.notes);
	note_all(&s->all, &note, o->n_specs);
	if (vec_push(&c->waiting, note))
		return err_nomem(e, "counts", sizeof note);
	c->next = s->next;
	if (c->waiting.n > c->most)
		settle(c, o->n_specs);
	return 0;
}

static void write_line(struct buf *out, json_t *line)
{
	buf_printf(out, "%c", MARK);
	json_write(out, line, JSON_COMPACT);
	buf_puts(out, "\n");
	json_decref(line);
}

void fuzz_counts_write(struct fuzz_counts *c, size_t n, int64_t next, struct buf *out)
{
	settle(c, n);
	for (size_t i = 0; i < n; i++) {
		json_t *line = tally_json(&c->settled.tallies[i]);

		json_object_set_new(line, "held", held_json(&c->settled.held[i]));
		write_line(out, line);
	}
	write_line(out, json_pack("{s:I, s:I}", "findings", (json_int_t)c->settled.findings, "next", (json_int_t)next));
}

const char *fuzz_counts_read(const char *state, struct fuzz_past *out, size_t n)
{
	for (size_t i = 0; *state == MARK; i++) {
		size_t length = strcspn(state, "\n");
		json_t *j = json_loadb(state + 1, length - 1, 0, NULL);

		if (i < n) {
			tally_add_json(&out->tallies[i], j);
			held_add_json(&out->held[i], json_object_get(j, "held"));
		} else {
			const json_t *next = json_object_get(j, "next");

			out->findings += json_integer_value(json_object_get(j, "findings"));
			if (json_integer_value(next) >= 0 && json_is_integer(next))
				out->next = json_integer_value(next);
		}
		json_decref(j);
		state += length + (state[length] == '\n');
	}
	return state;
}

void fuzz_counts_release(struct fuzz_counts *c)
{
	vec_release(&c->waiting);
}
