import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { createServer } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, daemon, http, rollcall, runToEnd, temporaryHome, until } from "./product.ts";

const isRoot = process.getuid?.() === 0;
const hasNginx = spawnSync("nginx", ["-v"]).status === 0;
const NOBODY = 65534;
/** The screen, raw and drawn, the roll and the rest that only the owner may read. */
const OWNERS = [
  ...["/api/v1/agents", "/api/v1/agents/allegro/screen?how=raw", "/api/v1/agents/allegro/screen"],
  ...["/api/v1/watcher", "/api/v1/events", "/api/v1/openapi.json", "/metrics"],
];

/** One request through a socket, by a program of its own, as another user. Prints the status, or the error's code. */
const ASK_SOCKET = `require("node:http").get({ socketPath: process.argv[1], path: "/api/v1/agents", headers: { host: "localhost" } },
  (response) => { console.log(response.statusCode); process.exit() }).on("error", ({ code }) => console.log(code));`;
const ASK_TCP = `require("node:http").get(process.argv[1], (response) => { console.log(response.statusCode); process.exit() })
  .on("error", ({ code }) => console.log(code));`;

function asUser(uid: number, script: string, ...args: string[]): Promise<string> {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, ["-e", script, ...args], {
      ...{ uid, gid: uid, cwd: "/", stdio: ["ignore", "pipe", "inherit"] },
    });
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += String(chunk);
    });
    child.on("error", failed);
    child.on("close", () => done(said.trim()));
  });
}

describe("the socket in the home", () => {
  it("is the owner's alone, is taken over after kill -9, and goes with the watcher", async () => {
    const home = temporaryHome();
    const socket = join(home, "socket");
    const first = await daemon(home);
    expect(statSync(socket).mode & 0o777).toBe(0o600);
    const me = process.getuid?.() ?? 0;
    expect(await asUser(me, ASK_SOCKET, socket)).toBe("200");
    await first.end("SIGKILL");
    expect(statSync(socket).isSocket()).toBe(true);
    const second = await daemon(home);
    expect(await asUser(me, ASK_SOCKET, socket)).toBe("200");
    // A second watcher does not get as far as the socket.
    const other = await runToEnd(process.execPath, [rollcall, "up", "--listen", "127.0.0.1:0"], {
      ROLLCALL_HOME: home,
    });
    expect(other.status).toBe(1);
    expect(await asUser(me, ASK_SOCKET, socket)).toBe("200");
    // Commands need no token file: the socket is enough.
    rmSync(join(home, "token"));
    expect(await cli(home, "agents", "add", "allegro", "--every", "1h")).toMatchObject({ status: 0 });
    await second.end("SIGTERM");
    expect(() => statSync(socket)).toThrow("ENOENT");
  });

  it("works in a home whose path is longer than the kernel takes for a socket", async () => {
    const home = join(temporaryHome(), "x".repeat(100), "y".repeat(100));
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const running = await daemon(home);
    expect(statSync(join(home, "socket")).mode & 0o777).toBe(0o600);
    rmSync(join(home, "token"));
    expect(await cli(home, "agents", "add", "allegro", "--every", "1h")).toMatchObject({ status: 0 });
    await running.end("SIGTERM");
    expect(() => statSync(join(home, "socket"))).toThrow("ENOENT");
  });

  it(`another user gets EACCES there, and no answer by TCP${isRoot ? "" : " (skipped: needs root)"}`, async (context) => {
    if (!isRoot) return context.skip("only root can become another user");
    const home = temporaryHome();
    const { url } = await daemon(home);
    await cli(home, "agents", "add", "allegro", "--every", "1h");
    expect(await asUser(NOBODY, ASK_SOCKET, join(home, "socket"))).toBe("EACCES");
    // The socket's own permissions hold as well, where the folder's were taken away.
    spawnSync("chmod", ["0755", home]);
    expect(await asUser(NOBODY, ASK_SOCKET, join(home, "socket"))).toBe("EACCES");
    for (const path of OWNERS)
      expect([path, await asUser(NOBODY, ASK_TCP, `${url}${path}`)]).toEqual([path, "401"]);
    expect(await asUser(NOBODY, ASK_TCP, `${url}/healthz`)).toBe("200");
  });
});

describe("rollcall open", () => {
  it("prints an address that signs one browser in, as up does, and says when no watcher runs", async () => {
    const home = temporaryHome();
    expect(await cli(home, "open", "--print")).toMatchObject({
      ...{ status: 1, stderr: expect.stringContaining("no watcher is running") },
    });
    const { url, said } = await daemon(home);
    const banner = await until(
      () => /http:\S+\/sign-in\?code=\w+/.exec(said())?.[0],
      (found) => found !== undefined,
    );
    const made = await cli(home, "open", "--print");
    expect(made).toMatchObject({ status: 0, stderr: expect.stringContaining("60 s") });
    for (const signIn of [String(banner), made.stdout.trim()]) {
      expect(signIn).toContain(`${url}/sign-in?code=`);
      expect((await http(signIn)).status).toBe(303);
      expect((await http(signIn)).status).toBe(401);
    }
    const json = await cli(home, "open", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({ url: expect.stringContaining("/sign-in?code=") });
    // A program that opens addresses gets the address; where it fails, the address is printed.
    const bin = mkdtempSync(join(tmpdir(), "rollcall-bin-"));
    onTestFinished(() => rmSync(bin, { recursive: true, force: true }));
    writeFileSync(join(bin, "xdg-open"), `#!/bin/sh\nprintf %s "$1" > "${bin}/opened"\n`, { mode: 0o755 });
    const env = { ROLLCALL_HOME: home, DISPLAY: ":99", PATH: `${bin}:${process.env.PATH}` };
    expect(await runToEnd(process.execPath, [rollcall, "open"], env)).toMatchObject({
      ...{ status: 0, stdout: expect.stringContaining("Opened") },
    });
    expect(readFileSync(join(bin, "opened"), "utf8")).toContain("/sign-in?code=");
    writeFileSync(join(bin, "xdg-open"), "#!/bin/sh\nexit 3\n", { mode: 0o755 });
    expect(await runToEnd(process.execPath, [rollcall, "open"], env)).toMatchObject({
      ...{ status: 0, stdout: expect.stringContaining("/sign-in?code=") },
    });
  });
});

/** An address of this machine that is not loopback's, where there is one: what asks there could be on another machine. */
const address =
  Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === "IPv4" && !internal)?.address ?? "127.0.0.1";

