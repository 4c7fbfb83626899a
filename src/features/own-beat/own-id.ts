import { hostName } from "../../home/home.ts";

/** The watcher's own agent. */
export function ownId(): string {
  return `rollcall@${hostName()}`;
}
