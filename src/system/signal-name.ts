import { constants } from "node:os";

/** `SIGKILL` for 9; a number that has no name stays as it is. */
export function signalName(number: number | string): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === Number(number));
  return found?.[0] ?? String(number);
}
