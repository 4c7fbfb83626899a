import { bullet, call, remembering, unboxed } from "./normalise.ts";
import type { ScreenContext } from "./reading.ts";
import type { Regions } from "./regions.ts";
import type { Pack, Packs, Region, Says, ScreenRule } from "./rule.ts";
import type { Screen } from "./screen.ts";

/** A rule that matched, as plain data. */
export type Hit = {
  rule: string;
  says: Says;
  /** The text that matched, to the end of its region: where a reset time may stand. */
  text: string;
  /** The row that matched. */
  row: string;
  /** Where it matched. */
  in: Region;
  notice: boolean;
  lively: number;
  quiet: number;
  kind?: string;
  context?: ScreenContext;
  /** It stands in what was said last. */
  isLast?: true;
  /** A busy sign below the input box. */
  isBelow?: true;
};

export type MatchedFacts = {
  hits: readonly Hit[];
  client?: string;
};

const maxText = 240;
const maxRow = 120;

type Place = { row: string; text: string };

/** Somebody speaks: what stood above it is no longer the last word. */
const utterance = /^[>❯›●✦⏺•]\s+\S/u;

/** What the rules find on a screen. The recognised client's rules come first, so that the first hit counts. */
export function factsOf(regions: Regions, packs: Packs, client: string | undefined): MatchedFacts {
  const own = packs.clients.filter((pack) => pack.name === client);
  const hits: Hit[] = [];
  for (const pack of [...own, ...packs.generic]) {
    for (const rule of pack.rules) {
      const place = rule.says === "ignore" ? undefined : found(rule, regions);
      if (place === undefined || isAnswered(rule, place, regions)) continue;
      const isBelow = rule.says === "busy" && regions.footer.some((row) => row.includes(place.row));
      hits.push({ ...hitOf(rule, place, isLast(rule, place, regions)), ...(isBelow && { isBelow }) });
    }
  }
  return { hits, ...(client !== undefined && { client }) };
}

/** A dialog takes the place of the input box: what asks above an empty one is what somebody wrote, or was answered. */
function isAnswered({ says, notice, in: region }: ScreenRule, { row }: Place, regions: Regions): boolean {
  if (!regions.isEmpty || notice || ownWords.includes(region)) return false;
  return (says === "waiting" || says === "login") && !regions.footer.some((one) => one.includes(row));
}

/** The rows that a client's chrome rewrites by itself: its busy line, its tips; or its tips alone. */
export function restless(
  client: string | undefined,
  packs: Packs,
  isTipsOnly = false,
): (row: string) => boolean {
  const asked = [...packs.clients.filter((pack) => pack.name === client), ...packs.generic];
  const isOne = (rule: ScreenRule) => (isTipsOnly ? rule.says === "ignore" : isRowRule(rule));
  const rules = asked.flatMap((pack) => pack.rules).filter(isOne);
  return (row) => {
    const text = unboxed(row);
    return rules.some((rule) => placeOf(rule, text) >= 0);
  };
}

function isRowRule(rule: ScreenRule): boolean {
  if (rule.says === "ignore") return true;
  return (rule.says === "busy" || rule.says === "retrying") && ["row", "bottom", "end"].includes(rule.in);
}

/** The client before stays while its own signs are there: an agent may well show another one's name. */
export function recognise(
  screen: Screen,
  regions: Regions,
  clients: readonly Pack[],
  before: string | undefined,
): string | undefined {
  const seen = [screen.title, screen.code, ...screen.rows.slice(0, 12), ...regions.rows];
  const found = clients.filter(({ detect }) => detect.some((sign) => seen.some((text) => sign.test(text))));
  if (found.some(({ name }) => name === before)) return before;
  return found[0]?.name ?? before;
}

/** Does the rule match, and if so, which text? */
export function found(rule: ScreenRule, regions: Regions): Place | undefined {
  const texts = rowsOf(rule, regions).map((text) => readBy(rule, text));
  // Anywhere on a screen, the lowest is the newest.
  const isNewest = rule.in === "anywhere";
  for (let n = 0; n < texts.length; n += 1) {
    const i = isNewest ? texts.length - 1 - n : n;
    const text = texts[i] ?? "";
    const at = placeOf(rule, text);
    if (at < 0) continue;
    if (!rule.also.every((also) => also.test(readBy(rule, regions.tail)))) continue;
    const rest = texts.slice(i + 1);
    const isSpoken = (later: string) => utterance.test(later) && !regions.footer.includes(later);
    if (rule.notice && rest.some(isSpoken)) continue;
    return placed(text.slice(at), rest);
  }
  return inStatus(rule, regions);
}

