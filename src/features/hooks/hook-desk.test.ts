import { expect, it } from "vitest";
import type { Agent } from "../../core/agent.ts";
import type { HookClient } from "../../core/hook/event.ts";
import type { Observation } from "../../core/liveness/observation.ts";
import type { Proc, ProcessStat } from "../../system/proc.ts";
import { parsePanes } from "../../system/tmux-pane.ts";
import type { SignalFindings } from "../../watch/intent.ts";
import { HookDesk } from "./hook-desk.ts";
import type { WhoseDeps } from "./whose.ts";

const T = Date.UTC(2026, 2, 29, 1);

/** Processes by their pid: what they run, who started them, and where they work. */
type Table = Record<
  number,
  { readonly argv: readonly string[]; readonly parent: number; readonly cwd?: string }
>;

const lifeOf = (pid: number) => ({ pid, startTime: String(pid), bootId: "b" });

function procOf(table: Table): Proc {
  const stat = (pid: number) => {
    const found = table[pid];
    return found === undefined ? undefined : ({ life: lifeOf(pid), parent: found.parent } as ProcessStat);
  };
  return {
    readable: () => true,
    stat,
    isAlive: ({ pid }) => pid in table,
    ended: () => undefined,
    isHidden: () => false,
    startedAt: () => undefined,
    command: (pid) => table[pid]?.argv ?? [],
    folder: (pid) => table[pid]?.cwd,
    commands: () => new Map(Object.entries(table).map(([pid, { argv }]) => [Number(pid), argv.join(" ")])),
    hasChildren: () => false,
    descendants: (pid) =>
      Object.entries(table).flatMap(([child, { parent }]) =>
        parent === pid ? (stat(Number(child)) ?? []) : [],
      ),
    family: () => [],
  };
}

/** A pane as tmux lists it, with its program's pid. */
function paneOf(session: string, pid: number) {
  const fields = [
    `%${pid}`,
    pid,
    "1$0",
    0,
    1,
    0,
    1,
    0,
    "",
    "",
    "",
    0,
    0,
    0,
    1,
    0,
    0,
    80,
    24,
    0,
    0,
    "/dev/pts/1",
    "host",
  ];
  return parsePanes([...fields, session, "w", "sh", "/", "t"].join("|"));
}

function deskOf(
  table: Table,
  agents: readonly Partial<Agent>[],
  panes: ReturnType<typeof paneOf> = [],
  open = true,
) {
  const roll = agents.map((agent) => ({
    agent: { id: "", origin: "added", addedAt: T, ...agent } as Agent,
    observations: [],
  }));
  const noticed: SignalFindings[] = [];
  const looked: string[] = [];
  let now = T;
  const desk = new HookDesk({
    proc: procOf(table),
    env: { TMUX_TMPDIR: "/t" },
    panes: (async () => [{ server: { socketPath: "/t/s" }, list: panes }]) as NonNullable<WhoseDeps["panes"]>,
    roll: () => roll,
    memories: () => undefined,
    autoRegister: () => open,
    add: async (agent) => {
      roll.push({ agent, observations: [] });
    },
    notice: async (found) => {
      noticed.push(...found);
    },
    look: (agent) => looked.push(agent),
    now: () => now,
    uptime: () => now - T + 1_000_000,
    zone: "UTC",
    log: { info() {}, warn() {}, error() {} },
  });
  const send = (name: string, more: object = {}, pid?: number, client: HookClient = "claude-code") => {
    now += 1000;
    const payload = { session_id: "s1", hook_event_name: name, cwd: "/src/app", ...more };
    return desk.take({ client, payload, pid });
  };
  const reading = () =>
    noticed.at(-1)?.facts.find((fact): fact is Observation & { kind: "reading" } => fact.kind === "reading");
  return { desk, send, noticed, roll, reading, looked };
}

const claude = { argv: ["claude"], parent: 10, cwd: "/src/app" };
const shell = { argv: ["bash"], parent: 1 };

it("a session in a pane belongs to the agent that is watched there, whatever it is called", async () => {
  const table = { 10: shell, 20: claude, 30: { argv: ["sh"], parent: 20 } };
  const { send, noticed, reading, looked } = deskOf(
    table,
    [{ id: "other" }, { id: "builder", signals: { tmux: { session: "work", socketPath: "/t/s" } } }],
    paneOf("work", 10),
  );
  await send("PermissionRequest", { tool_name: "Bash", tool_input: { command: "rm -rf x" } }, 30);
  expect(noticed.at(-1)?.agent).toBe("builder");
  expect(reading()).toMatchObject({
    reading: "waiting",
    detail: "permission",
    asks: { question: "rm -rf x" },
  });
  expect(noticed.at(-1)?.facts[0]).toMatchObject({ kind: "present", incarnation: lifeOf(20) });
  expect(looked).toEqual(["builder"]);
});

it("an unknown session registers itself, watched by its pane and its transcript", async () => {
  const { send, roll } = deskOf({ 10: shell, 20: claude }, [], paneOf("my work", 10));
  await send("SessionStart", {}, 20);
  expect(roll.map(({ agent }) => agent)).toMatchObject([
    {
      id: "my-work",
      origin: "added",
      unproven: true,
      signals: {
        tmux: { session: "my work", socketPath: "/t/s" },
        transcript: { client: "claude-code", cwd: "/src/app" },
      },
    },
  ]);
});

