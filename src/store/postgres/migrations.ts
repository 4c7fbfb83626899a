export interface PostgresMigration {
  readonly sql: string;
  /**
   * The oldest schema version whose programs still work after this script. A script that only adds leaves it out, so that
   * processes of two versions run side by side. What nobody reads any more is removed by a later script, which names it.
   */
  readonly oldest?: number;
}

/**
 * The schema's history: the script at index n brings version n to n + 1. A script that was released is never changed.
 *
 * Times are milliseconds in float8, which holds all that JavaScript has, infinity too. Text that is compared has the
 * collation "C", so that every store sorts alike. JSON is text: `jsonb` refuses NUL.
 *
 * `partitions` has one row for each part of the fleet: its owner, how often it changed hands (`epoch`), and the number of
 * its last commit. Every commit writes this row, which is what keeps a second owner out (ADR 18). Its owner was last heard
 * of at `seen`, and left its mark at `marked`, both by the database's clock. While `locked` is the epoch, the owner's
 * session holds an advisory lock, and whoever finds that free knows that the session has ended (ADR 19).
 *
 * `hubs` has the processes that share the database, `shared` what they must all know. `inbox` has what hubs took that do not
 * own the store, numbered by `inbox_head`, and `intake` how far the facts of their hosts go (ADR 20).
 *
 * `beats_by_agent` finds the beats of an agent. It is brought up to date after the commits (`beat-index.ts`): kept by each
 * commit, it would cost a commit of beats a quarter of its time. `beats_indexed` says how far it goes; the few beats after
 * that are read one by one.
 *
 * Beats and flips are in tables by day and by week (`days.ts`), which are dropped as a whole. Until then `beats_from` and
 * `flips_from` hide what is too old. The table for day 0 takes what has no date of its own; its rows are deleted.
 */
