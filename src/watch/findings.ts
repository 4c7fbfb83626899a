import { statfsSync } from "node:fs";
import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import { DAY, sayInstant } from "../core/duration.ts";
import type { Findings, Incident } from "../core/incident/incident.ts";
import { visible } from "../core/rca/harmless.ts";
import { redact } from "../core/redact.ts";
import type { Store } from "../ports/store.ts";
import type { Watcher } from "./watcher.ts";

const LINES = 50;
const LONGEST_LINE = 500;

export interface FindingsOptions {
  readonly watcher: Watcher;
  readonly store: Store;
  readonly home: string;
  readonly peek: (agent: string, how: "screen" | "raw") => Promise<string | undefined>;
}

/**
 * Collects what can be found of an agent when its incident opens, before any restart destroys it: the screen and the last
 * lines of its log, its last cycle, how it ended, its flips of the last day, and how the host is. Secrets are taken out.
 * What cannot be found is left out.
 */
export async function findingsOf(incident: Incident, options: FindingsOptions): Promise<Findings> {
  const at = Date.now();
  const parts = await Promise.all([
    part("verdict", () => verdict(incident, options)),
    part(SCREEN, () => options.peek(incident.subject, "screen")),
    part(LOG, () => options.peek(incident.subject, "raw")),
    part("last cycle", () => lastCycle(incident, options)),
    part("flips of the last day", () => flips(incident, options, at)),
    part("host", async () => host(options.home)),
  ]);
  const items = parts.flatMap((found) => (found === undefined ? [] : [found]));
  const shown = linesOf(items.find(({ title }) => title === SCREEN));
  // The log of a pane often is what its screen shows.
  const isShown = (item: Item) => item.title === LOG && linesOf(item).every((line) => shown.includes(line));
  return { at, items: items.filter((item) => !isShown(item)) };
}

const SCREEN = "screen";
const LOG = `last ${LINES} lines of the log`;
type Item = Findings["items"][number];

function linesOf(item: Item | undefined): readonly string[] {
  return (item?.text ?? "").split("\n").flatMap((line) => line.trim() || []);
}

async function part(
  title: string,
  find: () => Promise<string | undefined>,
): Promise<{ title: string; text: string } | undefined> {
  const found = await find().catch(() => undefined);
  if (found === undefined || found.trim() === "") return undefined;
  // Before anything is cut off: the rest of a secret that was cut looks like no secret.
  const lines = redact(visible(found)).trimEnd().split("\n").slice(-LINES);
  return { title, text: lines.map((line) => line.slice(0, LONGEST_LINE)).join("\n") };
}

async function verdict(
  { subject, state, reason, why }: Incident,
  { watcher }: FindingsOptions,
): Promise<string | undefined> {
  const place = watcher.reader.place(subject);
  if (place === undefined) return undefined;
  const { evidence = [] } = watcher.reader.view(place, true);
  const known = evidence.map(({ signal, at, says }) => `${sayInstant(Date.parse(at))} ${signal}: ${says}`);
  return [`${state} (${reason}): ${why}`, ...known].join("\n");
}

async function lastCycle({ subject }: Incident, { store }: FindingsOptions): Promise<string | undefined> {
  const [cycle] = await store.cycles(subject, { limit: 1 });
  if (cycle === undefined) return undefined;
  const ended =
    cycle.endedAt === undefined
      ? "did not end"
      : `ended ${sayInstant(cycle.endedAt)}: ${cycle.outcome ?? ""}`;
  return `cycle ${cycle.number} began ${sayInstant(cycle.beganAt)}, last action "${cycle.lastAction ?? ""}", ${ended}`;
}

async function flips({ subject }: Incident, { store }: FindingsOptions, now: number): Promise<string> {
  const found = await store.flips(subject, { limit: 100 });
  return found
    .filter(({ at }) => now - at < DAY)
    .map(({ at, from, to, why }) => `${sayInstant(at)} ${from} → ${to}: ${why}`)
    .join("\n");
}

function host(home: string): string {
  const disk = statfsSync(home);
  const gib = (bytes: number) => `${(bytes / 2 ** 30).toFixed(1)} GiB`;
  return [
    `load ${loadavg()
      .map((load) => load.toFixed(2))
      .join(" ")} on ${availableParallelism()} cores`,
    `memory ${gib(freemem())} free of ${gib(totalmem())}`,
    `disk ${gib(disk.bavail * disk.bsize)} free of ${gib(disk.blocks * disk.bsize)}`,
  ].join("\n");
}
