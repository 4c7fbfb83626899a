// Public names stay: what people, scripts and other programs call, set and read by name.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { cli, root, temporaryHome } from "./product.ts";
import { commandLine, helpByCommand, lacksOf } from "./public-names/commands.ts";
import { type Names, publicNames } from "./public-names/list.ts";

const LIST = join(root, "test/fixtures/public-names.json");
const ADD = "ADD_NAMES=1 npm test test/public-names.test.ts";

/** Two watchers and a compilation take long on a machine with much else to do. */
const PATIENCE = 600_000;

/** Config keys that got a better name, each with a config that uses the old one. The schema need not show them. */
const OLD_KEYS = [
  {
    names: /^hosts(\[\])?$|^config show[^:]*: hosts$/,
    config: "hosts: [rollcall.example.org]\n",
    value: "rollcall.example.org",
  },
  {
    names: /^daemon\.heartbeat\.telegram\b/,
    config:
      "daemon: { heartbeat: { telegram: { chat: 42, tokenEnv: TELEGRAM_BOT_TOKEN, url: 'http://telegram.example.org' } } }\n",
    value: "http://telegram.example.org",
  },
];

/** A key that became a key of one of several shapes (`forge{kind=gitea}.url`) is still there (`forge.url`). */
function inAnyShape(names: Names): Names {
  const plain = (name: string) => name.replaceAll(/\{[^}]*=[^}]*\}/g, "");
  return Object.fromEntries(Object.entries(names).map(([kind, its]) => [kind, [...its, ...its.map(plain)]]));
}

it(
  "no public name is gone",
  async () => {
    const found = await publicNames();
    const listed = JSON.parse(readFileSync(LIST, "utf8")) as Names;
    const without = (names: Names, others: Names) =>
      Object.entries(names).flatMap(([kind, its]) =>
        its.filter((name) => others[kind]?.includes(name) !== true).map((name) => `${kind}: ${name}`),
      );
    const fresh = without(found, listed);
    if (process.env.ADD_NAMES === "1") {
      const kinds = [...new Set([...Object.keys(listed), ...Object.keys(found)])];
      const all = kinds.map((kind) => [
        kind,
        [...new Set([...(listed[kind] ?? []), ...(found[kind] ?? [])])].sort(),
      ]);
      writeFileSync(LIST, `${JSON.stringify(Object.fromEntries(all), undefined, 1)}\n`);
    } else if (fresh.length > 0)
      console.log(
        `New public names, not yet guarded:\n  ${fresh.join("\n  ")}\nAdd them to the list: ${ADD}`,
      );
    const gone = without(listed, inAnyShape(found)).filter(
      (name) => !OLD_KEYS.some(({ names }) => names.test(name.replace(/^[^:]*: /, ""))),
    );
    expect(gone, "public names that are gone; a better name may be added, but the old one stays").toEqual([]);
  },
  PATIENCE,
);

it.each(OLD_KEYS)("a config with an old key is still read: $config", async ({ config, value }) => {
  const home = temporaryHome(config);
  expect(await cli(home, "config", "check")).toMatchObject({ status: 0 });
  expect(await cli(home, "config", "show", "--json")).toMatchObject({
    stdout: expect.stringContaining(value),
  });
});

it(
  "the help of every command has an example, and a text for each argument",
  async () => {
    const helps = Object.entries(await helpByCommand(commandLine({})));
    expect(helps.length).toBeGreaterThan(50);
    const lacks = helps.flatMap(([name, help]) => lacksOf(help).map((what) => `${name}: ${what}`));
    expect(lacks).toEqual([]);
  },
  PATIENCE,
);
