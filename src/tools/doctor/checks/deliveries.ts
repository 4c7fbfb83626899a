import { type Delivery, isUnderWay } from "../../../core/delivery/delivery.ts";
import { failingOf } from "../../../core/delivery/told.ts";
import { DAY, HOUR, type Instant, sayAgo, sayDuration } from "../../../core/duration.ts";
import { grouped } from "../../../core/grouped.ts";
import { withStore } from "../../../home/store.ts";
import type { Store } from "../../../ports/store.ts";
import { type Check, type CheckContext, type CheckFinding, ok, warn } from "../check.ts";

/** A message that has waited for longer than this needs a look. */
const LONG = HOUR;
/** A message that was given up within the last day can be up to three days older. */
const LOOKED_BACK = 4 * DAY;

export const deliveriesCheck: Check = {
  name: "deliveries",
  looksAt:
    "failing channels, and messages that were refused or given up within the last day or have waited for over an hour",
  worst: "warning",
  async run(context) {
    const { home, now } = context;
    // A store that cannot be read is told by the check of the database.
    const rows =
      (await withStore(home, (store) => messages(store, now() - LOOKED_BACK)).catch(() => undefined)) ?? [];
    const failing = failingPlaces(rows.filter(isUnderWay), context);
    const lost = rows.filter(({ state, endedAt = 0 }) => {
      return (state === "refused" || state === "expired") && now() - endedAt < DAY;
    });
    const late = rows.filter(({ to, state, createdAt }) => {
      return state === "pending" && now() - createdAt > LONG && !failing.has(to);
    });
    const found = [
      ...failing.values(),
      ...byPlace(lost, "not delivered", context),
      ...byPlace(late, "not delivered yet", context),
    ];
    return found.length > 0 ? found : [ok(sayWell(rows.filter(isUnderWay).length))];
  },
};

function sayWell(waiting: number): string {
  if (waiting === 0) return "every message of the last day was delivered";
  return waiting === 1
    ? "no channel fails; 1 message is waiting"
    : `no channel fails; ${waiting} messages are waiting`;
}

/** Everything that waits, and what was made since then and has ended, newest first. */
async function messages(store: Store, since: Instant): Promise<readonly Delivery[]> {
  const limit = Number.MAX_SAFE_INTEGER;
  const waiting = await store.deliveries.page({ limit, state: "under-way" });
  const ended = await store.deliveries.page({ limit, state: "ended", since });
  return [...waiting, ...ended].sort((a, b) => b.createdAt - a.createdAt);
}

function failingPlaces(
  waiting: readonly Delivery[],
  { now, command }: CheckContext,
): ReadonlyMap<string, CheckFinding> {
  const found = new Map<string, CheckFinding>();
  for (const [place, its] of grouped(waiting, ({ to }) => to)) {
    const failing = failingOf(place, its);
    if (failing === undefined) continue;
    const { undelivered, since, attempts, problem } = failing;
    const count = undelivered === 1 ? "1 message" : `${undelivered} messages`;
    const says = `channel ${place} fails: ${count} not delivered, the oldest for ${sayDuration(now() - since)}; ${attempts} attempts failed, the last one: ${problem}`;
    const todo = `Repair the channel; Rollcall then sends the messages by itself. Test it: ${command(`channels test ${place}`)}`;
    found.set(place, warn(says, todo));
  }
  return found;
}

function byPlace(
  rows: readonly Delivery[],
  what: string,
  { now, command }: CheckContext,
): readonly CheckFinding[] {
  return [...grouped(rows, ({ to }) => to)].map(([place, [newest, ...more]]) => {
    const count = more.length === 0 ? "1 message" : `${more.length + 1} messages`;
    const last =
      newest === undefined
        ? ""
        : ` (the newest ${sayAgo(now() - newest.createdAt)}: ${newest.problem ?? "?"})`;
    const todo = `Repair the channel, then send them again: ${command("deliveries list")}`;
    return warn(`${count} to ${place} ${what}${last}`, todo);
  });
}
