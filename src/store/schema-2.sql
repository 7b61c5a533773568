-- schema-2.sql - how much of each backend was judged, by run.

CREATE TABLE tallies (
	campaign INTEGER NOT NULL REFERENCES campaigns (id),
	model TEXT NOT NULL,      -- '': all cases of the campaign
	backend TEXT NOT NULL,
	verdict TEXT NOT NULL,    -- on the model; '': none, for there are many cases
	note TEXT NOT NULL,       -- why, in a sentence; '' when there is nothing to say
	given INTEGER NOT NULL,
	ran INTEGER NOT NULL,
	judged INTEGER NOT NULL,
	unsupported INTEGER NOT NULL,
	vacuous INTEGER NOT NULL,
	unjudged INTEGER NOT NULL,
	PRIMARY KEY (campaign, model, backend)
) WITHOUT ROWID;
