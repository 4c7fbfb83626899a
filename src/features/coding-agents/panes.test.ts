import { expect, test } from "vitest";
import type { Proc, ProcessStat } from "../../system/proc.ts";
import { parsePanes } from "../../system/tmux-pane.ts";
import { agentPanes } from "./clients.ts";

/** Panes as tmux lists them: id, pid, session, window, index, command, and whether its program has ended. */
const listed = (
  ...panes: readonly (readonly [
    id: string,
    pid: number,
    session: string,
    window: number,
    index: number,
    command: string,
    dead?: 1,
  ])[]
) =>
  parsePanes(
    panes
      .map(([id, pid, session, window, index, command, dead]) =>
        [
          ...[
            id,
            pid,
            "1$0",
            window,
            1,
            index,
            1,
            dead ?? 0,
            dead ? 0 : "",
            "",
            "",
            1000,
            0,
            0,
            1,
            0,
            0,
            80,
            24,
            0,
            0,
          ],
          ...["/dev/pts/1", "host", session, "name", command, "/src", "title"],
        ].join("|"),
      )
      .join("\n"),
  );

/** Command lines by pid, and who is below whom. */
function proc(commands: Record<number, string[]>, below: Record<number, number[]> = {}): Proc {
  const descendants = (pid: number) =>
    (below[pid] ?? []).map((child) => ({ life: { pid: child } }) as ProcessStat);
  return { command: (pid: number) => commands[pid] ?? [], descendants } as Partial<Proc> as Proc;
}

test("an agent is told by its pane's command, by its process, and by what runs below a shell", () => {
  const panes = listed(
    ["%0", 10, "a", 0, 0, "claude"],
    ["%1", 11, "b", 0, 0, "node"],
    ["%2", 12, "c", 0, 0, "node"],
    ["%3", 13, "d", 0, 0, "vim"],
    ["%4", 14, "e", 0, 0, "claude", 1],
  );
  const commands = {
    11: ["node", "/usr/bin/gemini"],
    12: ["bash"],
    20: ["npm", "exec"],
    21: ["node", "/x/bin/qwen"],
  };
  const found = agentPanes({}, panes, proc(commands, { 12: [20, 21] }));
  expect(found.map(({ client, settings }) => [client, settings])).toEqual([
    ["claude-code", { session: "a" }],
    ["gemini-cli", { session: "b" }],
    ["qwen-code", { session: "c" }],
  ]);
});

test("where a session has several panes, each is named by its place, and its server with it", () => {
  const panes = listed(["%0", 10, "work", 0, 0, "codex"], ["%1", 11, "work", 2, 1, "aider"]);
  const found = agentPanes({ socket: "side" }, panes, proc({}));
  expect(found.map(({ name, settings }) => [name, settings])).toEqual([
    ["work-0-0", { target: "work:0.0", socket: "side" }],
    ["work-2-1", { target: "work:2.1", socket: "side" }],
  ]);
});
