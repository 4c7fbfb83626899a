/** Marks a file as ours (`PRAGMA application_id`): "roll" in ASCII. */
export const APPLICATION_ID = 0x726f6c6c;
/** Marks a file that becomes ours once a copy into it is complete: "rolc". Versions that do not know it refuse it too. */
export const UNFINISHED_ID = 0x726f6c63;

/**
 * The schema's history: the script at index n brings version n to n + 1. A script that was released is never
 * changed; a change of the schema is a new one at the end.
 *
 * Agents, beats and the JSON of the roll are text because they are read whole and written by the thousand: one text of
 * a beat is cheaper to bind than its thirteen columns, and fields that it does not have stay away. SQL still
 * reaches into them (`body ->> 'status'`). Times are milliseconds.
 *
 * The index of beats by agent is a table that is brought up to date with a flushed commit: kept at every commit it
 * would cost each beat a page of its own, since neighbouring beats are of different agents. `reached` says how
 * far it goes; the few beats after that are read one by one.
 *
 * `commits` has one row a commit, with the ids that it changed: a row for each id would cost a commit of 64 beats a tenth
 * more (ADR 16). Its `ids` says how many ids it and all earlier commits have changed: the oldest are forgotten by that.
 */
export const MIGRATIONS: readonly string[] = [
  `CREATE TABLE agents (
     id TEXT PRIMARY KEY NOT NULL,
     body TEXT NOT NULL
   );
   CREATE TABLE beats (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     agent TEXT NOT NULL,
     received_at INTEGER NOT NULL,
     body TEXT NOT NULL
   );
   CREATE TABLE beats_by_agent (
     agent TEXT NOT NULL,
     received_at INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (agent, received_at, seq)
   ) WITHOUT ROWID;
   CREATE TABLE roll (
     agent TEXT PRIMARY KEY NOT NULL,
     state TEXT NOT NULL,
     reason TEXT NOT NULL,
     why TEXT NOT NULL,
     at INTEGER NOT NULL,
     basis INTEGER NOT NULL,
     next INTEGER NOT NULL,
     since INTEGER NOT NULL,
     observations TEXT NOT NULL,
     last_beat TEXT,
     learnt TEXT
   );
   CREATE TABLE flips (
     seq INTEGER PRIMARY KEY,
     agent TEXT NOT NULL,
     at INTEGER NOT NULL,
     noticed_at INTEGER NOT NULL,
     from_state TEXT NOT NULL,
     to_state TEXT NOT NULL,
     reason TEXT NOT NULL,
     why TEXT NOT NULL
   );
   CREATE INDEX flips_by_agent ON flips (agent, at);
   CREATE TABLE cycles (
     agent TEXT NOT NULL,
     number INTEGER NOT NULL,
     began_at INTEGER NOT NULL,
     last_at INTEGER NOT NULL,
     last_action TEXT,
     ended_at INTEGER,
     outcome TEXT,
     incarnation TEXT,
     PRIMARY KEY (agent, number)
   ) WITHOUT ROWID;
   CREATE INDEX cycles_by_agent ON cycles (agent, began_at);
   CREATE TABLE blind (
     seq INTEGER PRIMARY KEY,
     from_at INTEGER NOT NULL,
     to_at INTEGER NOT NULL,
     cause TEXT NOT NULL
   );
   CREATE INDEX blind_by_time ON blind (from_at);
   CREATE TABLE mark (
     one INTEGER PRIMARY KEY CHECK (one = 1),
     at INTEGER NOT NULL,
     uptime REAL NOT NULL,
     boot_id TEXT NOT NULL
   );
   CREATE TRIGGER beats_forgotten AFTER DELETE ON beats BEGIN
     DELETE FROM beats_by_agent
       WHERE agent = old.agent AND received_at = old.received_at AND seq = old.seq;
   END;
   CREATE TABLE reached (
     what TEXT PRIMARY KEY NOT NULL,
     seq INTEGER NOT NULL
   ) WITHOUT ROWID;`,
  `CREATE TABLE kept (
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     at INTEGER NOT NULL,
     about TEXT NOT NULL,
     open INTEGER NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (kind, id)
   );
   CREATE INDEX kept_by_time ON kept (kind, at, id);
   CREATE INDEX kept_about ON kept (kind, about, at, id);
   CREATE INDEX kept_open ON kept (kind, at, id) WHERE open = 1;`,
  // Cycles whose end was never told stayed open for ever. The newest one and runs that pings tell of go on.
  `UPDATE cycles SET outcome = 'superseded', ended_at = last_at
     WHERE outcome IS NULL
       AND EXISTS (SELECT 1 FROM cycles AS newer WHERE newer.agent = cycles.agent
         AND (newer.began_at, newer.number) > (cycles.began_at, cycles.number))
       AND NOT EXISTS (SELECT 1 FROM kept WHERE kind = 'ping-run' AND open = 1
         AND id = cycles.agent || '/' || cycles.number);`,
  // The ids that one agent sends concern no other. The id comes first in the index: ids are sorted by time, so that new
  // beats share a page. SQLite cannot change a constraint, so the table is made anew; dropping it drops its trigger.
  `CREATE TABLE beats_by_key (
     seq INTEGER PRIMARY KEY,
     id TEXT NOT NULL,
     agent TEXT NOT NULL,
     received_at INTEGER NOT NULL,
     body TEXT NOT NULL,
     UNIQUE (id, agent)
   );
   INSERT INTO beats_by_key SELECT seq, id, agent, received_at, body FROM beats;
   DROP TABLE beats;
   ALTER TABLE beats_by_key RENAME TO beats;
   CREATE TRIGGER beats_forgotten AFTER DELETE ON beats BEGIN
     DELETE FROM beats_by_agent
       WHERE agent = old.agent AND received_at = old.received_at AND seq = old.seq;
   END;`,
  // Incidents, deliveries, recoveries, runs and issues move out of the table of everything into tables of their own, with a
  // column for each question. What stays there gets the name that it has in the code.
  `CREATE TABLE incidents (
     id TEXT PRIMARY KEY NOT NULL,
     subject TEXT NOT NULL,
     kind TEXT NOT NULL,
     opened_at INTEGER NOT NULL,
     resolved_at INTEGER,
     spoken_for_by TEXT,
     of_interest INTEGER NOT NULL,
     body TEXT NOT NULL
   );
   INSERT INTO incidents SELECT id, about, body ->> '$.kind', at, body ->> '$.resolved.at', body ->> '$.spokenForBy', open, body
     FROM kept WHERE kind = 'incident';
   CREATE INDEX incidents_by_time ON incidents (opened_at, id);
   CREATE INDEX incidents_by_kind ON incidents (kind, opened_at, id);
   CREATE INDEX incidents_by_subject ON incidents (subject, opened_at, id);
   CREATE INDEX incidents_open ON incidents (opened_at, id) WHERE resolved_at IS NULL;
   CREATE INDEX incidents_of_interest ON incidents (opened_at, id) WHERE of_interest = 1;
   CREATE TABLE deliveries (
     key TEXT PRIMARY KEY NOT NULL,
     channel TEXT NOT NULL,
     incident TEXT,
     created_at INTEGER NOT NULL,
     state TEXT NOT NULL,
     body TEXT NOT NULL
   );
   INSERT INTO deliveries SELECT id, about, body ->> '$.incident', at, body ->> '$.state', body
     FROM kept WHERE kind = 'delivery';
   CREATE INDEX deliveries_by_time ON deliveries (created_at, key);
   CREATE INDEX deliveries_by_channel ON deliveries (channel, created_at, key);
   CREATE INDEX deliveries_by_incident ON deliveries (incident, created_at, key) WHERE incident IS NOT NULL;
   CREATE INDEX deliveries_under_way ON deliveries (created_at, key) WHERE state IN ('pending', 'sending');
   CREATE TABLE recoveries (
     id TEXT PRIMARY KEY NOT NULL,
     agent TEXT NOT NULL,
     planned_at INTEGER NOT NULL,
     counts INTEGER NOT NULL,
     body TEXT NOT NULL
   );
   INSERT INTO recoveries SELECT id, about, at, open, body FROM kept WHERE kind = 'recovery';
   CREATE INDEX recoveries_by_agent ON recoveries (agent, planned_at, id);
   CREATE INDEX recoveries_that_count ON recoveries (planned_at, id) WHERE counts = 1;
   CREATE TABLE runs (
     action TEXT NOT NULL,
     id TEXT NOT NULL,
     due_at INTEGER NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (action, id)
   );
   INSERT INTO runs SELECT about, substr(id, length(about) + 2), at, body FROM kept WHERE kind = 'run';
   CREATE INDEX runs_by_action ON runs (action, due_at, id);
   CREATE TABLE issues (
     key TEXT PRIMARY KEY NOT NULL,
     agent TEXT NOT NULL,
     month TEXT,
     created_at INTEGER NOT NULL,
     closed INTEGER NOT NULL,
     body TEXT NOT NULL
   );
   INSERT INTO issues SELECT id, about, body ->> '$.month', at, NOT open, body FROM kept WHERE kind = 'issue';
   CREATE INDEX issues_by_state ON issues (closed, created_at, key);
   CREATE INDEX issues_by_month ON issues (month, created_at, key) WHERE month IS NOT NULL;
   CREATE INDEX issues_by_agent ON issues (agent, created_at);
   DELETE FROM kept WHERE kind IN ('incident', 'delivery', 'recovery', 'run', 'issue');
   DROP INDEX kept_by_time;
   DROP INDEX kept_about;
   DROP INDEX kept_open;
   ALTER TABLE kept RENAME TO records;
   ALTER TABLE records RENAME COLUMN open TO current;
   CREATE INDEX records_by_time ON records (kind, at, id);
   CREATE INDEX records_about ON records (kind, about, at, id);
   CREATE INDEX records_current ON records (kind, at, id) WHERE current = 1;
   CREATE TABLE commits (
     number INTEGER PRIMARY KEY,
     ids INTEGER NOT NULL,
     changed TEXT NOT NULL
   );`,
  // What the hub must be told, and since the numbers count within one spool, which one this is.
  `CREATE TABLE outgoing (
     seq INTEGER PRIMARY KEY AUTOINCREMENT,
     at INTEGER NOT NULL,
     kind TEXT NOT NULL,
     agent TEXT,
     body TEXT NOT NULL
   );
   CREATE INDEX outgoing_entries ON outgoing (agent) WHERE kind = 'entry';
   CREATE TABLE spool (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL, bytes INTEGER NOT NULL, acked INTEGER NOT NULL);
   INSERT INTO spool VALUES (1, '', 0, 0);
   CREATE TRIGGER outgoing_added AFTER INSERT ON outgoing BEGIN
     UPDATE spool SET bytes = bytes + length(new.body);
   END;
   CREATE TRIGGER outgoing_gone AFTER DELETE ON outgoing BEGIN
     UPDATE spool SET bytes = bytes - length(old.body);
   END;`,
  // Which host an incident is about, as `hostOf` says it.
  `ALTER TABLE incidents ADD COLUMN host TEXT;
   UPDATE incidents SET host = iif(body ->> '$.reason' = 'host-out-of-contact', substr(subject, 10), body ->> '$.host');
   CREATE INDEX incidents_by_host ON incidents (host, opened_at, id) WHERE host IS NOT NULL;`,
];
