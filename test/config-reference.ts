import { RESTART_ONLY } from "../src/config/restart-only.ts";
import { configSchema } from "../src/config/schema.ts";
import { written } from "../src/config/written.ts";

/** As much of a schema of zod's as the reference needs. */
interface Schema {
  readonly def: {
    readonly type: string;
    readonly innerType?: Schema;
    readonly in?: Schema;
    readonly shape?: Readonly<Record<string, Schema>>;
    readonly element?: Schema;
    readonly valueType?: Schema;
    readonly options?: readonly Schema[];
    readonly entries?: Readonly<Record<string, string>>;
    readonly values?: readonly unknown[];
    readonly defaultValue?: unknown;
    readonly error?: (issue: object) => unknown;
  };
  meta(): { readonly description?: string; readonly deprecated?: boolean } | undefined;
}

interface Row {
  readonly path: string;
  readonly schema: Schema;
  /** What stands in its column instead of what the schema says. */
  readonly type?: string;
  /** What its part of the config is called, for examples. */
  readonly part: string;
  /** Where the keys below it are listed. */
  readonly see?: string;
}

interface Section {
  readonly title: string;
  readonly rows: Row[];
}

const HEAD = `# Every key of the config

\`npm run docs:config\` writes this page from the schema; change the descriptions beside the keys in \`src\`.

- \`[]\` stands for each entry of a list, and \`<name>\` for a name of your choice.
- A duration is a text such as \`90s\`, \`15m\`, \`1h30m\` or \`30d\`.
- *applied by*: \`rollcall daemon reload\` puts a change of most keys in force. The others name the command that they need.
`;
const COLUMNS = ["key", "type", "default", "example", "applied by", "what it is"];

/** Examples of keys whose default or error message shows none. */
const EXAMPLES: Readonly<Record<string, unknown>> = {
  "access.badges": ["website"],
  "access.folders": ["~/logs"],
  "agents[].after": ["gateway"],
  "agents[].group": "painters",
  "agents[].heartbeat.to": "team",
  "agents[].id": "painter",
  "agents[].log.cols": 120,
  "agents[].log.keys": { repo: "site" },
  "agents[].log.rows": 40,
  "agents[].name": "Painter",
  "agents[].process.match": "painter\\.py",
  "agents[].process.pid": 4711,
  "agents[].process.pidFile": "/run/painter.pid",
  "agents[].schedule": "30 2 * * *",
  "agents[].stall": "auto",
  "agents[].tmux.session": "painter",
  "agents[].tmux.socket": "agents",
  "agents[].tmux.socketPath": "/tmp/tmux-1000/agents",
  "channels.<name>.argv": ["/usr/local/bin/tell", "--urgent"],
  "channels.<name>.config": "~/.config/apprise/apprise.yml",
  "channels.<name>.env": { MODE: "night" },
  "channels.<name>.topic": "fleet-7f3a",
  "channels.<name>.user": "rollcall@example.org",
  "daemon.heartbeat.to": "team",
  "daemon.pidFile": "/run/rollcall.pid",
  "daemon.watchdogInterval": "2m",
  "defaults.recover[].text": "continue",
  "defaults.recover[].to": ["oncall"],
  "defaults.recover[].when.reasons": ["exited"],
  "defaults.recover[].with.command": ["/usr/local/bin/start-painter"],
  "defaults.recover[].with.cwd": "~/painter",
  "defaults.recover[].with.env": { MODE: "night" },
  "forge.escalateTo": ["oncall"],
  "forge.template": "root-cause.md",
  "heartbeat.actions[].channels": ["team"],
  "heartbeat.actions[].command.argv": ["/usr/local/bin/backup", "--quick"],
  "heartbeat.actions[].command.cwd": "~/backups",
  "heartbeat.actions[].command.env": { MODE: "night" },
  "heartbeat.actions[].config": { minReward: 10 },
  "heartbeat.actions[].enabled": false,
  "heartbeat.actions[].maxPerHour": 4,
  "heartbeat.actions[].module": "actions/greet.mjs",
  "heartbeat.actions[].name": "backup",
  "heartbeat.actions[].schedule": "0 6 * * *",
  "heartbeat.actions[].tellAfter": 3,
  "heartbeat.agent": "painter",
  "policy.escalate.to": ["oncall"],
  "hub.cutOff.tell": ["ops"],
  "policy.timezone": "Europe/Berlin",
  "policy.tell[].states": ["dead", "stalled"],
  "policy.tell[].to": ["team"],
  "tls.cert": "/etc/rollcall/hub.pem",
  "tls.key": "/etc/rollcall/hub.key",
  "tick.agents": ["painter"],
  "tick.env": { MODE: "night" },
  "tick.gateway.command": "systemctl is-active gateway",
  "tick.gateway.file": "/run/{agent}.ready",
  "tick.gateway.pidFile": "/run/{agent}.pid",
  "tick.registry": "config/agent-registry.json",
  "tick.ticks": "ticks",
};

