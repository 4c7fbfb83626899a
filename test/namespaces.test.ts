import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { homeAt } from "../src/home/home.ts";
import { cli, rollcall, temporaryHome, until } from "./product.ts";
import { hasTmux } from "./watching.ts";

const names = { hub: `rc-hub-${process.pid}`, web1: `rc-web1-${process.pid}`, mac: `rc-mac-${process.pid}` };
const HUB = "10.77.0.1";

const ip = (...args: string[]) => spawnSync("ip", args, { encoding: "utf8" });
const canMake = ip("netns", "add", `${names.hub}-try`).status === 0;
if (canMake) ip("netns", "delete", `${names.hub}-try`);
const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;
const can = canMake && hasTmux && hasOpenssl;
const whyNot = can ? "" : " (skipped: needs root, iproute2, tmux and openssl)";

/** How long the link is down besides the minute after which a host is out of contact. */
const DOWN = Number(process.env.LINK_DOWN_SECONDS ?? 0) * 1000;

/** Three networks of their own, joined by a bridge in the first. */
function network(): void {
  onTestFinished(() => {
    for (const name of Object.values(names)) ip("netns", "delete", name);
  });
  for (const name of Object.values(names)) {
    expect(ip("netns", "add", name).stderr).toBe("");
    ip("-n", name, "link", "set", "lo", "up");
  }
  ip("-n", names.hub, "link", "add", "bridge", "type", "bridge");
  ip("-n", names.hub, "address", "add", `${HUB}/24`, "dev", "bridge");
  ip("-n", names.hub, "link", "set", "bridge", "up");
  for (const [at, host] of (["web1", "mac"] as const).entries()) {
    ip("-n", names.hub, "link", "add", host, "type", "veth", "peer", "name", "up0", "netns", names[host]);
    ip("-n", names.hub, "link", "set", host, "master", "bridge", "up");
    ip("-n", names[host], "address", "add", `10.77.0.${at + 2}/24`, "dev", "up0");
    expect(ip("-n", names[host], "link", "set", "up0", "up").stderr).toBe("");
  }
}

