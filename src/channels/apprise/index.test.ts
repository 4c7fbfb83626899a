import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { dispatch, KEY, UNSEEN } from "../../ports/channel.contract.ts";
import { FakeService, httpChannelContract } from "../../ports/fake-service.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";
import { channelSettings } from "../settings.ts";

const SECRET = "s3cret-key-of-the-fleet";
const open = (url: string) => opened({ kind: "apprise", url, keyEnv: "APPRISE" }, { APPRISE: SECRET });

httpChannelContract("apprise", {
  open,
  secrets: [SECRET],
  good: [200, '{"error":null}'],
  complaint: (error) => JSON.stringify({ error }),
  knowsGood: false,
  says: { 404: "404: check the key in APPRISE", 403: "403: Apprise refused it" },
  harmless({ url, body }) {
    expect(url).toBe(`/notify/${SECRET}`);
    const { title, body: text, type, format } = JSON.parse(body);
    expect({ type, format }).toEqual({ type: "failure", format: "text" });
    expect(title.length).toBeLessThanOrEqual(200);
    expect(text.length).toBeLessThanOrEqual(1900);
    expect(`${title}${text}`).not.toMatch(UNSEEN);
    expect(title).not.toContain("@everyone");
  },
});

test("a key that the server does not know, and services that it cannot reach, are told as such", async () => {
  const fake = new FakeService();
  onTestFinished(() => fake.stop());
  const channel = open(await fake.start());
  fake.answer = (response) => response.writeHead(204).end();
  expect(await channel.send(dispatch())).toEqual({
    outcome: "refused",
    problem: "204: Apprise keeps nothing under the key in APPRISE",
  });
  fake.answer = (response) => response.writeHead(424).end("{}");
  expect(await channel.send(dispatch())).toMatchObject({
    problem: expect.stringContaining("its log says which"),
  });
});

test("the command gets the text on its input, and its config file by name", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-apprise-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = join(folder, "apprise");
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${folder}/args; cat > ${folder}/body\n[ ! -e ${folder}/bad ] || { echo no route >&2; exit 1; }\n`,
  );
  chmodSync(program, 0o755);
  const env = { PATH: `${folder}:/usr/bin:/bin`, OTHER_TOKEN: "x" };
  const channel = opened({ kind: "apprise", config: "/etc/apprise.yml" }, env);
  expect(await channel.send(dispatch())).toEqual({ outcome: "sent" });
  expect(readFileSync(join(folder, "args"), "utf8").split("\n").slice(0, 6)).toEqual([
    ...["--config", "/etc/apprise.yml", "--title", "builder is stalled"],
    ...["--notification-type", "warning"],
  ]);
  expect(readFileSync(join(folder, "body"), "utf8")).toContain(`ref ${KEY}`);
  writeFileSync(join(folder, "bad"), "");
  expect(await channel.send(dispatch())).toEqual({
    outcome: "refused",
    problem: "apprise ended with exit 1; check /etc/apprise.yml: no route",
  });
  const none = opened({ kind: "apprise", config: "/x" }, { PATH: "/nowhere" });
  expect(await none.send(dispatch())).toMatchObject({
    outcome: "refused",
    problem: expect.stringContaining("install it"),
  });
});

test.each([{}, { url: "http://a", config: "/x" }, { url: "http://a" }])("%j is refused", (more) => {
  expect(channelSettings.safeParse({ kind: "apprise", ...more }).success).toBe(false);
});
