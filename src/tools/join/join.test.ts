import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { joinHub } from "./join.ts";

const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** A server with a self-signed certificate, and a home beside it. */
async function selfSigned() {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-join-"));
  const [key, cert] = [join(folder, "key"), join(folder, "cert")];
  const options = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=hub".split(
    " ",
  );
  spawnSync("openssl", [...options, "-keyout", key, "-out", cert]);
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) => {
    response.statusCode = 404;
    response.end("{}");
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (pin: string) => joinHub({ home: join(folder, "home"), url: `${url}${pin}`, code: "c" });
}

describe.skipIf(!hasOpenssl)("joining a hub with a self-signed certificate", () => {
  it.each([
    ["without its fingerprint", "", "use the whole address of the invitation, with #sha256="],
    [
      "with another fingerprint",
      `#sha256=${"0".repeat(64)}`,
      "shows another certificate than the address names",
    ],
  ])("%s is refused, and says what would be right", async (_, pin, says) => {
    const joining = await selfSigned();
    await expect(joining(pin)).rejects.toMatchObject({
      code: "not-joined",
      message: expect.stringContaining(says),
    });
  });
});