export const MIGRATIONS: readonly PostgresMigration[] = [
  {
    sql: `CREATE TABLE partitions (
     id int2 PRIMARY KEY,
     owner text NOT NULL DEFAULT '',
     session text NOT NULL DEFAULT '',
     epoch int8 NOT NULL DEFAULT 0,
     no int8 NOT NULL DEFAULT 0,
     ids int8 NOT NULL DEFAULT 0,
     flushed int8 NOT NULL DEFAULT 0,
     expires timestamptz NOT NULL DEFAULT '-infinity',
     mark_at float8,
     mark_uptime float8,
     mark_boot text,
     beats_from float8 NOT NULL DEFAULT '-infinity',
     flips_from float8 NOT NULL DEFAULT '-infinity',
     spool text NOT NULL DEFAULT '',
     spool_last int8 NOT NULL DEFAULT 0,
     spool_acked int8 NOT NULL DEFAULT 0
   ) WITH (fillfactor = 50);
   INSERT INTO partitions (id) VALUES (0);
   CREATE TABLE commits (
     part int2 NOT NULL,
     no int8 NOT NULL,
     ids int8 NOT NULL,
     changed text NOT NULL,
     PRIMARY KEY (part, no)
   );
   CREATE TABLE agents (
     part int2 NOT NULL,
     id text COLLATE "C" PRIMARY KEY,
     body text NOT NULL
   );
   CREATE TABLE roll (
     part int2 NOT NULL,
     agent text COLLATE "C" PRIMARY KEY,
     state text NOT NULL,
     reason text NOT NULL,
     why text NOT NULL,
     at float8 NOT NULL,
     basis float8 NOT NULL,
     next float8 NOT NULL,
     since float8 NOT NULL,
     observations text NOT NULL,
     last_beat text,
     learnt text
   ) WITH (fillfactor = 70);
   CREATE TABLE beats (
     part int2 NOT NULL,
     no int8 NOT NULL,
     ord int4 NOT NULL,
     day int4 NOT NULL,
     id text COLLATE "C" NOT NULL,
     agent text COLLATE "C" NOT NULL,
     received_at float8 NOT NULL,
     body text NOT NULL,
     UNIQUE (id, agent, day)
   ) PARTITION BY LIST (day);
   CREATE INDEX beats_by_agent ON beats (agent, received_at, no, ord);
   CREATE INDEX beats_by_time ON beats USING brin (received_at, no) WITH (pages_per_range = 16, autosummarize = on);
   CREATE TABLE beats_other PARTITION OF beats FOR VALUES IN (0);
   CREATE TABLE flips (
     part int2 NOT NULL,
     no int8 NOT NULL,
     ord int4 NOT NULL,
     day int4 NOT NULL,
     agent text COLLATE "C" NOT NULL,
     at float8 NOT NULL,
     noticed_at float8 NOT NULL,
     from_state text NOT NULL,
     to_state text NOT NULL,
     reason text NOT NULL,
     why text NOT NULL
   ) PARTITION BY LIST (day);
   CREATE INDEX flips_by_agent ON flips (agent, at, no, ord);
   CREATE INDEX flips_by_time ON flips USING brin (at) WITH (pages_per_range = 16, autosummarize = on);
   CREATE TABLE flips_other PARTITION OF flips FOR VALUES IN (0);
   CREATE TABLE cycles (
     part int2 NOT NULL,
     agent text COLLATE "C" NOT NULL,
     number float8 NOT NULL,
     began_at float8 NOT NULL,
     last_at float8 NOT NULL,
     last_action text,
     ended_at float8,
     outcome text,
     incarnation text,
     PRIMARY KEY (agent, number)
   ) WITH (fillfactor = 80);
   CREATE INDEX cycles_by_agent ON cycles (agent, began_at, number);
   CREATE TABLE blind (
     part int2 NOT NULL,
     no int8 NOT NULL,
     ord int4 NOT NULL,
     from_at float8 NOT NULL,
     to_at float8 NOT NULL,
     cause text NOT NULL
   );
   CREATE INDEX blind_by_time ON blind (part, from_at, no, ord);
   CREATE TABLE incidents (
     part int2 NOT NULL,
     id text COLLATE "C" PRIMARY KEY,
     subject text COLLATE "C" NOT NULL,
     kind text NOT NULL,
     opened_at float8 NOT NULL,
     resolved_at float8,
     spoken_for_by text,
     of_interest int2 NOT NULL,
     body text NOT NULL,
     host text COLLATE "C"
   ) WITH (fillfactor = 80);
   CREATE INDEX incidents_by_time ON incidents (opened_at, id);
   CREATE INDEX incidents_by_kind ON incidents (kind, opened_at, id);
   CREATE INDEX incidents_by_subject ON incidents (subject, opened_at, id);
   CREATE INDEX incidents_by_host ON incidents (host, opened_at, id) WHERE host IS NOT NULL;
   CREATE INDEX incidents_open ON incidents (opened_at, id) WHERE resolved_at IS NULL;
   CREATE INDEX incidents_of_interest ON incidents (opened_at, id) WHERE of_interest = 1;
   CREATE TABLE deliveries (
     part int2 NOT NULL,
     key text COLLATE "C" PRIMARY KEY,
     channel text COLLATE "C" NOT NULL,
     incident text COLLATE "C",
     created_at float8 NOT NULL,
     state text NOT NULL,
     body text NOT NULL
   ) WITH (fillfactor = 80);
   CREATE INDEX deliveries_by_time ON deliveries (created_at, key);
   CREATE INDEX deliveries_by_channel ON deliveries (channel, created_at, key);
   CREATE INDEX deliveries_by_incident ON deliveries (incident, created_at, key) WHERE incident IS NOT NULL;
   CREATE INDEX deliveries_under_way ON deliveries (created_at, key) WHERE state IN ('pending', 'sending');
   CREATE TABLE recoveries (
     part int2 NOT NULL,
     id text COLLATE "C" PRIMARY KEY,
     agent text COLLATE "C" NOT NULL,
     planned_at float8 NOT NULL,
     counts int2 NOT NULL,
     body text NOT NULL
   ) WITH (fillfactor = 80);
   CREATE INDEX recoveries_by_agent ON recoveries (agent, planned_at, id);
   CREATE INDEX recoveries_that_count ON recoveries (planned_at, id) WHERE counts = 1;
   CREATE TABLE runs (
     part int2 NOT NULL,
     action text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     due_at float8 NOT NULL,
     body text NOT NULL,
     PRIMARY KEY (action, id)
   );
   CREATE INDEX runs_by_action ON runs (action, due_at, id);
   CREATE TABLE issues (
     part int2 NOT NULL,
     key text COLLATE "C" PRIMARY KEY,
     agent text COLLATE "C" NOT NULL,
     month text,
     created_at float8 NOT NULL,
     closed int2 NOT NULL,
     body text NOT NULL
   );
   CREATE INDEX issues_by_state ON issues (closed, created_at, key);
   CREATE INDEX issues_by_month ON issues (month, created_at, key) WHERE month IS NOT NULL;
   CREATE TABLE records (
     part int2 NOT NULL,
     kind text COLLATE "C" NOT NULL,
     id text COLLATE "C" NOT NULL,
     at float8 NOT NULL,
     about text COLLATE "C" NOT NULL,
     current int2 NOT NULL,
     body text NOT NULL,
     PRIMARY KEY (kind, id)
   ) WITH (fillfactor = 80);
   CREATE INDEX records_by_time ON records (kind, at, id);
   CREATE INDEX records_about ON records (kind, about, at, id);
   CREATE INDEX records_current ON records (kind, at, id) WHERE current = 1;
   CREATE TABLE outgoing (
     part int2 NOT NULL,
     seq int8 NOT NULL,
     at float8 NOT NULL,
     kind text NOT NULL,
     agent text COLLATE "C",
     size int4 NOT NULL,
     body text NOT NULL,
     PRIMARY KEY (part, seq)
   );
   CREATE INDEX outgoing_entries ON outgoing (part, agent) WHERE kind = 'entry';`,
  },
  {
    sql: `ALTER TABLE partitions
     ADD COLUMN locked int8 NOT NULL DEFAULT 0,
     ADD COLUMN seen timestamptz NOT NULL DEFAULT '-infinity',
     ADD COLUMN marked timestamptz NOT NULL DEFAULT '-infinity',
     ADD COLUMN mark_owner text NOT NULL DEFAULT '';
   CREATE TABLE hubs (
     id text COLLATE "C" PRIMARY KEY,
     url text NOT NULL,
     address text NOT NULL,
     certificate text,
     key text NOT NULL,
     version text NOT NULL,
     clock float8 NOT NULL,
     started timestamptz NOT NULL,
     seen timestamptz NOT NULL
   );
   CREATE TABLE shared (
     name text COLLATE "C" PRIMARY KEY,
     value text NOT NULL
   );`,
  },
  {
    sql: `CREATE TABLE inbox_head (
     id text NOT NULL DEFAULT gen_random_uuid(),
     no int8 NOT NULL DEFAULT 0,
     access int8 NOT NULL DEFAULT 0
   ) WITH (fillfactor = 50);
   INSERT INTO inbox_head DEFAULT VALUES;
   CREATE TABLE inbox (
     no int8 PRIMARY KEY,
     at timestamptz NOT NULL,
     body text NOT NULL,
     batches text NOT NULL
   );
   CREATE TABLE intake (
     host text COLLATE "C" PRIMARY KEY,
     spool text NOT NULL,
     acked int8 NOT NULL
   ) WITH (fillfactor = 70);`,
  },
  {
    // Another hub may go on committing meanwhile, so the old index, whose end locks the beats, goes last.
    sql: `CREATE TABLE beats_by_agent_of (
     part int2 NOT NULL,
     agent text COLLATE "C" NOT NULL,
     received_at float8 NOT NULL,
     no int8 NOT NULL,
     ord int4 NOT NULL,
     day int4 NOT NULL,
     id text COLLATE "C" NOT NULL
   ) PARTITION BY LIST (day);
   CREATE TABLE beats_by_agent_other PARTITION OF beats_by_agent_of FOR VALUES IN (0);
   DO $$ DECLARE found int4; BEGIN
     FOR found IN SELECT DISTINCT day FROM beats WHERE day <> 0 LOOP
       EXECUTE format('CREATE TABLE beats_by_agent_%s PARTITION OF beats_by_agent_of FOR VALUES IN (%s)',
         to_char(date '1970-01-01' + found, 'YYYY_MM_DD'), found);
     END LOOP;
   END $$;
   CREATE TABLE beats_indexed (
     part int2 PRIMARY KEY,
     no int8 NOT NULL
   );
   INSERT INTO beats_indexed SELECT id, no FROM partitions;
   INSERT INTO beats_by_agent_of SELECT part, agent, received_at, no, ord, day, id FROM beats
     WHERE no <= (SELECT i.no FROM beats_indexed i WHERE i.part = beats.part) ORDER BY agent, received_at;
   CREATE INDEX ON beats_by_agent_of (agent, received_at, no, ord);
   DROP INDEX beats_by_agent;
   ALTER TABLE beats_by_agent_of RENAME TO beats_by_agent;`,
  },
  {
    // A row of the inbox lives for a second: to pack it costs more than it saves.
    sql: "ALTER TABLE inbox SET (toast_tuple_target = 8160);",
  },
];
