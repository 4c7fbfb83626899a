import { ConfigError } from "./config-error.ts";
import { type ForeignSection, isShared, splitShared } from "./foreign.ts";
import { oldKeysIn } from "./old-keys.ts";
import { type Locate, sayIssues, valueAt } from "./problems.ts";
import { type ConfigFile, configSchema } from "./schema.ts";
import { type Document, isMap, isNode, LineCounter, parseDocument, type YAMLError } from "./yaml.ts";

/** What the text of a config file says, apart from the other files that it names. */
export interface ConfigRead {
  readonly config: ConfigFile;
  readonly foreign: readonly ForeignSection[];
  readonly oldKeys: readonly string[];
}

/** JSON is YAML too, so one parser reads both, and both errors carry lines. */
export function readConfig(text: string, file: string): ConfigRead {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  if (document.errors.length > 0) {
    const said = document.errors.map((error) => `:${lines.linePos(error.pos[0]).line}: ${sayMistake(error)}`);
    // The others often follow from the first one.
    const more = said.length > 1 ? [`${said.length - 1} more below it, which may follow from it`] : [];
    throw new ConfigError(file, [...said.slice(0, 1), ...more]);
  }
  let whole: unknown;
  try {
    whole = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    // An alias that names nothing, or a few that unfold to millions.
    throw new ConfigError(file, [error instanceof Error ? error.message : String(error)], { cause: error });
  }
  if (holdsItself(whole)) throw new ConfigError(file, ["an alias makes a value contain itself"]);
  // An editor or a full disk may have emptied it. Taken for a config, it would take the whole fleet off the roll.
  if (whole === null || whole === undefined) {
    const right = "expected keys such as agents: []; to go on with the defaults, remove the file";
    throw new ConfigError(file, [`it is empty; ${right}`]);
  }
  const { value, foreign } = isShared(file) ? splitShared(whole) : { value: whole, foreign: [] };
  const checked = configSchema.safeParse(value);
  if (checked.success) return { config: checked.data, foreign, oldKeys: oldKeysIn(value) };
  throw new ConfigError(file, sayIssues(checked.error.issues, value, locatorIn(document, lines)));
}

function locatorIn(document: Document, lines: LineCounter): Locate {
  const locate: Locate = (path, key) => {
    let node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    if (key !== undefined && isMap(node)) {
      node = node.items.find(({ key: name }) => isNode(name) && String(name) === key)?.key;
    }
    // What is missing has no place of its own: its nearest parent has.
    if (!isNode(node)) return path.length > 0 ? locate(path.slice(0, -1)) : undefined;
    return node.range ? lines.linePos(node.range[0]).line : undefined;
  };
  return locate;
}

/** `agents[0].after: …`, or the same of an agent by its id: `agent allegro: after: …`. */
const PLACE = /^(?:agent (?<agent>[\w@-]+): )?(?<path>[\w-]+(?:\[\d+\]|\.[\w-]+)*)(?=: )/;

/** Sentences about a config, each with the file and line of the key that it begins with, if that key stands in the text. */
export function withLines(text: string, file: string, sentences: readonly string[]): readonly string[] {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const locate = locatorIn(document, lines);
  const written: unknown = document.toJS({ maxAliasCount: 100 });
  const items = valueAt(written, ["agents"]);
  const ids = Array.isArray(items) ? items.map((item: unknown) => valueAt(item, ["id"])) : [];
  return sentences.map((sentence) => {
    const { agent, path } = PLACE.exec(sentence)?.groups ?? {};
    if (path === undefined) return sentence;
    const parts = (path.match(/[\w-]+/g) ?? []).map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    const index = ids.indexOf(agent);
    const whole = agent === undefined ? parts : index < 0 ? [] : ["agents", index, ...parts];
    const line = valueAt(written, whole.slice(0, 1)) === undefined ? undefined : locate(whole);
    return whole.length === 0 || line === undefined ? sentence : `${file}:${line}: ${sentence}`;
  });
}

/** What the parser calls otherwise than a person who writes a config. */
const MISTAKES: Readonly<Partial<Record<YAMLError["code"], string>>> = {
  MULTILINE_IMPLICIT_KEY: "a colon is missing: expected key: value, or key: and its value indented below",
  BLOCK_AS_IMPLICIT_KEY:
    "expected one key: value a line, keys that belong together below each other, and a value with a colon in quotes",
  BLOCK_IN_FLOW: "a comma is missing: expected { key: value, key: value }",
  BAD_INDENT: "expected what belongs together to begin at the same column",
  TAB_AS_INDENT: "a tab in front: expected blanks",
  DUPLICATE_KEY: "this key stands there twice: expected it once",
};

function sayMistake({ code, message }: YAMLError): string {
  if (message.startsWith("Flow "))
    return "a bracket is open: expected its } or ] before this line, or more blanks in front of it";
  return MISTAKES[code] ?? message;
}

function holdsItself(value: unknown, around: readonly unknown[] = []): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (around.includes(value)) return true;
  return Object.values(value).some((inner) => holdsItself(inner, [...around, value]));
}
