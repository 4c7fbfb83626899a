import { SECOND } from "../../core/duration.ts";

/** Says after a second what is waited for, on stderr. */
export async function whileWaiting<T>(what: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => process.stderr.write(`rollcall: ${what} …\n`), SECOND);
  return work.finally(() => clearTimeout(timer));
}
