import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { configSchema } from "../src/config/schema.ts";
import { VERSION } from "../src/system/version.ts";
import { cli, root, temporaryHome } from "./product.ts";

// Nothing here starts a container: these tests read the files and check that they agree with each other.
const folder = join(root, "examples/hubs");
const read = (name: string) => readFileSync(join(folder, name), "utf8");

interface Service {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly volumes?: readonly string[];
  readonly secrets?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly ports?: readonly string[];
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  readonly volumes: Readonly<Record<string, object>>;
}
const compose = parse(read("compose.yaml"), { merge: true }) as Compose;
const { services } = compose;

/** The instructions of a Containerfile, with continued lines joined. */
function instructions(): readonly (readonly [word: string, rest: string])[] {
  return read("Containerfile")
    .replace(/^#.*$/gm, "")
    .replace(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, word = line, rest = ""] = /^([A-Z]+) (.+)$/.exec(line) ?? [];
      return [word, rest] as const;
    });
}
const last = (word: string) => instructions().findLast(([each]) => each === word)?.[1] ?? "";

test("the Containerfile has known instructions, a fixed base, an ordinary user and commands without a shell", () => {
  const known = "FROM ARG RUN ENV VOLUME USER EXPOSE HEALTHCHECK STOPSIGNAL ENTRYPOINT CMD".split(" ");
  for (const [word, rest] of instructions()) {
    expect(known).toContain(word);
    if (word === "FROM") expect(rest).toMatch(/^[a-z]+:\d+\.\d+-\w+/);
  }
  expect(instructions()[0]?.[0]).toBe("FROM");
  expect(last("USER")).toBe("node");
  expect(last("ARG")).toBe(`ROLLCALL_VERSION=${VERSION}`);
  for (const word of ["ENTRYPOINT", "CMD", "VOLUME"]) expect(JSON.parse(last(word))).toBeInstanceOf(Array);
  const check = JSON.parse(last("HEALTHCHECK").replace(/^.*CMD /, "")) as string[];
  expect(spawnSync(process.execPath, ["--check", "-"], { input: check[2] ?? "" }).status).toBe(0);
});

test("the command of the Containerfile is one that Rollcall has", async () => {
  const [command = "", ...options] = JSON.parse(last("CMD")) as string[];
  const { stdout } = await cli(temporaryHome(), command, "--help");
  for (const option of options.filter((word) => word.startsWith("-"))) expect(stdout).toContain(option);
});

test("what compose.yaml names is there, and versions of images are fixed", () => {
  for (const [name, service] of Object.entries(services)) {
    const { image, depends_on = [], volumes = [], secrets = [], configs = [] } = service;
    expect(image, name).toMatch(/:\d+\.\d+/);
    for (const other of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
      expect(services).toHaveProperty([String(other)]);
    for (const volume of volumes) expect(compose.volumes).toHaveProperty([volume.split(":")[0] ?? ""]);
    for (const secret of secrets) expect(compose.secrets).toHaveProperty([secret]);
    for (const { source } of configs) expect(compose.configs).toHaveProperty([source]);
  }
  for (const { file } of Object.values(compose.configs))
    expect(existsSync(join(folder, file)), file).toBe(true);
  const hubs = Object.values(services).filter(({ build }) => build !== undefined);
  expect(hubs).toHaveLength(2);
  for (const { build, image } of hubs) {
    expect(existsSync(join(folder, build?.context ?? "", build?.dockerfile ?? ""))).toBe(true);
    expect(image).toBe(`rollcall:${VERSION}`);
  }
  expect(new Set(hubs.flatMap(({ volumes = [] }) => volumes)).size).toBe(2);
});

test("the hubs' config is valid, and names secrets that the containers have", () => {
  const config = configSchema.parse(parse(read("rollcall.yaml")));
  expect(config).toMatchObject({ hub: { serve: true }, store: { urlFile: "/run/secrets/store-url" } });
  const { secrets = [], configs = [] } = services["hub-1"] ?? {};
  for (const [, secret] of read("rollcall.yaml").matchAll(/\/run\/secrets\/([\w-]+)/g))
    expect(secrets).toContain(secret);
  expect(last("CMD")).toContain(configs[0]?.target);
});

test("the balancer sends to both hubs, at the port at which they listen", () => {
  const servers = [...read("haproxy.cfg").matchAll(/^ +server (\S+) (\S+):(\d+)/gm)];
  expect(servers.map(([, name]) => name)).toEqual(["hub-1", "hub-2"]);
  for (const [, , service = "", port] of servers) {
    expect(services).toHaveProperty([service]);
    expect(last("EXPOSE")).toBe(port);
  }
  const [bound] = /(?<=bind :)\d+/.exec(read("haproxy.cfg")) ?? [];
  expect(services.balancer?.ports?.[0]?.split(":")[1]).toBe(bound);
  expect(read("rollcall.yaml")).toContain(`listen: 0.0.0.0:${last("EXPOSE")}`);
});

test("the unit has the settings that Rollcall's own has, and systemd accepts it", (context) => {
  const unit = read("rollcall-hub.service");
  for (const line of ["Type=notify", "NotifyAccess=all", "ExecReload=/bin/kill -HUP $MAINPID"])
    expect(unit).toContain(`${line}\n`);
  const { status, error, stderr } = spawnSync("systemd-analyze", [
    "verify",
    join(folder, "rollcall-hub.service"),
  ]);
  if (error !== undefined) return context.skip("systemd-analyze is not installed");
  expect(String(stderr)).toBe("");
  expect(status).toBe(0);
});
