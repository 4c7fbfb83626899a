import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { HOME_TOKEN, madeUpWeb, withToken } from "../../../test/made-up-web.ts";
import { type Access, allows, type Need } from "../../core/access/token.ts";
import type { Api } from "../api/api.ts";
import { PAGES, PLAIN } from "../api/plain.ts";
import { routesOf } from "../api/routes.ts";
import type { Authenticator } from "./authenticator.ts";

interface Row {
  readonly method: string;
  readonly path: string;
  readonly need: Need | "secret address";
}

/** Every address that the server answers, with what it needs: from the tables that the server itself goes by. */
const ROWS: readonly Row[] = [
  ...[...Object.values(PLAIN), PAGES].flatMap(({ methods, path, need }) =>
    methods.map((method) => ({ method, path, need })),
  ),
  ...routesOf({ watcher: {}, store: {}, keys: {} } as Api, {} as Authenticator),
];

/** Where a request comes from and what it shows, and what that makes of its sender. */
const COLUMNS: readonly (readonly [string, Access | "refused"])[] = [
  ["loopback", "local"],
  ["proxy", "nobody"],
  ["other host", "nobody"],
  ["other uid, socket", "refused"],
  ["`beat`", "beat"],
  ["`hook`", "hook"],
  ["`read`", "read"],
  ["`host`", "host"],
  ["`admin`, home token, own socket", "admin"],
];

function may(standing: Access | "refused", need: Row["need"]): boolean {
  if (standing === "refused") return false;
  return need === "secret address" || allows(standing, need);
}

it("docs/access.md shows what each address needs, and from where it is answered", () => {
  const byNeed = new Map<string, Row & { methods: string[] }>();
  for (const { method, path, need } of ROWS) {
    const key = `${path} ${need}`;
    const known = byNeed.get(key);
    if (known === undefined) byNeed.set(key, { method, path, need, methods: [method] });
    else known.methods.push(method);
  }
  const table = [
    `| address | needs | ${COLUMNS.map(([name]) => name).join(" | ")} |`,
    `|---|---|${"---|".repeat(COLUMNS.length)}`,
    ...[...byNeed.values()].map(({ methods, path, need }) => {
      const cells = COLUMNS.map(([, standing]) => (may(standing, need) ? "yes" : "–"));
      const address = path.startsWith("/ ") ? path : `\`${path}\``;
      return `| ${methods.join(", ")} ${address} | ${need} | ${cells.join(" | ")} |`;
    }),
  ].join("\n");
  const page = readFileSync(new URL("../../../docs/access.md", import.meta.url), "utf8");
  const shown = /^\| address \| needs \|.*?(?=\n\n)/ms.exec(page)?.[0];
  expect(shown).toBe(table);
});

/** The status, as soon as it is there: a stream would not end. */
function statusOf(
  to: object,
  method: string,
  path: string,
  headers: Record<string, string>,
): Promise<number> {
  return new Promise((done, failed) => {
    const sent = request({ ...to, method, path, headers }, (response) => {
      done(response.statusCode ?? 0);
      response.destroy();
    });
    sent.on("error", failed);
    sent.end(method === "POST" ? "{}" : undefined);
  });
}

it("every address answers whom it should, from everywhere, and nobody else", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-socket-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const socket = join(folder, "socket");
  const { store, secret: beat } = await withToken("beat");
  const { secret: read } = await withToken("read", {}, store);
  const { secret: host } = await withToken("host", { host: "web1" }, store);
  const { secret: admin } = await withToken("admin", {}, store);
  const { url, clock } = await madeUpWeb({ host: "0.0.0.0", store, socket });
  const port = Number(new URL(url).port);
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((each) => each?.family === "IPv4" && !each.internal)?.address;
  const loopback = { host: "127.0.0.1", port };
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const ways: readonly (readonly [string, Access, object, Record<string, string>])[] = [
    ["loopback", "local", loopback, {}],
    ["a proxy on loopback", "nobody", loopback, { via: "1.1 proxy" }],
    // Without a network there is no address that counts as another host's.
    ...(outside === undefined ? [] : [["another host", "nobody", { host: outside, port }, {}] as const]),
    ["the socket", "admin", { socketPath: socket }, { host: "localhost" }],
    ["a proxy before the socket", "nobody", { socketPath: socket }, { host: "localhost", via: "1.1 proxy" }],
    ["a beat token", "beat", loopback, bearer(beat)],
    ["a beat token by a proxy", "beat", loopback, { ...bearer(beat), via: "1.1 proxy" }],
    ["a read token", "read", loopback, bearer(read)],
    ["a host's token", "host", loopback, bearer(host)],
    ["an admin token", "admin", loopback, bearer(admin)],
    ["the home's token by a proxy", "admin", loopback, { ...bearer(HOME_TOKEN), via: "1.1 proxy" }],
  ];
  const wrong: string[] = [];
  for (const { method, path, need } of ROWS) {
    for (const [from, standing, to, headers] of ways) {
      // Time passes, so that none of them asks too often.
      clock.move(1000);
      const asked = path.replace(/^\/ .*/, "/").replace(/\{\w+\}/g, "x");
      const status = await statusOf(to, method, asked, headers);
      // A code that is none is refused with 401 as well; nothing else that needs nothing is.
      const answered = (status !== 401 && status !== 403) || path === PLAIN.signIn.path;
      if (answered !== may(standing, need) || status === 429)
        wrong.push(`${from}: ${method} ${path} is answered with ${status}`);
    }
  }
  expect(wrong).toEqual([]);
});
