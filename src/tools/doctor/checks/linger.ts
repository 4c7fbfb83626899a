import { existsSync } from "node:fs";
import type { Check } from "../check.ts";
import { unitsHere } from "../wakes/units-here.ts";

/** logind notes who lingers by a file of that name. */
const LINGER = "/var/lib/systemd/linger";

export const lingerCheck: Check = {
  name: "linger",
  looksAt: "the user's own units go on running after logging out",
  worst: "warning",
  async run({ host }) {
    // Units in the system's folders belong to every user; who wants to linger for them is for each to say.
    const own = unitsHere(host).filter(({ file }) =>
      host.userUnitFolders.some((folder) => file.startsWith(folder)),
    );
    if (own.length === 0) return [{ level: "ok", says: "no unit of this user concerns Rollcall" }];
    if (existsSync(host.system(`${LINGER}/${host.user}`)))
      return [{ level: "ok", says: `the units of ${host.user} go on running after logging out` }];
    const says = `${own.map(({ name }) => name).join(", ")} ends when ${host.user} logs out, and does not start at boot`;
    return [{ level: "warning", says, todo: `Let it linger: sudo loginctl enable-linger ${host.user}` }];
  },
};
