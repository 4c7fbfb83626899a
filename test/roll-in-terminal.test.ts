// The roll in a real terminal: tmux says what a person would see.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { cli, daemon, rollcall, root, runToEnd, temporaryHome, until } from "./product.ts";
import { config, hasTmux, isIn, tmux, whyNoTmux } from "./watching.ts";

const beat = join(root, "bin/rollcall-beat");

/** Twelve agents that are well, and one in trouble whose name sorts after theirs. Nothing needs the watcher. */
function fleet(): string {
  const home = temporaryHome();
  const script = `for i in $(seq 12); do ${beat} agent-$i --cycle $i --action "sync inbox 東京 and much more than fits"; done
    ${beat} zz-painter-with-a-name-that-is-far-too-long-for-a-row --status error --message "no network"`;
  expect(spawnSync("sh", ["-c", script], { env: { ...process.env, ROLLCALL_HOME: home } }).status).toBe(0);
  return home;
}

/** A terminal of this size with a shell in it. */
function terminal(home: string, columns: number, rows: number) {
  const sockets = temporaryHome();
  const env = { ...process.env, TMUX_TMPDIR: sockets, TMUX: "", ROLLCALL_HOME: home, PS1: "$ ", ENV: "" };
  const tmux = (...args: string[]) =>
    spawnSync("tmux", ["-f", "/dev/null", "-u", ...args], { encoding: "utf8", env }).stdout;
  onTestFinished(() => void tmux("kill-server"));
  tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "-s", "it", "sh");
  return {
    pidFile: join(sockets, "pid"),
    type: (...keys: string[]) => tmux("send-keys", "-t", "it", ...keys),
    /** With what has scrolled off. */
    shown: () => tmux("capture-pane", "-p", "-S", "-", "-t", "it").trimEnd().split("\n"),
    says: (format: string) => tmux("display-message", "-p", "-t", "it", format).trim(),
    close: () => tmux("kill-server"),
  };
}

/** Asks with a menu twice, then for words, then for a password, and keeps what it was answered. */
const ASKER = `
menu() {
  clear; printf '%s\\n\\nDo you want to proceed?\\n\\342\\235\\257 1. Yes\\n  2. No\\n' "$1"
  stty -icanon -echo; key=$(dd bs=1 count=1 2>/dev/null); stty icanon echo; printf '%s\\n' "$key" >> answers
}
menu 'make deploy'
menu 'make clean'
clear; printf 'Which database should I use? '
read -r words
clear; printf 'Enter your password: '
stty -echo; read -r secret; printf '%s\\n' "$secret" >> answers
`;

const status = `${process.execPath} ${rollcall} status`;

describe.skipIf(!hasTmux)(`the roll on a terminal${whyNoTmux}`, () => {
  it("fits 80 columns: every agent has one row, and trouble comes first", async () => {
    const home = fleet();
    const screen = terminal(home, 80, 60);
    screen.type(`${status}; echo DONE`, "Enter");
    const lines = await until(screen.shown, (shown) => shown.includes("DONE"));
    const first = lines.findIndex((line) => line.startsWith("AGENT"));
    expect(lines[first]).toMatch(/^AGENT +STATE +FOR .*WHY$/);
    expect(lines[first + 1]).toMatch(/^zz-paint.*….*-a-row +failing /);
    expect(lines.slice(first + 2, first + 14).every((line) => /^agent-\d+ +alive .*…$/.test(line))).toBe(
      true,
    );
    expect(lines[first + 14]).toBe("");
  });

  it("a watcher in a terminal reads its config again when told to, and ends with the terminal", async () => {
    const home = temporaryHome();
    const screen = terminal(home, 80, 24);
    const pidFile = join(home, "rollcall.pid");
    screen.type(`${process.execPath} ${rollcall} up --listen 127.0.0.1:0`, "Enter");
    await until(screen.shown, (shown) => shown.some((line) => line.includes("Ctrl-C stops")));
    writeFileSync(join(home, "rollcall.yaml"), "agents: [{ id: allegro, every: 1h }]\n");
    expect((await cli(home, "daemon", "reload")).status).toBe(0);
    await until(
      () => cli(home, "status", "--short"),
      ({ stdout }) => stdout.includes("1 new"),
    );
    screen.close();
    await until(
      () => existsSync(pidFile),
      (isThere) => !isThere,
    );
  });

  it.each([
    ["q", "0"],
    ["C-c", "130"],
    ["SIGTERM", "143"],
  ])(
    "watched, it stays within the screen until %s, and the terminal is as it was before",
    async (end, code) => {
      const screen = terminal(fleet(), 80, 10);
      screen.type(`sh -c 'echo $$ >${screen.pidFile}; exec ${status} --watch'`, "Enter");
      const lines = await until(screen.shown, (shown) => shown.some((line) => line.includes("and 9 more")));
      expect(lines).toHaveLength(10);
      expect(lines[2]).toBe("13 agents: 1 failing, 12 alive");
      expect(lines[5]).toContain("failing");
      expect(lines.at(-1)).toBe("… and 9 more: 9 alive");
      expect([screen.says("#{alternate_on}"), screen.says("#{history_size}")]).toEqual(["1", "0"]);
      if (end === "SIGTERM") process.kill(Number(readFileSync(screen.pidFile, "utf8")), end);
      else screen.type(end);
      await until(
        () => screen.says("#{alternate_on}"),
        (alternate) => alternate === "0",
      );
      // Not in the same line as the command: a shell gives up the whole line after Ctrl-C.
      screen.type("echo ended $?", "Enter");
      const after = await until(screen.shown, (shown) => shown.some((line) => /ended \d+$/.test(line)));
      expect(after.join("\n")).toContain(`ended ${code}`);
      expect([screen.says("#{alternate_on}"), screen.says("#{cursor_flag}")]).toEqual(["0", "1"]);
      expect(after.join("\n")).not.toContain("failing");
    },
  );
});