function placed(row: string, rest: readonly string[]): Place {
  return {
    row: (row.split("\n")[0] ?? "").slice(0, maxRow),
    text: [row, ...rest].join(" ").slice(0, maxText),
  };
}

const held: readonly Says[] = ["limited", "retrying", "login"];

/** What holds a program up may stand as a part of a status bar, beside its name and the like. */
function inStatus(rule: ScreenRule, { status }: Regions): Place | undefined {
  if (!held.includes(rule.says) || !["row", "message"].includes(rule.in) || rule.also.length > 0)
    return undefined;
  const texts = status.map((text) => readBy(rule, text));
  const text = texts.find((one) => placeOf(rule, one) >= 0);
  return text === undefined ? undefined : placed(text.slice(placeOf(rule, text)), []);
}

const places = new WeakMap<ScreenRule, (text: string) => number>();

/** Where a text matches a rule, or -1. */
function placeOf(rule: ScreenRule, text: string): number {
  const known = places.get(rule);
  if (known !== undefined) return known(text);
  const place = remembering(
    (text) => (rule.not.some((not) => not.test(text)) ? -1 : text.search(rule.match)),
    300,
  );
  places.set(rule, place);
  return place(text);
}

function rowsOf(rule: ScreenRule, regions: Regions): readonly string[] {
  // What a tool printed is not what holds its program up.
  const isOwn = held.includes(rule.says);
  if (isOwn && regions.isOutput && (rule.in === "last" || rule.in === "block")) return [];
  if (isOwn && rule.in === "bottom") return [regions.ownBottom];
  if (rule.in === "row") return isOwn ? regions.ownRows : regions.rows;
  if (rule.in === "message") return regions.message.split("\n");
  if (rule.in === "group") return regions.groups;
  return rule.in === "anywhere" ? regions.all : [regions[rule.in]];
}

const asking: readonly Says[] = ["waiting", "login", "limited", "retrying"];
/** A plain program asks at the cursor, in its own words only. */
const ownWords: readonly Region[] = ["cursor", "prompt", "title", "code"];

/** What a rule reads of a text: one that finds prompts and notices does not look into names of files and arguments. */
function readBy({ says, in: region }: ScreenRule, text: string): string {
  return asking.includes(says) && !ownWords.includes(region) ? withoutNames(text) : text;
}

/** A notice in the last block, or one of which that block is the end. */
function isLast(rule: ScreenRule, { row }: Place, { last, block }: Regions): boolean {
  if (!rule.notice || block === "") return false;
  return readBy(rule, block).includes(row) || (last !== "" && row.includes(readBy(rule, last)));
}

function hitOf(rule: ScreenRule, { row, text }: Place, isLast: boolean): Hit {
  return {
    rule: rule.id,
    says: rule.says,
    in: rule.in,
    text,
    row,
    notice: rule.notice,
    lively: rule.lively,
    quiet: rule.quiet,
    ...(rule.kind === undefined ? {} : { kind: rule.kind }),
    ...(rule.context === undefined ? {} : { context: rule.context }),
    ...(isLast && { isLast }),
  };
}

const quoted = /(["'`])(?:(?!\1).)+\1/g;
/** With a letter: `4/5` counts something. */
const path = /(?<![\w/.])(?=[\w./@-]*[A-Za-z])[\w.@-]*[\w@-]\/[\w./@-]*/g;
/** A file by its ending; `e.g.` and version numbers are none. */
const file = /(?<![\w/.:@])@?(?:[\w.@-]+\/)*[\w@-]{2,}(?:\.[\w-]+)*\.[A-Za-z]\w{0,4}\b/g;

/**
 * The rows without what they only name: files, and the arguments of tools. Whatever stands in those, an agent does not ask
 * it of anybody.
 */
const withoutNames = remembering((text) => text.split("\n").map(bare).join("\n"));

/** The expressions above take quadratic time, and a row that is longer than this names no file to anybody. */
const mostRow = 1000;

function bare(row: string): string {
  if (row.length > mostRow) return row;
  const own = bullet.test(row) ? row.replace(call, "$1()").replace(quoted, '""').replace(path, "…") : row;
  return own.replace(file, "…");
}