/** A free port; another program could take it, but none here does. */
function freePort(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, address, () => {
      const { port } = server.address() as { port: number };
      server.close(() => done(port));
    });
  });
}

/** A real nginx with these directives in its only location. */
async function nginx(location: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-nginx-"));
  const port = await freePort();
  writeFileSync(
    join(folder, "nginx.conf"),
    `daemon off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http {
  access_log off;
  client_body_temp_path ${folder}; proxy_temp_path ${folder}; fastcgi_temp_path ${folder};
  uwsgi_temp_path ${folder}; scgi_temp_path ${folder};
  server { listen ${address}:${port}; location / { ${location} } }
}
`,
  );
  const child = spawn("nginx", ["-p", folder, "-c", join(folder, "nginx.conf")], { stdio: "ignore" });
  const gone = new Promise((done) => child.once("exit", done));
  onTestFinished(async () => {
    child.kill("SIGQUIT");
    await gone;
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://${address}:${port}`;
  await until(
    () =>
      new Promise<boolean>((done) =>
        request(`${url}/healthz`, (response) => {
          response.resume();
          done(true);
        })
          .on("error", () => done(false))
          .end(),
      ),
    (answers) => answers,
  );
  return url;
}

describe(`behind a real nginx${hasNginx ? "" : " (skipped: there is no nginx here)"}`, () => {
  it("with proxy_pass and nothing else, no address but beats and the way in is answered without a token", async (context) => {
    if (!hasNginx) return context.skip("there is no nginx here");
    const home = temporaryHome();
    const { url } = await daemon(home);
    await cli(home, "agents", "add", "allegro", "--every", "1h");
    const token = readFileSync(join(home, "token"), "utf8").trim();
    const proxy = await nginx(`proxy_pass ${url};`);
    const headers = { authorization: `Bearer ${token}` };
    for (const path of OWNERS)
      expect([path, (await http(`${proxy}${path}`, { headers: {} })).status]).toEqual([path, 401]);
    expect((await http(`${proxy}/api/v1/agents`, { headers })).status).toBe(200);
    // nginx passes on nothing that tells it from a program here: such beats come in, marked, or not at all.
    expect((await http(`${proxy}/beat/allegro`)).status).toBe(200);
    const { beats } = (await http(`${url}/api/v1/agents/allegro/beats`)).json() as {
      beats: { unproven?: true }[];
    };
    expect(beats).toMatchObject([{ unproven: true }]);
    writeFileSync(join(home, "rollcall.yaml"), "access: { unprovenBeats: false }\n");
    expect(await cli(home, "daemon", "reload")).toMatchObject({ status: 0 });
    expect((await http(`${proxy}/beat/allegro`)).status).toBe(401);
    expect((await http(`${url}/beat/allegro`)).status).toBe(401);
    expect((await http(`${proxy}/beat/allegro`, { headers })).status).toBe(200);
  });

  it("as docs/access.md says, a person signs in through it and changes things", async (context) => {
    if (!hasNginx) return context.skip("there is no nginx here");
    const page = readFileSync(new URL("../docs/access.md", import.meta.url), "utf8");
    const written = /location \/ \{\n(.*?)\n\s*\}/s.exec(page)?.[1] ?? "";
    expect(written).toContain("proxy_pass http://127.0.0.1:7766;");
    const home = temporaryHome("hosts: [roll.example]\n");
    const { url } = await daemon(home);
    const proxy = await nginx(written.replace("http://127.0.0.1:7766", url));
    const token = readFileSync(join(home, "token"), "utf8").trim();
    const host = "roll.example";
    const origin = "http://roll.example";
    expect((await http(`${proxy}/beat/allegro`, { headers: { host } })).status).toBe(401);
    const signedIn = await new Promise<string>((done, failed) => {
      const sent = request(
        `${proxy}/api/v1/session`,
        { method: "POST", headers: { host, origin } },
        (response) => {
          response.resume();
          done(String(response.headers["set-cookie"]));
        },
      );
      sent.on("error", failed);
      sent.end(JSON.stringify({ token }));
    });
    const cookie = signedIn.split(";")[0] ?? "";
    const add = (from: string) =>
      http(`${proxy}/api/v1/agents`, {
        ...{ method: "POST", body: '{"id":"new-one"}', headers: { host, origin: from, cookie } },
      });
    expect((await add("http://evil.example")).status).toBe(403);
    expect((await add(origin)).status).toBe(204);
  });
});