it("nobody registers where autoRegister is off", async () => {
  const { send, roll, noticed } = deskOf({ 10: shell, 20: claude }, [], paneOf("work", 10), false);
  await send("SessionStart", {}, 20);
  expect([roll, noticed]).toEqual([[], []]);
});

it("without a process that proves it, neither name nor folder of an event become a name or a path", async () => {
  const { send, roll } = deskOf({}, []);
  await send("SessionStart", { session_id: "../../etc", cwd: "/etc/$(id)" });
  const [agent] = roll.map((each) => each.agent);
  expect(agent?.id).toMatch(/^claude-code-[0-9a-f]{8}$/);
  expect(agent?.signals).toEqual({});
});

it("a process that is no such client proves nothing", async () => {
  const { send, roll } = deskOf(
    { 10: shell, 20: { argv: ["vim"], parent: 10, cwd: "/etc" } },
    [],
    paneOf("work", 10),
  );
  await send("SessionStart", {}, 20);
  expect(roll[0]?.agent.signals).toEqual({});
});

it("a session within a session belongs to its agent, and its end is not the agent's", async () => {
  const nested = { argv: ["claude", "-p"], parent: 20, cwd: "/src/app" };
  const { send, reading } = deskOf({ 10: shell, 20: claude, 40: nested }, [], paneOf("work", 10));
  await send("UserPromptSubmit", {}, 20);
  await send("UserPromptSubmit", { session_id: "s2" }, 40);
  await send("Stop", { session_id: "s2" }, 40);
  await send("SessionEnd", { session_id: "s2", reason: "other" }, 40);
  expect(reading()).toMatchObject({ reading: "working" });
});

it("sub-agents go on after the turn of their parent, and only then it rests", async () => {
  const { send, reading } = deskOf({ 10: shell, 20: claude }, [], paneOf("work", 10));
  await send("UserPromptSubmit", {}, 20);
  await send("SubagentStart", { agent_id: "a" }, 20);
  await send("Stop", {}, 20);
  expect(reading()).toMatchObject({ reading: "working", context: "tool" });
  await send("SubagentStop", { agent_id: "a" }, 20);
  expect(reading()).toMatchObject({ reading: "idle" });
});

it("a client whose process is gone has ended: not well, if it was at work", async () => {
  const table: Table = { 10: shell, 20: claude };
  const { desk, send } = deskOf(table, [], paneOf("work", 10));
  await send("UserPromptSubmit", {}, 20);
  const reader = desk.reader("work");
  expect(reader.glance?.(T)).toBe(true);
  delete table[20];
  expect(reader.glance?.(T)).toBe(false);
  const look = { now: T + 99_000, fresh: false, abort: new AbortController().signal };
  expect(await reader.look(look)).toMatchObject([
    { kind: "gone", signal: "hook", clean: false, at: T + 99_000 },
  ]);
  expect(await reader.look(look)).toEqual([]);
});

it("Codex's server for all terminals belongs to the terminal that works in the folder", async () => {
  const table = {
    10: shell,
    11: shell,
    20: { argv: ["codex"], parent: 10, cwd: "/src/a" },
    21: { argv: ["codex"], parent: 11, cwd: "/src/b" },
    30: { argv: ["/x/codex", "app-server"], parent: 20, cwd: "/" },
  };
  const { send, roll } = deskOf(table, [], [...paneOf("one", 10), ...paneOf("two", 11)]);
  await send("UserPromptSubmit", { cwd: "/src/b" }, 30, "codex");
  expect(roll.map(({ agent }) => agent.id)).toEqual(["two"]);
});

it("the notify of an older Codex tells the end of a turn, with or without the name of its session", async () => {
  const table = { 10: shell, 20: { argv: ["codex"], parent: 10, cwd: "/src/a" } };
  const early = { type: "agent-turn-complete", "turn-id": "0", "input-messages": [] };
  for (const payload of [early, { ...early, "thread-id": "t", cwd: "/src/a" }]) {
    const { desk, reading, roll } = deskOf(table, [], paneOf("work", 10));
    await desk.take({ client: "codex", payload, pid: 20 });
    expect(roll.map(({ agent }) => agent.id)).toEqual(["work"]);
    expect(reading()).toMatchObject({ reading: "idle", endsOnly: true });
    // The hooks of a newer version tell more, so its word counts as that of any client.
    const session_id = "thread-id" in payload ? "t" : "pid 20";
    await desk.take({ client: "codex", payload: { hook_event_name: "Stop", session_id }, pid: 20 });
    expect(reading()).not.toHaveProperty("endsOnly");
  }
});

it("what was overtaken on its way changes nothing any more", async () => {
  const { desk, reading } = deskOf({ 10: shell, 20: claude }, [], paneOf("work", 10));
  const send = (name: string, sent: number) =>
    desk.take({
      client: "claude-code",
      payload: { session_id: "s", hook_event_name: name, tool_name: "Bash", tool_input: { command: "ls" } },
      pid: 20,
      sent,
    });
  await send("PermissionRequest", 900);
  await send("PreToolUse", 890);
  expect(reading()).toMatchObject({ reading: "waiting" });
  await send("PostToolUse", 950);
  expect(reading()).toMatchObject({ reading: "working" });
});

it("secrets in what an agent asks are not passed on", async () => {
  const { send, reading } = deskOf({ 10: shell, 20: claude }, [], paneOf("work", 10));
  const command = "curl -H 'Authorization: Bearer abcdefgh12345678' x";
  await send("PermissionRequest", { tool_name: "Bash", tool_input: { command } }, 20);
  expect(reading()?.asks?.question).not.toContain("abcdefgh12345678");
});
