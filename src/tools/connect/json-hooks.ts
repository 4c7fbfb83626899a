import {
  applyEdits,
  createScanner,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";
import { isRecord } from "../../core/beat-input.ts";
import { ConnectError } from "./connect-error.ts";

/** One hook of ours: the event, and what stands in its list. */
export interface OwnHook {
  readonly event: string;
  readonly entry: object;
}

/** Whether an entry of somebody's list is ours; `strip` also takes what older versions had people paste. */
export type IsOurs = (command: string) => boolean;

/**
 * The text of a settings file with our hooks in it. Only what is added is new: order, comments, indentation, unknown keys and other
 * people's hooks stay as they are.
 */
export function withHooks(text: string, hooks: readonly OwnHook[], file: string): string {
  if (/^\s*(?:\{\s*\})?\s*$/.test(text)) {
    const whole = { hooks: Object.fromEntries(hooks.map(({ event, entry }) => [event, [entry]])) };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }
  let next = text;
  const listed = hooksIn(next, file);
  for (const { event, entry } of hooks) {
    const list = listed[event];
    if (list !== undefined && !Array.isArray(list))
      throw new ConnectError("odd-settings", `${file}: hooks.${event}: expected a list`);
    next = isEmpty(list)
      ? change(next, ["hooks", event], [entry])
      : change(next, ["hooks", event, -1], entry, true);
  }
  return next;
}

function isEmpty(list: unknown): boolean {
  return !Array.isArray(list) || list.length === 0;
}

/** The text without the hooks that are ours. Lists that are empty then go too. */
export function withoutHooks(text: string, isOurs: IsOurs, file: string): string {
  let next = text;
  const listed = hooksIn(text, file);
  for (const [event, groups] of Object.entries(listed)) {
    if (!Array.isArray(groups)) continue;
    let left = groups.length;
    // From behind, so that what is still to come keeps its place.
    for (let index = groups.length - 1; index >= 0; index--) {
      const inner = innerOf(groups[index]);
      const ours = inner.flatMap((hook, place) => (isOurs(commandOf(hook)) ? [place] : []));
      if (ours.length === 0) continue;
      if (ours.length === inner.length) {
        next = without(next, ["hooks", event, index]);
        left -= 1;
      } else
        for (const place of ours.reverse()) next = without(next, ["hooks", event, index, "hooks", place]);
    }
    if (left === 0 && groups.length > 0) next = without(next, ["hooks", event]);
  }
  const rest = hooksIn(next, file);
  return Object.keys(listed).length > 0 && Object.keys(rest).length === 0 ? without(next, ["hooks"]) : next;
}

/** Whether the file tells its client to call no hook at all. */
export function isSwitchedOff(text: string): boolean {
  const settings: unknown = parse(text);
  return isRecord(settings) && settings.disableAllHooks === true;
}

/** How many hooks of ours stand in a settings file. */
export function countHooks(text: string, isOurs: IsOurs, file: string): number {
  const groups = Object.values(hooksIn(text, file)).flatMap((list) => (Array.isArray(list) ? list : []));
  return groups.flatMap(innerOf).filter((hook) => isOurs(commandOf(hook))).length;
}

function innerOf(group: unknown): readonly unknown[] {
  return isRecord(group) && Array.isArray(group.hooks) ? group.hooks : [];
}

function commandOf(hook: unknown): string {
  return isRecord(hook) && typeof hook.command === "string" ? hook.command : "";
}

function hooksIn(text: string, file: string): Readonly<Record<string, unknown>> {
  if (text.trim() === "") return {};
  const errors: ParseError[] = [];
  const value: unknown = parse(text.replace(/^\ufeff/, ""), errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined) {
    const line = text.slice(0, first.offset).split("\n").length;
    const what = printParseErrorCode(first.error);
    throw new ConnectError(
      "bad-settings",
      `${file} is not valid JSON (line ${line}: ${what}); nothing was changed`,
    );
  }
  if (!isRecord(value))
    throw new ConnectError("odd-settings", `${file}: expected an object; nothing was changed`);
  const { hooks = {} } = value;
  if (!isRecord(hooks))
    throw new ConnectError("odd-settings", `${file}: hooks: expected an object; nothing was changed`);
  return hooks;
}

/** Changes one place and formats nothing: what stands around it is somebody else's. */
function change(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const plain = text.slice(mark.length);
  return mark + applyEdits(plain, modify(plain, path, value, { isArrayInsertion }));
}

/**
 * Takes one place away, with the comma that came with it: what we add stands right behind what was there before. Comments
 * and blanks of other people stay.
 */
function without(text: string, path: JSONPath): string {
  const mark = text.startsWith("\ufeff") ? "\ufeff" : "";
  const plain = text.slice(mark.length);
  const root = parseTree(plain, [], { allowTrailingComma: true });
  const found = root && findNodeAtLocation(root, path);
  const node = found?.parent?.type === "property" ? found.parent : found;
  const beside = node?.parent?.children ?? [];
  const place = node === undefined ? -1 : beside.indexOf(node);
  if (node === undefined || place < 0) return text;
  const before = beside[place - 1];
  const end = endOf(node);
  if (before !== undefined) {
    const gap = plain.slice(endOf(before), node.offset);
    return mark + plain.slice(0, endOf(before)) + withoutComma(gap) + plain.slice(end);
  }
  const next = beside[place + 1];
  const after = next === undefined ? "" : withoutComma(plain.slice(end, next.offset));
  return mark + plain.slice(0, node.offset) + after + plain.slice(next?.offset ?? end);
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** `SyntaxKind.CommaToken` and `SyntaxKind.EOF`, which exist for the compiler alone. */
const [COMMA, END_OF_TEXT]: readonly [number, number] = [5, 17];

/** What stands between two places, without the comma; nothing if it is blank otherwise. */
function withoutComma(gap: string): string {
  if (/^[\s,]*$/.test(gap)) return "";
  const scanner = createScanner(gap);
  for (let kind = scanner.scan(); kind !== END_OF_TEXT; kind = scanner.scan())
    if (kind === COMMA)
      return gap.slice(0, scanner.getTokenOffset()) + gap.slice(scanner.getTokenOffset() + 1);
  return gap;
}
