import { expect, test } from "vitest";
import { dispatch } from "../ports/channel.contract.ts";
import { opened } from "./kit/secrets.fixture.ts";
import { openChannel } from "./registry.ts";
import { channelSettings } from "./settings.ts";

const email = { kind: "email", from: "a@x.org", to: "b@x.org" };
const unset = (name: string) =>
  `channel ops: ${name} is not set: put the secret into this environment variable of the daemon`;
const unread = "channel ops: /s cannot be read (ENOENT): put the secret into this file";

test.each([
  [{ kind: "telegram", chat: 1 }, unset("TELEGRAM_BOT_TOKEN")],
  [{ kind: "telegram", chat: 1, tokenEnv: "T" }, unset("T")],
  [{ kind: "telegram", chat: 1, tokenFile: "/s" }, unread],
  [{ kind: "slack", urlEnv: "S" }, unset("S")],
  [{ kind: "slack", urlFile: "/s" }, unread],
  [{ kind: "discord", urlEnv: "D" }, unset("D")],
  [{ kind: "ntfy", topic: "t", tokenEnv: "N" }, unset("N")],
  [{ kind: "webhook", url: "http://127.0.0.1:1", secretEnv: "W" }, unset("W")],
  [{ kind: "webhook", urlEnv: "U", secretEnv: "W" }, unset("U")],
  [{ ...email, urlEnv: "M" }, unset("M")],
  [{ ...email, host: "h", user: "u", passwordFile: "/s" }, unread],
])("%j without its secret opens, and says what is missing", async (settings, problem) => {
  const channel = opened(settings);
  expect(channel.kind).toBe(settings.kind);
  expect(await channel.send(dispatch())).toEqual({ outcome: "retry", problem });
});

test("a file with a secret that hangs does not hold an attempt beyond its time", async () => {
  const settings = channelSettings.parse({ kind: "slack", urlFile: "/fifo" });
  const channel = openChannel("ops", settings, { env: {}, readFile: () => new Promise(() => {}) });
  const abort = new AbortController();
  const sending = channel.send(dispatch({ abort: abort.signal }));
  abort.abort();
  expect(await sending).toMatchObject({ outcome: "retry" });
});

test("the console is the daemon's own output", () => {
  expect(opened({ kind: "console" }).kind).toBe("console");
});
