// npm run eval:recordings -- [--dir DIR] [--json] [--predict] [--packs NAME,…] [--screen-alone] [--unmet]
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import type { Packs } from "../../src/core/screen/rule.ts";
import { loadPacks } from "../../src/signals/screens/packs.ts";
import { evaluate, withoutOwn } from "./evaluate.ts";
import { recordingsIn, replay } from "./replay.ts";
import { line, summary } from "./report.ts";

const { values } = parseArgs({
  options: {
    dir: { type: "string" },
    json: { type: "boolean", default: false },
    predict: { type: "boolean", default: false },
    packs: { type: "string" },
    "screen-alone": { type: "boolean", default: false },
    unmet: { type: "boolean", default: false },
  },
});
const shared = "../shared/recordings";
const folder = resolve(values.dir ?? (existsSync(shared) ? shared : "test/fixtures/recordings"));
const withFacts = !values["screen-alone"];
const packs = only(loadPacks(), values.packs);
const packsFor = (client: string) => (values.unmet ? withoutOwn(packs, client) : packs);

if (values.predict) {
  for (const recording of recordingsIn(folder)) {
    for (const { t, reading, state } of await replay(folder, recording, packs, withFacts)) {
      console.log(JSON.stringify({ recording, t, reading: reading.state, state }));
    }
  }
} else if (values.json) {
  console.log(JSON.stringify(await evaluate(folder, packsFor, undefined, withFacts), null, 2));
} else {
  console.log(summary(await evaluate(folder, packsFor, (score) => console.log(line(score)), withFacts)));
}

/** Leaves only the named packs, to see how well a client is read that none of them knows. */
function only(all: Packs, names: string | undefined): Packs {
  if (names === undefined) return all;
  const wanted = names.split(",");
  return {
    clients: all.clients.filter(({ name }) => wanted.includes(name)),
    generic: all.generic.filter(({ name }) => wanted.includes(name)),
  };
}