/** `rollcall up` in a network of its own, ready. */
function up(network: string, home: string, ...more: string[]) {
  const child = spawn("ip", ["netns", "exec", network, process.execPath, rollcall, "up", ...more], {
    env: { ...process.env, ROLLCALL_HOME: home, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const gone = new Promise<void>((done) => child.once("exit", () => done()));
  const kill = async () => {
    child.kill("SIGKILL");
    await gone;
  };
  onTestFinished(kill);
  let said = "";
  return new Promise<{ kill: () => Promise<void> }>((done, failed) => {
    const listen = (chunk: unknown) => {
      said += String(chunk);
      if (said.includes("listens at")) done({ kill });
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    void gone.then(() => failed(new Error(`the watcher ended: ${said}`)));
  });
}

interface Flipped {
  readonly to: string;
  readonly at: string;
}

interface SeenAgent {
  readonly id: string;
  readonly state: string;
  readonly reason: string;
}

/** What a watcher says by its socket, which is the same in every network. Undefined while it is down. */
function ask(home: string, path: string): Promise<unknown> {
  return new Promise((done) => {
    const asked = request({ socketPath: homeAt(home).socket, path: `/api/v1${path}` }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += String(chunk);
      });
      response.on("end", () => done(JSON.parse(body)));
    });
    asked.on("error", () => done(undefined));
    asked.end();
  });
}

async function roll(home: string): Promise<readonly SeenAgent[]> {
  const answer = (await ask(home, "/agents")) as { agents: SeenAgent[] } | undefined;
  return answer?.agents ?? [];
}

const isIn = (home: string, id: string, state: string) =>
  until(
    async () => (await roll(home)).find((agent) => agent.id === id),
    (agent) => agent?.state === state,
  );

/** When an agent died, as its home has it. */
async function deaths(home: string, id: string): Promise<readonly string[]> {
  const answer = (await ask(home, `/agents/${id}/flips`)) as { flips: Flipped[] } | undefined;
  return (answer?.flips ?? []).filter(({ to }) => to === "dead").map(({ at }) => at);
}

/** The titles of what people were told. */
function told(home: string): readonly string[] {
  const file = join(home, "told.jsonl");
  if (!existsSync(file)) return [];
  return [...readFileSync(file, "utf8").matchAll(/"title":"([^"]*)"/g)].map(([, title = ""]) => title);
}

function certificate(home: string): { cert: string; key: string } {
  const [cert, key] = [join(home, "hub.pem"), join(home, "hub.key")];
  const curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const args = ["req", "-x509", ...curve, "-subj", "/CN=hub", "-days", "9", "-keyout", key, "-out", cert];
  expect(spawnSync("openssl", args).status).toBe(0);
  return { cert, key };
}

/** A tmux server in a network of its own, with one agent that works until it is killed. */
function agentIn(network: string, socket: string) {
  const run = (...args: string[]) =>
    spawnSync("ip", ["netns", "exec", network, "tmux", "-L", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
    });
  const stays = [";", "set-option", "-t", "agent", "remain-on-exit", "on"];
  run("new-session", "-d", "-s", "agent", "exec sh -c 'echo ready; exec sleep 9999'", ...stays);
  onTestFinished(() => void run("kill-server"));
  return {
    kill() {
      const pid = Number(run("display-message", "-p", "-t", "agent", "#{pane_pid}").stdout);
      process.kill(pid, "SIGKILL");
      return pid;
    },
  };
}

describe(`hosts in networks of their own${whyNot}`, () => {
  it.skipIf(!can)(
    "join over TLS, are told of once, and go on alone while the link is down",
    { timeout: DOWN + 300_000 },
    async () => {
      network();
      const hubHome = temporaryHome();
      const { cert, key } = certificate(hubHome);
      const file = join(hubHome, "told.jsonl");
      writeFileSync(
        join(hubHome, "rollcall.yaml"),
        `listen: 0.0.0.0:7766
tls: { cert: ${cert}, key: ${key} }
hub: { url: "https://${HUB}:7766", serve: true }
policy: { hold: 1s, group: 1s }
channels:
  ops: { kind: command, argv: [sh, -c, "cat >> ${file}; echo >> ${file}"] }
`,
      );
      let hub = await up(names.hub, hubHome);
      const socket = `rc-${process.pid}`;
      const homes = { web1: "", mac: "" };
      for (const [host, kind] of [
        ["web1", "server"],
        ["mac", "laptop"],
      ] as const) {
        homes[host] = temporaryHome(`listen: 127.0.0.1:0
livenessInterval: 500ms
agents:
  - id: coder
    tmux: { session: agent, socket: ${socket}-${host} }
    recover: [{ do: restart, with: { respawn: true } }]
`);
        const invited = await cli(hubHome, "hosts", "invite", host, "--kind", kind);
        expect(invited.status, invited.stderr).toBe(0);
        const command = invited.stdout.trim().split(/\s+/).slice(1);
        expect(command.join(" ")).toMatch(/^join https:\/\/10\.77\.0\.1:7766#sha256=[0-9a-f]{64} \S+$/);
        const joined = spawnSync(
          "ip",
          ["netns", "exec", names[host], process.execPath, rollcall, ...command],
          { env: { ...process.env, ROLLCALL_HOME: homes[host] }, encoding: "utf8" },
        );
        expect(joined.status, joined.stderr).toBe(0);
      }
      const panes = {
        web1: agentIn(names.web1, `${socket}-web1`),
        mac: agentIn(names.mac, `${socket}-mac`),
      };
      let web1 = await up(names.web1, homes.web1);
      await up(names.mac, homes.mac);
      for (const id of ["coder@web1", "coder@mac"]) await isIn(hubHome, id, "alive");

      // Killed, told once by the hub, and restarted by its host.
      panes.web1.kill();
      const about = (id: string) => told(hubHome).filter((title) => title.includes(id));
      await until(
        () => about("coder on web1"),
        (all) => all.some((title) => title.includes("dead")),
      );
      await isIn(hubHome, "coder@web1", "alive");
      expect(about("coder on web1").filter((title) => title.includes("is dead"))).toHaveLength(1);

      // Down: the hosts restart what dies, the hub calls nobody dead and tells of the server alone.
      for (const host of ["web1", "mac"] as const) ip("-n", names.hub, "link", "set", host, "down");
      const before = await deaths(homes.web1, "coder");
      panes.web1.kill();
      panes.mac.kill();
      await until(
        () => deaths(homes.web1, "coder"),
        (all) => all.length === before.length + 1,
      );
      await isIn(homes.web1, "coder", "alive");
      await Promise.all([web1.kill(), hub.kill()]);
      [hub, web1] = [await up(names.hub, hubHome), await up(names.web1, homes.web1)];
      await sleep(DOWN);
      for (const id of ["coder@web1", "coder@mac"])
        expect(await isIn(hubHome, id, "unknown")).toMatchObject({ reason: "host-out-of-contact" });
      await until(
        () => told(hubHome),
        (all) => all.includes("host web1 is out of contact"),
      );
      expect(told(hubHome).filter((title) => title.startsWith("host "))).toHaveLength(1);

      // Up again: everything is on the hub once.
      for (const host of ["web1", "mac"] as const) ip("-n", names.hub, "link", "set", host, "up");
      for (const host of ["web1", "mac"] as const) {
        await isIn(hubHome, `coder@${host}`, "alive");
        // Dates may differ: on the hub nothing is older than the loss of contact that it noted meanwhile.
        const here = await deaths(homes[host], "coder");
        expect(here).toHaveLength(host === "web1" ? 2 : 1);
        await until(
          () => deaths(hubHome, `coder@${host}`),
          (all) => all.length >= here.length,
        );
        expect(await deaths(hubHome, `coder@${host}`)).toHaveLength(here.length);
      }
    },
  );
});