/** The page docs/config.md. */
export function configReference(): string {
  const sections: Section[] = [{ title: "Top level", rows: [] }];
  const listed = new Map<unknown, string>();
  for (const [key, schema] of Object.entries(shapeOf(configSchema as unknown as Schema))) {
    const part = isLeaf(schema) ? (sections[0] as Section) : addSection(sections, `\`${key}\``);
    collect({ path: key, schema, part: key }, part, sections, listed);
  }
  return [HEAD, ...sections.map(sayTable)].join("\n");
}

/** Examples that are needed no more. */
export function staleExamples(): readonly string[] {
  const page = configReference();
  return Object.keys(EXAMPLES).filter((path) => !page.includes(`| \`${path}\` |`));
}

function addSection(sections: Section[], title: string): Section {
  const section = { title, rows: [] };
  sections.push(section);
  return section;
}

/** Adds the row of a key, and those of the keys below it. A shape that is used twice is listed once. */
function collect(row: Row, section: Section, sections: Section[], listed: Map<unknown, string>): void {
  const { path, schema, part } = row;
  const outer = unwrapped(schema);
  const { element, valueType } = outer.def;
  const way = element !== undefined ? "[]" : valueType !== undefined ? ".<name>" : "";
  const inner = unwrapped(element ?? valueType ?? outer);
  const { shape } = inner.def;
  const before = shape && listed.get(shape);
  section.rows.push(before === undefined ? row : { ...row, see: before });
  if (before !== undefined || schema.meta()?.deprecated || inner.meta()?.deprecated) return;
  const below = (key: string, each: Schema, more: Partial<Row>, into: Section) =>
    collect({ path: `${path}${way}.${key}`, schema: each, part, ...more }, into, sections, listed);
  if (shape !== undefined) {
    listed.set(shape, `${path}${way}`);
    for (const [key, each] of Object.entries(shape))
      below(key, each, { part: path.split(".").at(-1) ?? part }, section);
    return;
  }
  const forms = (inner.def.options ?? []).map(unwrapped).filter(({ def }) => def.shape !== undefined);
  const kinds = forms.map(kindOf).filter((kind) => kind !== undefined);
  const same = new Set(forms.map((form) => Object.keys(shapeOf(form)).join())).size === 1;
  for (const form of same ? forms.slice(0, 1) : forms) {
    const kind = kindOf(form);
    const into =
      kind === undefined || same ? section : addSection(sections, `\`${path}${way}\` of kind \`${kind}\``);
    for (const [key, each] of Object.entries(shapeOf(form))) {
      const type = (same ? kinds : [kind]).map((one) => `\`${one}\``).join(", ");
      if (key === "kind") below(key, each, { type }, into);
      // A form that nobody describes is how stored settings are read again.
      else if (descriptionOf(each) !== undefined)
        below(key, each, { part: same ? part : (kind ?? part) }, into);
    }
  }
}

function kindOf(option: Schema): string | undefined {
  const { kind } = shapeOf(option);
  return kind && String(unwrapped(kind).def.values?.[0]);
}

/** Looks through wrappers (defaults, optional, transforms). */
function unwrapped(schema: Schema): Schema {
  const { innerType, in: input } = schema.def;
  const inner = innerType ?? input;
  return inner === undefined ? schema : unwrapped(inner);
}

function shapeOf(schema: Schema): Readonly<Record<string, Schema>> {
  return unwrapped(schema).def.shape ?? {};
}

function isLeaf(schema: Schema): boolean {
  const { shape, element, valueType, options = [] } = unwrapped(schema).def;
  const inner = [element, valueType, ...options].filter((each) => each !== undefined);
  return shape === undefined && inner.every(isLeaf);
}

function sayTable({ title, rows }: Section): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const table = [line(COLUMNS), line(COLUMNS.map(() => "---")), ...rows.map((row) => line(sayRow(row)))];
  return `${title.includes(" of kind ") ? "###" : "##"} ${title}\n\n${table.join("\n")}\n`;
}

function sayRow(row: Row): readonly string[] {
  const { path, schema, type = typeOf(schema), see } = row;
  const isSection = type.includes("mapping") && !type.includes(" or ") && !isLeaf(schema);
  const needed = (RESTART_ONLY as Readonly<Record<string, string>>)[path];
  const description = path.endsWith(".kind") ? "which kind it is" : descriptionOf(schema);
  const more = see === undefined ? "" : `; its keys are those of \`${see}\``;
  return [
    `\`${path}\``,
    type,
    defaultOf(path, schema),
    isSection ? "" : code(EXAMPLES[path] ?? exampleOf(row)),
    isSection ? "" : needed === undefined ? "reload" : `\`${needed}\``,
    description === undefined ? "?" : `${description.replaceAll("|", "\\|").replaceAll("<", "&lt;")}${more}`,
  ];
}

