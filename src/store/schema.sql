-- schema.sql - version 1 of the store's tables; docs/findings.md explains them.
--
-- A later version is a file schema-<n>.sql with the statements that lead there from the version before.  Files are run
-- in order, in one transaction with setting user_version; what has been released is never edited.

-- A long run of one method, which can be resumed.
CREATE TABLE campaigns (
	id INTEGER PRIMARY KEY AUTOINCREMENT,
	method TEXT NOT NULL,
	command TEXT NOT NULL,
	backends TEXT NOT NULL,
	seed INTEGER NOT NULL,    -- the bits of an unsigned number
	started REAL NOT NULL,    -- seconds since 1970
	seconds REAL NOT NULL,    -- spent so far, over all its runs
	cases INTEGER NOT NULL,
	done INTEGER NOT NULL,
	state BLOB                -- the method's own
);

-- Curves over a campaign's time: coverage, throughput, findings.
CREATE TABLE points (
	campaign INTEGER NOT NULL REFERENCES campaigns (id),
	curve TEXT NOT NULL,
	seconds REAL NOT NULL,
	value REAL                -- NULL: not a number
);
CREATE INDEX points_by_campaign ON points (campaign);

-- One row a finding.  Columns stand for the fields of struct finding in store.h.
CREATE TABLE findings (
	id INTEGER PRIMARY KEY AUTOINCREMENT, -- never used twice
	campaign INTEGER NOT NULL,            -- 0: none
	method TEXT NOT NULL,
	backend TEXT NOT NULL,
	library TEXT NOT NULL,
	version TEXT NOT NULL,
	verdict TEXT NOT NULL,
	gradient INTEGER NOT NULL,
	op TEXT NOT NULL,                     -- blamed; '' when not known, as all that follow
	node TEXT NOT NULL,
	parameter TEXT NOT NULL,
	noise_ratio REAL,                     -- Inf: no rounding explains it; NULL: not a number
	signature TEXT NOT NULL,
	detail TEXT NOT NULL,
	evidence TEXT NOT NULL,               -- JSON
	command TEXT NOT NULL,
	seed INTEGER NOT NULL,                -- the bits of an unsigned number
	nodes INTEGER NOT NULL,
	original_nodes INTEGER NOT NULL,
	since TEXT NOT NULL,
	until TEXT NOT NULL,
	time REAL NOT NULL,                   -- seconds since 1970
	cluster INTEGER NOT NULL              -- the id of its best example; 0: not clustered yet
);
CREATE INDEX findings_by_signature ON findings (signature);
CREATE INDEX findings_by_cluster ON findings (cluster);

-- Models and tensors, each content once: findings of one network share its bytes.
CREATE TABLE blobs (
	id INTEGER PRIMARY KEY,
	hash INTEGER NOT NULL,    -- FNV-1a of 64 bits, to find equal contents
	data BLOB NOT NULL
);
CREATE INDEX blobs_by_hash ON blobs (hash);

CREATE TABLE parts (
	finding INTEGER NOT NULL REFERENCES findings (id) ON DELETE CASCADE,
	role TEXT NOT NULL,       -- model, inputs, expected, reduced_model, reduced_inputs, reduced_expected
	blob INTEGER NOT NULL REFERENCES blobs (id),
	PRIMARY KEY (finding, role)
) WITHOUT ROWID;
CREATE INDEX parts_by_blob ON parts (blob);

-- Views and triggers are taken of a store only when they are these, to the letter: a change needs a schema of its own.

-- A blob goes with the last part that holds it.
CREATE TRIGGER parts_removed AFTER DELETE ON parts
WHEN NOT EXISTS (SELECT 1 FROM parts WHERE blob = old.blob)
BEGIN
	DELETE FROM blobs WHERE id = old.blob;
END;
CREATE TRIGGER parts_replaced AFTER UPDATE OF blob ON parts
WHEN NOT EXISTS (SELECT 1 FROM parts WHERE blob = old.blob)
BEGIN
	DELETE FROM blobs WHERE id = old.blob;
END;

-- For people with sqlite3: files of a finding, and one line a cluster.
CREATE VIEW files (finding, name, data) AS
	SELECT finding, role || CASE WHEN role LIKE '%model' THEN '.onnx' ELSE '.npz' END, data
	FROM parts JOIN blobs ON blobs.id = parts.blob;
CREATE VIEW clusters AS
	SELECT best.id AS cluster, count(*) AS findings, best.library, best.verdict, best.op, best.noise_ratio,
		best.nodes, best.signature
	FROM findings AS each JOIN findings AS best ON best.id = each.cluster
	GROUP BY best.id;