describe.skipIf(!hasTmux)(`top${whyNoTmux}`, () => {
  const top = `${process.execPath} ${rollcall} top`;
  const sees = (screen: ReturnType<typeof terminal>, text: string) =>
    until(screen.shown, (shown) => shown.some((line) => line.includes(text)));

  it("shows trouble first, filters by what is typed, explains, and goes back", async () => {
    const screen = terminal(fleet(), 80, 24);
    screen.type(top, "Enter");
    const lines = await sees(screen, "13 agents: 1 failing, 12 alive");
    expect(lines[2]).toMatch(/^zz-paint.* failing /);
    expect(lines.every((line) => line.length <= 80)).toBe(true);
    screen.type("/", "agent-7");
    const filtered = await sees(screen, "1 of 13");
    expect(filtered.filter((line) => /^(agent|zz)-/.test(line))).toHaveLength(1);
    screen.type("Enter", "e");
    await sees(screen, "agent-7 has been alive for");
    screen.type("Escape");
    await sees(screen, "1 of 13");
    screen.type("n");
    await sees(screen, "none is running");
    const alternate = (is: string) =>
      until(
        () => screen.says("#{alternate_on}"),
        (now) => now === is,
      );
    // The shell has the terminal while it is stopped.
    screen.type("C-z");
    await alternate("0");
    screen.type("fg", "Enter");
    await alternate("1");
    await sees(screen, "q quit");
    screen.type("q");
    await until(
      () => screen.says("#{alternate_on}"),
      (alternate) => alternate === "0",
    );
  });

  it("asks before a restart, and says at once that an agent has no restart step and what to add", async () => {
    const home = temporaryHome();
    const done = join(home, "restarted");
    const recover = `[{ do: restart, with: { command: [touch, ${done}] }, kill: true }]`;
    writeFileSync(
      join(home, "rollcall.yaml"),
      `agents: [{ id: bare, every: 1h }, { id: worker, every: 1h, recover: ${recover} }]\n`,
    );
    await daemon(home);
    const screen = terminal(home, 80, 24);
    screen.type(top, "Enter");
    await sees(screen, "worker");
    screen.type("r");
    const refused = (await sees(screen, "have no restart step")).join(" ");
    expect(refused).toContain("have no restart step, such as {do: restart, with: {respawn: true}}");
    expect(refused).not.toContain("[y/n]");
    // The same words as the command's.
    const [, said = ""] = /(its recovery steps .*\}\})/.exec(refused) ?? [];
    expect((await cli(home, "restart", "bare")).stderr).toContain(said);
    screen.type("Down", "r");
    await sees(screen, "Restart worker? [y/n]");
    screen.type("x");
    await sees(screen, "nothing was done");
    expect(existsSync(done)).toBe(false);
    screen.type("r");
    await sees(screen, "Restart worker? [y/n]");
    screen.type("y");
    await until(
      () => existsSync(done),
      (isThere) => isThere,
    );
    screen.type("q");
  });

  it("mutes an agent and ends that with the same key, and lists its keys", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "rollcall.yaml"), "agents: [{ id: worker, every: 1h }]\n");
    await daemon(home);
    const screen = terminal(home, 80, 24);
    screen.type(top, "Enter");
    await sees(screen, "worker");
    screen.type("s");
    await sees(screen, "muted worker for an hour");
    screen.type("s");
    await sees(screen, "ended the mute of worker");
    expect((await cli(home, "silence", "list")).stdout).toContain("No agent is muted.");
    expect(await cli(home, "silence", "add", "--agent", "*", "--for", "2h")).toMatchObject({ status: 0 });
    screen.type("s");
    await sees(screen, "worker is muted with others; to end this: rollcall silence end");
    screen.type("?");
    await sees(screen, "mute it for an hour, or end that");
    screen.type("Escape");
    await sees(screen, "q quit");
    screen.type("q");
  });

  it("answers the question that a person reads, and no other one, by the number of a choice", async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "ask.sh"), ASKER);
    const { socket } = tmux(`cd ${home}; sh ask.sh; sleep 600`);
    const bot = `  - { id: bot, tmux: { session: agent, socket: ${socket} } }\n`;
    writeFileSync(join(home, "rollcall.yaml"), config(`${bot}  - { id: calm, every: 1h }\n`));
    const { url } = await daemon(home);
    // Then it is the first of the roll, which is chosen at first.
    await isIn(url, "bot", "waiting");
    const answers = () => readFileSync(join(home, "answers"), "utf8");
    const screen = terminal(home, 80, 24);
    screen.type(top, "Enter");
    await sees(screen, "y answer bot");
    screen.type("y");
    const asked = await sees(screen, "Do you want to proceed?");
    expect(asked[0]).toBe("bot: question");
    expect(asked.filter((line) => /^ {2}[12] {2}(Yes|No)$/.test(line))).toHaveLength(2);
    expect(asked.at(-1)).toContain("1 to 2 answer");
    screen.type("3");
    await sees(screen, 'bot offers 1 (Yes), 2 (No): answer with one of these numbers, not "3"');
    screen.type("Escape");
    await sees(screen, "y answer bot");
    expect(existsSync(join(home, "answers"))).toBe(false);
    screen.type("y");
    await sees(screen, "make deploy");
    screen.type("1");
    await sees(screen, "bot: answered 1 (Yes), and the agent took it");
    expect(answers()).toBe("1\n");

    // Somebody else answers meanwhile: what this person read is not asked any more.
    await until(
      () => cli(home, "answer", "bot"),
      ({ stdout }) => stdout.includes("make clean"),
    );
    screen.type("y");
    await sees(screen, "make clean");
    expect(await cli(home, "answer", "bot", "2")).toMatchObject({ status: 0 });
    await until(
      () => cli(home, "answer", "bot"),
      ({ stdout }) => stdout.includes("Which database"),
    );
    screen.type("1");
    await sees(screen, "bot asks another question by now");
    expect(answers()).toBe("1\n2\n");

    screen.type("y");
    await sees(screen, "Which database should I use?");
    await sees(screen, 'rollcall answer bot "your text"');
    screen.type("Escape");
    expect(await cli(home, "answer", "bot", "the staging one")).toMatchObject({ status: 0 });
    await until(
      () => cli(home, "answer", "bot"),
      ({ stderr }) => stderr.includes("at its pane only"),
    );
    screen.type("y");
    await sees(screen, "at its pane only");
    screen.type("Down", "y");
    await sees(screen, "calm has no tmux pane, so Rollcall cannot type an answer");
    expect(answers()).toBe("1\n2\n");
    screen.type("q");
  });

  it.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("gives the terminal back after %s", async (signal) => {
    const screen = terminal(fleet(), 80, 24);
    screen.type(`sh -c 'echo $$ >${screen.pidFile}; exec ${top}'`, "Enter");
    await sees(screen, "13 agents");
    expect(screen.says("#{alternate_on}")).toBe("1");
    const pid = Number(readFileSync(screen.pidFile, "utf8"));
    process.kill(pid, signal);
    await until(
      () => existsSync(`/proc/${pid}`),
      (isThere) => !isThere,
    );
    expect(screen.says("#{alternate_on}")).toBe("0");
    // Raw mode would not show what is typed, nor end a line.
    screen.type("echo still here", "Enter");
    await until(screen.shown, (shown) => shown.includes("still here"));
    expect(screen.says("#{cursor_flag}")).toBe("1");
  });

  it("refuses to run without a terminal", async () => {
    const { status, stderr } = await runToEnd(process.execPath, [rollcall, "top"], {
      ROLLCALL_HOME: fleet(),
    });
    expect(status).toBe(2);
    expect(stderr).toContain("top needs a terminal");
  });
});

describe("the roll in a file", () => {
  it("is whole, unless COLUMNS says how wide it shall be", async () => {
    const env = { ROLLCALL_HOME: fleet() };
    const lines = async (more: Record<string, string>) => {
      const { stdout } = await runToEnd(process.execPath, [rollcall, "status"], { ...env, ...more });
      return stdout.split("\n").filter((line) => /^(agent|zz)-/.test(line));
    };
    expect(
      (await lines({ COLUMNS: "" })).every(
        (line) =>
          line.endsWith("its last beat reports an error: no network") || line.endsWith("5 min of grace"),
      ),
    ).toBe(true);
    const narrow = await lines({ COLUMNS: "60" });
    expect(narrow).toHaveLength(13);
    expect(Math.max(...narrow.map((line) => line.length))).toBeLessThanOrEqual(60);
  });
});
