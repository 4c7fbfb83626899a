import { existsSync } from "node:fs";
import type { Check } from "../check.ts";
import { unitsHere } from "../wakes/units-here.ts";

/** logind notes who lingers by a file of that name. */
const LINGER = "/var/lib/systemd/linger";

export const lingerCheck: Check = {
  name: "linger",
  looksAt: "the user's own units keep running after logout",
  worst: "warning",
  async run({ host }) {
    // Units in the system's folders belong to every user; who wants to linger for them is for each to say.
    const own = unitsHere(host).filter(({ file }) =>
      host.userUnitFolders.some((folder) => file.startsWith(folder)),
    );
    if (own.length === 0) return [{ level: "ok", says: "no unit of this user has to do with Rollcall" }];
    if (existsSync(host.system(`${LINGER}/${host.user}`)))
      return [{ level: "ok", says: `the units of ${host.user} keep running after logout` }];
    const says = `${own.map(({ name }) => name).join(", ")} stops when ${host.user} logs out, and does not start at boot`;
    return [{ level: "warning", says, todo: `Keep it running: sudo loginctl enable-linger ${host.user}` }];
  },
};