function descriptionOf(schema: Schema): string | undefined {
  const { innerType, in: input } = schema.def;
  const inner = innerType ?? input;
  return schema.meta()?.description ?? (inner === undefined ? undefined : descriptionOf(inner));
}

/** What would be right, as the error says it. */
function expected({ def: { error } }: Schema): string {
  const said = error?.({ code: "invalid_type" });
  return typeof said === "string" ? said : "";
}

/** More words than this are listed elsewhere. */
const MANY = 12;

function typeOf(given: Schema): string {
  const schema = unwrapped(given);
  const { type, element, valueType, options = [], entries = {}, values = [] } = schema.def;
  if (type === "string") return expected(schema).startsWith("a duration") ? "duration" : "text";
  if (type === "int" || type === "number") return "number";
  if (type === "boolean") return "true or false";
  if (type === "enum") return sayWords(Object.values(entries));
  if (type === "literal") return sayWords(values);
  if (type === "object") return "mapping";
  if (type === "tuple") return "list of texts";
  if (element !== undefined) return `list of ${plural(typeOf(element))}`;
  if (valueType !== undefined) return `mapping of names to ${plural(typeOf(valueType))}`;
  if (options.length > 0) return [...new Set(options.map(typeOf))].join(" or ");
  return "anything";
}

function sayWords(words: readonly unknown[]): string {
  return words.length > MANY ? "word" : words.map((word) => `\`${word}\``).join(", ");
}

function plural(type: string): string {
  return ["text", "number", "duration", "mapping", "word"].includes(type) ? `${type}s` : type;
}

const DEFAULTS = written(configSchema, configSchema.parse({}));

function defaultOf(path: string, schema: Schema): string {
  // Another host has another one.
  if (path === "policy.timezone") return "this host's";
  const found = path
    .split(".")
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], DEFAULTS);
  const value = found ?? writtenDefault(schema);
  if (value !== undefined) return unwrapped(schema).def.shape === undefined ? code(value) : "";
  return isOptional(schema) ? "" : "required";
}

/** A default as it is written: `15m`, not its milliseconds. */
function writtenDefault({ def: { type, defaultValue, innerType } }: Schema): unknown {
  if (type === "prefault" || type === "default") return defaultValue;
  return innerType === undefined ? undefined : writtenDefault(innerType);
}

function isOptional({ def: { type, innerType } }: Schema): boolean {
  return type === "optional" || (innerType !== undefined && isOptional(innerType));
}

function exampleOf({ path, schema, type, part }: Row): unknown {
  if (type !== undefined) return type.split(", ")[0]?.replaceAll("`", "");
  const [, secret = "", where] = /(\w+)(Env|File)$/.exec(path) ?? [];
  const words = [part, ...secret.split(/(?=[A-Z])/)].map((word) => word.toLowerCase());
  if (where === "File") return `/run/secrets/${words.join("-")}`;
  if (where === "Env" && typeOf(schema) === "text") return words.join("_").toUpperCase();
  return exampleIn(schema);
}

function exampleIn(given: Schema): unknown {
  const schema = unwrapped(given);
  const { type, element, options = [], entries = {}, values = [] } = schema.def;
  const byDefault = writtenDefault(given);
  if (type === "boolean") return byDefault !== true;
  if (byDefault !== undefined && Object.keys(Object(byDefault)).length > 0) return byDefault;
  if (typeof byDefault === "number") return byDefault;
  if (type === "enum") return Object.values(entries)[0];
  if (type === "literal") return values[0];
  if (element !== undefined) {
    const one = exampleIn(element);
    return one && [one];
  }
  const [said] = [expected(schema), descriptionOf(given) ?? ""].flatMap(suchAs);
  return said ?? (options[0] && exampleIn(options[0]));
}

/** The example in a text such as this one. */
function suchAs(text: string): readonly string[] {
  const [, first] = /such as (.+?)(?:[;,)]|\.$| \(| or | and |$)/.exec(text) ?? [];
  return first === undefined ? [] : [first];
}

/** A value as YAML takes it in one line. */
function code(value: unknown): string {
  return value === undefined ? "?" : `\`${flow(value).replaceAll("|", "\\|")}\``;
}

function flow(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (typeof value !== "object" || value === null) return String(value);
  const entries = Object.entries(value).map(([key, each]) => `${key}: ${flow(each)}`);
  return entries.length === 0 ? "{}" : `{ ${entries.join(", ")} }`;
}
