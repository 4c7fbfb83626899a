import { spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import {
  type Case,
  type ChannelUnderTest,
  channelContract,
  dispatch,
  HOSTILE,
  KEY,
  UNSEEN,
} from "../../ports/channel.contract.ts";
import { opened } from "../kit/secrets.fixture.ts";

interface Under extends ChannelUnderTest {
  readonly folder: string;
}

/** A notify-send that keeps its arguments and does as it is told. */
const does = (name: string, script: string): Case<Under> => ({
  name,
  far: ({ folder }) => writeFileSync(join(folder, "script"), script),
});

function machine() {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-desktop-"));
  mkdirSync(join(folder, "bin"));
  const program = join(folder, "bin/notify-send");
  writeFileSync(
    program,
    `#!/bin/sh\n{ printf '%s\\037' "$@"; printf '\\036'; } >> ${folder}/heard\n. ${folder}/script\n`,
  );
  chmodSync(program, 0o755);
  writeFileSync(join(folder, "script"), "exit 0\n");
  const env = { PATH: `${join(folder, "bin")}${delimiter}${process.env.PATH}`, TMUX_TMPDIR: folder };
  const file = join(folder, "heard");
  const heard = () => (existsSync(file) ? readFileSync(file, "utf8").split("\u001e").slice(0, -1) : []);
  return { folder, env, heard, cleanUp: () => rmSync(folder, { recursive: true }) };
}

channelContract<Under>(
  "desktop",
  () => {
    const { folder, env, heard, cleanUp } = machine();
    return { folder, channel: opened({ kind: "desktop" }, env), secrets: [], heard, cleanUp };
  },
  {
    sent: [does("shows it", "exit 0"), does("shows it and complains", "echo oh >&2")],
    retry: [does("finds no desktop and nobody is in tmux", "echo 'Cannot autolaunch D-Bus' >&2; exit 1")],
    refused: [],
    harmless({ heard }) {
      const [, urgency, hint, , title = "", body = ""] = heard()[0]?.split("\u001f") ?? [];
      expect({ urgency, hint }).toEqual({
        urgency: "--urgency=critical",
        hint: `--hint=string:x-rollcall-key:${KEY}`,
      });
      expect(title.length + body.length).toBeLessThanOrEqual(1200);
      expect(`${title}${body}`).not.toMatch(UNSEEN);
      expect(body).not.toContain("<script>");
    },
  },
);

const hasTmux = spawnSync("tmux", ["-V"]).status === 0;

test.skipIf(!hasTmux)(
  "without a desktop the terminals that are attached to tmux are told, and ring",
  async () => {
    const { folder, env, cleanUp } = machine();
    writeFileSync(join(folder, "script"), "exit 1\n");
    const ask = (server: string, ...args: string[]) =>
      spawnSync("tmux", ["-f", "/dev/null", "-L", server, ...args], {
        encoding: "utf8",
        env: { ...process.env, ...env, TMUX: "" },
      });
    onTestFinished(() => {
      for (const server of ["inner", "outer"]) ask(server, "kill-server");
      cleanUp();
    });
    // A pane of one server is the terminal of a client of the other.
    ask("inner", "new-session", "-d", "-s", "work", "cat");
    ask("outer", "new-session", "-d", "-s", "terminal", "sh -c 'TMUX= tmux -L inner attach'");
    ask("outer", "pipe-pane", "-t", "terminal", `cat >> ${folder}/terminal`);
    await expect.poll(() => ask("inner", "list-clients").stdout, { timeout: 30_000 }).toContain("work");
    const channel = opened({ kind: "desktop" }, env);
    expect(await channel.send(dispatch())).toEqual({ outcome: "sent" });
    const seen = () => readFileSync(join(folder, "terminal"), "utf8");
    await expect
      .poll(seen, { timeout: 30_000 })
      .toContain("\u001b]9;Rollcall: builder is stalled\u001b\\\u0007");
    // Whatever an agent calls itself ends within its own sequence.
    await channel.send(dispatch({ message: HOSTILE }));
    await expect
      .poll(seen, { timeout: 30_000 })
      .toMatch(/\]9;Rollcall: builder @everyone[^\u0000-\u001f]*\u001b\\/);
  },
);
