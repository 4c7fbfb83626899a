// node scripts/eval.js record --clients DIR --out DIR [--client NAME,…] [--scene NAME,…] [--size 120x40]
//
// Records real coding agents from npm in real tmux against a model on loopback. DIR/NAME holds each client after `npm install`.
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { CLIENTS } from "./clients.ts";
import { record } from "./record.ts";
import { SCENES } from "./scenes.ts";

const { values } = parseArgs({
  options: {
    clients: { type: "string", default: "clients" },
    out: { type: "string", default: "recordings" },
    client: { type: "string" },
    scene: { type: "string" },
    size: { type: "string" },
  },
});
const SIZES = ["120x40", "100x30", "160x45", "90x28", "140x50", "200x50", "80x24"];
const names = values.client?.split(",") ?? Object.keys(CLIENTS);
const scenes = values.scene?.split(",") ?? Object.keys(SCENES);
for (const [turn, name] of names.entries()) {
  for (const [next, scene] of scenes.entries()) {
    const [client, play] = [CLIENTS[name], SCENES[scene]];
    if (client === undefined || play === undefined) throw new Error(`no client ${name} or no scene ${scene}`);
    const [cols, rows] = (values.size ?? SIZES[(turn + next) % SIZES.length] ?? "").split("x").map(Number);
    const recording = `${name}-${scene}`;
    const means = { clients: resolve(values.clients), out: resolve(values.out), cols, rows };
    console.log(recording, await record(recording, { name, client, scene, play }, means));
  }
}
