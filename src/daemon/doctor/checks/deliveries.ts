import { DAY, HOUR, sayAgo } from "../../../core/duration.ts";
import { withStoreIfThere } from "../../offline.ts";
import type { Check, CheckContext, Finding } from "../check.ts";

/** Longer than any far side is asked to be patient with: then somebody should look. */
const LONG = HOUR;
const LOOKED_AT = 1000;

export const deliveriesCheck: Check = {
  name: "deliveries",
  looksAt: "messages that were refused or given up within the last day, or wait for over an hour",
  worst: "warning",
  async run(context) {
    const { home, now } = context;
    // A store that cannot be read is told by the check of the database.
    const kept = await withStoreIfThere(home, (store) => store.kept("delivery", { limit: LOOKED_AT })).catch(
      () => undefined,
    );
    const rows = (kept ?? []).map(({ body }) => body);
    const lost = rows.filter(({ state, endedAt = 0 }) => {
      return (state === "refused" || state === "expired") && now() - endedAt < DAY;
    });
    const late = rows.filter(({ state, createdAt }) => state === "pending" && now() - createdAt > LONG);
    const found = [
      ...byPlace(lost, "not delivered", context),
      ...byPlace(late, "not delivered yet", context),
    ];
    return found.length > 0 ? found : [{ level: "ok", says: "every message of the last day went out" }];
  },
};

type Row = { readonly to: string; readonly createdAt: number; readonly problem?: string };

function byPlace(rows: readonly Row[], what: string, { now, command }: CheckContext): readonly Finding[] {
  const places = new Map<string, Row[]>();
  for (const row of rows) places.set(row.to, [...(places.get(row.to) ?? []), row]);
  return [...places].map(([place, [newest, ...more]]) => {
    const count = more.length === 0 ? "1 message" : `${more.length + 1} messages`;
    const last =
      newest === undefined
        ? ""
        : ` (the newest ${sayAgo(now() - newest.createdAt)}: ${newest.problem ?? "?"})`;
    const todo = `Mend the channel, then send them again: ${command("deliveries list")}`;
    return { level: "warning", says: `${count} to ${place} ${what}${last}`, todo };
  });
}
