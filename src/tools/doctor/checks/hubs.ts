import { type Millis, SECOND, sayDuration } from "../../../core/duration.ts";
import { examineHubs } from "../../../store/postgres/examine-hubs.ts";
import { addressOf } from "../../../store/registry.ts";
import { type HubsView, hubsView } from "../../hubs.ts";
import { type Check, type CheckFinding, fail, note, ok, sayError, warn } from "../check.ts";

/** A take-over by a clock that is wrong by more than this delays or hurries verdicts by as much. */
const WRONG_CLOCK: Millis = 5 * SECOND;
/** An owner hears within a second what the others took. */
const UNHEARD: Millis = 15 * SECOND;

export const hubsCheck: Check = {
  name: "hubs",
  looksAt:
    "if several hubs share the store: one of them owns it and keeps up, each hub reported lately, their clocks agree with the database's, and they run the same version",
  worst: "error",
  async run({ home, command }) {
    if (home.store === undefined) return [ok("no other hub shares the store")];
    try {
      const found = await examineHubs(addressOf(home.store));
      if (found === undefined || found.hubs.length === 0) return [ok("no other hub shares the store")];
      const findings = hubsFindings(hubsView(found), command);
      return findings.length > 0 ? findings : [ok(`${found.hubs.length} hubs share the store`)];
    } catch (error) {
      return [note(`the hubs cannot be listed: ${sayError(error)}`)];
    }
  },
};

export function hubsFindings(
  { lease, inbox, hubs }: HubsView,
  command: (words: string) => string,
): readonly CheckFinding[] {
  const list = `Show the hubs: ${command("hubs list")}`;
  const found: CheckFinding[] = [];
  if (lease.expiresIn <= 0)
    found.push(
      fail(
        `no hub owns the store, and no agent is watched; "${lease.owner}" was last heard of ${sayDuration(lease.seen)} ago`,
        `Start a hub: ${command("up --hub")}`,
      ),
    );
  else if (inbox.waiting > 0 && inbox.oldest > UNHEARD)
    found.push(
      warn(
        `the owner has not processed what other hubs received ${sayDuration(inbox.oldest)} ago; until it has, no agent is called dead`,
        `Give the owner's machine and the database more processor time. ${list}`,
      ),
    );
  for (const { id, role, seen, clockAhead } of hubs) {
    if (role === "gone")
      found.push(
        warn(
          `hub ${id} was last heard of ${sayDuration(seen)} ago; it cannot take over`,
          `Start it again on its machine (rollcall up --hub), or wait a day until it is forgotten. ${list}`,
        ),
      );
    else if (Math.abs(clockAhead) > WRONG_CLOCK)
      found.push(
        warn(
          `the clock of hub ${id} is ${sayDuration(Math.abs(clockAhead))} ${clockAhead > 0 ? "ahead of" : "behind"} the database's`,
          "Set both clocks by NTP: timedatectl set-ntp true",
        ),
      );
  }
  const versions = [...new Set(hubs.filter(({ role }) => role !== "gone").map(({ version }) => version))];
  if (versions.length > 1)
    found.push(note(`the hubs run different versions: ${versions.sort().join(", ")}`, list));
  return found;
}
