import { SECOND, sayDuration } from "../../../core/duration.ts";
import { examinePostgres, type PostgresHealth } from "../../../store/postgres/examine.ts";
import { addressOf } from "../../../store/registry.ts";
import { type Check, type CheckFinding, fail, note, ok, sayError, warn } from "../check.ts";

const FAR_AHEAD = 5 * SECOND;

export const postgresCheck: Check = {
  name: "postgresql",
  looksAt:
    "if the store is on PostgreSQL: the server writes to disk and waits for its standbys before it answers, no transaction pooler is in between, its clock agrees with this machine's, and its tables are not full of dead rows",
  worst: "error",
  async run({ home }) {
    if (home.store === undefined) return [ok("the store is the file in the home")];
    try {
      const health = await examinePostgres(addressOf(home.store));
      const found = postgresFindings(health);
      return found.length > 0 ? found : [ok(`PostgreSQL ${health.version} is set up well`)];
    } catch (error) {
      return [note(`the server cannot be examined: ${sayError(error)}`)];
    }
  },
};

const set = (setting: string) =>
  `On the server, as its administrator: psql -c "ALTER SYSTEM SET ${setting}" -c "SELECT pg_reload_conf()"`;

/** What is not as a store needs it. */
export function postgresFindings(health: PostgresHealth): readonly CheckFinding[] {
  const { isStandby, fsync, synchronousCommit, autovacuum, standbys, waitsFor, clockAhead } = health;
  const found: CheckFinding[] = [];
  if (isStandby)
    found.push(
      fail("the address is that of a standby, which cannot be written", "Name the primary in store.url."),
    );
  if (!fsync)
    found.push(
      fail(
        "fsync is off: if the server's machine crashes, the whole database may be damaged",
        set("fsync = on"),
      ),
    );
  if (synchronousCommit === "off")
    found.push(
      fail(
        "synchronous_commit is off: a crash of the server loses beats that were acknowledged",
        set("synchronous_commit = on"),
      ),
    );
  if (standbys > 0 && (waitsFor === "" || synchronousCommit === "local"))
    found.push(
      warn(
        `${standbys} standby${standbys === 1 ? "" : "s"}, and commits do not wait for any: if one is promoted, the last acknowledged commits are lost`,
        set("synchronous_standby_names = '*'"),
      ),
    );
  if (health.isPooled)
    found.push(
      fail(
        "a pooler hands out the server's sessions by transaction: prepared statements fail behind it",
        "Name the server itself in store.url, or a pool in session mode.",
      ),
    );
  if (Math.abs(clockAhead) > FAR_AHEAD)
    found.push(
      warn(
        `the server's clock is ${sayDuration(Math.abs(clockAhead))} ${clockAhead > 0 ? "ahead of" : "behind"} ours`,
        "Set both clocks by NTP: timedatectl set-ntp true",
      ),
    );
  if (!autovacuum) found.push(warn("autovacuum is off: tables grow without limit", set("autovacuum = on")));
  for (const { table, dead, live } of health.bloated)
    found.push(
      warn(
        `the table ${table} holds ${dead} dead rows and ${live} live ones`,
        `Clean it: psql -c "VACUUM ${table}"`,
      ),
    );
  return found;
}
