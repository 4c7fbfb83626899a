import { existsSync, mkdtempSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type Case,
  type ChannelUnderTest,
  channelContract,
  dispatch,
  KEY,
  ORDINARY,
} from "../../ports/channel.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

const TOKEN = "t0ken-of-another-channel";

interface Under extends ChannelUnderTest {
  readonly folder: string;
}

const newFolder = () => mkdtempSync(join(tmpdir(), "rollcall-command-"));
const env = () => ({ PATH: process.env.PATH, OTHER_TOKEN: TOKEN });

/** The far side is a script that keeps what it was told. Told ones are separated by a character that no text holds. */
const does = (name: string, script: string): Case<Under> => ({
  name,
  far: ({ folder }) => {
    writeFileSync(join(folder, "script"), script);
  },
});

const files = (folder: string) => join(folder, "heard");

async function appears(folder: string, file: string): Promise<void> {
  const watcher = watch(folder);
  await new Promise<void>((resolve) => {
    const look = () => existsSync(join(folder, file)) && resolve();
    watcher.on("change", look);
    look();
  });
  watcher.close();
}

channelContract<Under>(
  "command",
  () => {
    const folder = newFolder();
    const script = 'cd "$1"; { cat; printf "\\036"; } >> heard; env -0 > env; . ./script';
    return {
      folder,
      channel: opened({ kind: "command", argv: ["sh", "-c", script, "sh", folder] }, env()),
      secrets: [TOKEN],
      heard: () =>
        existsSync(files(folder)) ? readFileSync(files(folder), "utf8").split("\u001e").slice(0, -1) : [],
      cleanUp: () => rmSync(folder, { recursive: true }),
    };
  },
  {
    sent: [does("ends with 0", "exit 0"), does("ends with 0 and complains", "echo oh >&2")],
    retry: [
      does("ends with 75", "exit 75"),
      does("is killed", "kill -9 $$"),
      does("ends with 75 and tells its environment", "env >&2; exit 75"),
    ],
    refused: [
      {
        ...does("ends with 1", "printf 'no \\033[31mroute\\n' >&2; exit 1"),
        says: "ended with exit 1 (exit 75 would ask",
      },
      { ...does("ends with 2 and tells its environment", "env >&2; exit 2"), says: "sh ended with exit 2" },
    ],
    hang: {
      ...does("never ends", "touch reached; exec sleep 600"),
      reached: ({ folder }) => appears(folder, "reached"),
    },
    harmless({ folder, heard }) {
      const { version, key, message } = JSON.parse(heard()[0] ?? "{}");
      expect({ version, key, data: message.data }).toEqual({
        version: 1,
        key: KEY,
        data: { agent: "builder", state: "dead" },
      });
      expect(heard()[0]).not.toMatch(/\\u00|\u001b|\\n/);
      const variables = readFileSync(join(folder, "env"), "utf8").split("\0");
      const title = variables.find((line) => line.startsWith("ROLLCALL_TITLE=")) ?? "";
      expect(title).toContain("builder @everyone");
      expect(title.length).toBeLessThan(1100);
      expect(title).not.toMatch(/[\u0000-\u001f]/);
    },
  },
);

test("a program learns what it needs from its environment, and the rest from its input", async () => {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = 'cat > "$1/in"; env | grep ^ROLLCALL_ | sort > "$1/env"';
  const channel = opened({ kind: "command", argv: ["sh", "-c", script, "sh", folder] }, env());
  expect(await channel.send(dispatch({ attempt: 3 }))).toEqual({ outcome: "sent" });
  expect(JSON.parse(readFileSync(join(folder, "in"), "utf8")).message).toEqual(ORDINARY);
  expect(readFileSync(join(folder, "env"), "utf8").trim().split("\n")).toEqual([
    "ROLLCALL_AT=2026-03-01T12:00:00.000Z",
    "ROLLCALL_ATTEMPT=3",
    `ROLLCALL_KEY=${KEY}`,
    "ROLLCALL_SEVERITY=warning",
    "ROLLCALL_TITLE=builder is stalled",
  ]);
});

test("a program gets the variables that the config names, no other secret, and repeats none of them", async () => {
  const script = 'echo "$MODE:$MY_TOKEN:$OTHER_TOKEN:end" >&2; exit 1';
  const settings = { env: { MODE: "x" }, passEnv: ["MY_TOKEN"], argv: ["sh", "-c", script] };
  const channel = opened({ kind: "command", ...settings }, { ...env(), MY_TOKEN: "my-t0ken" });
  expect(await channel.send(dispatch())).toMatchObject({ problem: expect.stringContaining(": x:…::end") });
});

test.each([
  { argv: ["/no/such/program"], outcome: "refused", problem: "program cannot be run (ENOENT); check argv" },
  { argv: ["/tmp", "s3cret"], outcome: "refused", problem: "tmp cannot be run (EACCES); check argv" },
  // It reads nothing of what it is told, and no shell makes anything of its arguments.
  { argv: ["true", "; exit 1", "$(exit 1)"], outcome: "sent" },
  {
    argv: ["false"],
    outcome: "refused",
    problem: "false ended with exit 1 (exit 75 would ask for another attempt)",
  },
])("$argv comes to $outcome", async ({ argv, ...receipt }) => {
  expect(await opened({ kind: "command", argv }, env()).send(dispatch())).toEqual(receipt);
});

test("with its time the whole group of processes ends", async () => {
  const folder = newFolder();
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = 'sleep 600 & echo $! > "$1/pid"; touch "$1/started"; wait';
  const abort = new AbortController();
  const channel = opened({ kind: "command", argv: ["sh", "-c", script, "sh", folder] }, env());
  const sending = channel.send(dispatch({ abort: abort.signal }));
  await appears(folder, "started");
  abort.abort();
  expect(await sending).toMatchObject({
    outcome: "retry",
    problem: expect.stringContaining("stopped before an answer"),
  });
  const pid = readFileSync(join(folder, "pid"), "utf8").trim();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test("a program that leaves somebody behind is not waited for any longer", async () => {
  const folder = newFolder();
  onTestFinished(() => {
    process.kill(Number(readFileSync(join(folder, "pid"), "utf8")));
    rmSync(folder, { recursive: true });
  });
  const script = 'sleep 600 & echo $! > "$1/pid"; exit 0';
  const channel = opened({ kind: "command", argv: ["sh", "-c", script, "sh", folder] }, env());
  expect(await channel.send(dispatch())).toEqual({ outcome: "sent" });
});

/** A process that has ended and that nobody has asked about is not running. */
function isRunning(pid: string): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
