import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { agentOf, cli, daemon, http, temporaryHome, until } from "./product.ts";
import { hasTmux, tmux, whyNoTmux } from "./watching.ts";

/** Asks with a menu, then for words, then for a password, and keeps what it was answered. */
const ASKER = `
keep() { printf '%s\\n' "$1" >> answers; }
printf 'Bash command\\n\\n  make deploy\\n\\nDo you want to proceed?\\n\\342\\235\\257 1. Yes\\n  2. No\\n'
stty -icanon -echo; key=$(dd bs=1 count=1 2>/dev/null); stty icanon echo; keep "$key"
clear; printf 'Which database should I use? '
read -r words; keep "$words"
clear; printf 'Enter your password: '
stty -echo; read -r secret; keep "$secret"
`;

const answer = (id: string, ...words: string[]) => ["answer", id, ...words];

describe.skipIf(!hasTmux)(`an agent that asks${whyNoTmux}`, () => {
  it("is answered by the number of a choice and by words, while the same question stands there", {
    timeout: 120_000,
  }, async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "ask.sh"), ASKER);
    const { socket } = tmux(`cd ${home}; sh ask.sh; sleep 600`);
    const pane = `{ session: agent, socket: ${socket} }`;
    writeFileSync(
      join(home, "rollcall.yaml"),
      `livenessInterval: 300ms\nagents: [{ id: bot, tmux: ${pane} }]\n`,
    );
    const { url } = await daemon(home);
    const answers = () => readFileSync(join(home, "answers"), "utf8");
    const waits = () =>
      until(
        () => agentOf(url, "bot"),
        (agent) => agent?.state === "waiting",
      );
    await waits();

    const shown = await cli(home, ...answer("bot"));
    expect(shown).toMatchObject({ status: 0 });
    expect(shown.stdout).toContain("Do you want to proceed?");
    expect(shown.stdout).toMatch(/1 +Yes/);
    const { question } = JSON.parse((await cli(home, ...answer("bot", "--json"))).stdout);
    // Pasted as it stands, it answers this question and no later one.
    expect(shown.stdout).toContain(`Answer: rollcall answer bot 1 --question ${question.fingerprint}`);
    expect(question).toMatchObject({
      choices: [
        { number: 1, label: "Yes" },
        { number: 2, label: "No" },
      ],
    });
    const wrong = await cli(home, ...answer("bot", "1", "--question", "another"));
    expect(wrong.status).not.toBe(0);
    expect(wrong.stderr).toContain("another question");
    for (const not of ["use the other one", "3"])
      expect((await cli(home, ...answer("bot", not))).stderr).toContain(
        `bot offers 1 (Yes), 2 (No): answer with one of these numbers, not "${not}"`,
      );

    // Over the network: no words, and only the question that was read.
    const token = JSON.parse(
      (await cli(home, "token", "create", "--scope", "admin", "--json")).stdout,
    ).secret;
    const post = (body: object) =>
      http(`${url}/api/v1/agents/bot/answer`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const words = await post({ fingerprint: question.fingerprint, text: "rm -rf /" });
    expect(words.status).toBeGreaterThanOrEqual(400);
    expect(words.body).toContain("name a choice by its number");
    expect(await post({ fingerprint: question.fingerprint, choice: 2 })).toMatchObject({ status: 200 });
    expect(answers()).toBe("2\n");

    const typed = await until(
      () => cli(home, ...answer("bot", "the staging one")),
      ({ status }) => status === 0,
    );
    const [note = "", ...asked] = typed.stdout.trimEnd().split("\n");
    expect(note).toMatch(/^bot: /);
    expect(asked.join("\n").trim()).not.toBe("");
    expect(answers()).toBe("2\nthe staging one\n");

    // Whatever the screen is read as, a password is not typed from here.
    await until(
      () => cli(home, ...answer("bot", "hunter2")),
      ({ stderr }) => stderr.includes("at its pane only"),
    );
    expect(answers()).toBe("2\nthe staging one\n");
    expect((await http(`${url}/api/v1/audit`)).body).toContain("/agents/bot/answer");
  });

  it("has no question while a pager shows a text", { timeout: 60_000 }, async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "page.sh"), "printf 'Usage: deploy NAME\\n--More--(12%%)'; read -r x\n");
    const { socket } = tmux(`cd ${home}; sh page.sh`);
    writeFileSync(
      join(home, "rollcall.yaml"),
      `livenessInterval: 300ms\nagents: [{ id: bot, tmux: { session: agent, socket: ${socket} } }]\n`,
    );
    await daemon(home);
    const refused = await until(
      () => cli(home, ...answer("bot")),
      ({ stderr }) => stderr.includes("a pager is open"),
    );
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain("close it there: rollcall attach bot");
    expect((await cli(home, "status", "bot")).stdout).toContain("waits for a human: a pager is open");
  });

  it("is answered yes or no by the word, whether its program reads a key, a line, or edits a line of its own", {
    timeout: 120_000,
  }, async () => {
    const home = temporaryHome();
    const ask =
      "const rl = require('readline').createInterface({ input: process.stdin, output: process.stdout });";
    const keep = "a => { require('fs').appendFileSync('answers', 'own ' + a + '\\n'); rl.close(); }";
    writeFileSync(join(home, "own.cjs"), `${ask} rl.question('Send it? [y/N] ', ${keep});\n`);
    const line = `read -r -p 'Overwrite config? [y/N] ' x; echo "line $x" >> answers`;
    const key = `read -r -n 1 -p 'Delete it? [y/N] ' x; echo; echo "key $x" >> answers`;
    const own = `${process.execPath} own.cjs`;
    // What was asked and answered stays on the screen, and the next line ends with the answer.
    const menu = `printf '1. staging\\n2. production\\nEnter a number: '; read -r x; echo "menu $x" | tee -a answers`;
    const words = `clear; read -r -p 'Name of the branch? ' x; echo "words $x" | tee -a answers`;
    // It wants one key and goes on without a word.
    const any = `clear; read -r -n 1 -p 'Press any key to continue...' x; echo "any $x" >> answers; sleep 600`;
    const script = [
      line,
      "clear",
      own,
      "clear",
      key,
      "sleep 1; clear",
      menu,
      "sleep 3",
      words,
      "sleep 3",
      any,
    ];
    writeFileSync(join(home, "ask.sh"), script.join("\n"));
    const { socket } = tmux(`cd ${home}; bash ask.sh`);
    writeFileSync(
      join(home, "rollcall.yaml"),
      `livenessInterval: 300ms\nagents: [{ id: bot, tmux: { session: agent, socket: ${socket} } }]\n`,
    );
    await daemon(home);
    const answered = (word: string) =>
      until(
        () => cli(home, ...answer("bot", word)),
        ({ status }) => status === 0,
      );
    const kept = async (answers: string) =>
      expect
        .poll(() => (existsSync(join(home, "answers")) ? readFileSync(join(home, "answers"), "utf8") : ""))
        .toBe(answers);
    expect((await answered("n")).stdout).toContain("answered 2 (no), and the agent took it");
    await kept("line n\n");
    await answered("Yes");
    await kept("line n\nown y\n");
    await answered("1");
    await kept("line n\nown y\nkey y\n");
    const says = (note: string) => ({ status: 0, stdout: expect.stringContaining(note) });
    expect(await answered("production")).toMatchObject(
      says("answered 2 (production), and the agent took it"),
    );
    await kept("line n\nown y\nkey y\nmenu 2\n");
    expect(await answered("feature/x")).toMatchObject(says('answered "feature/x", and the agent took it'));
    await kept("line n\nown y\nkey y\nmenu 2\nwords feature/x\n");
    expect(await answered("k")).toMatchObject(says('answered "k", and the agent took it'));
    await kept("line n\nown y\nkey y\nmenu 2\nwords feature/x\nany k\n");
  });
  it("is answered while a bullet above its question blinks", { timeout: 120_000 }, async () => {
    const home = temporaryHome();
    const draw = (bullet: string) => `printf '\\0337\\033[1;1H${bullet}\\0338'; sleep 0.2`;
    const menu =
      "printf '  Bash(make)\\n\\nDo you want to proceed?\\n\\342\\235\\257 1. Yes\\n  2. No\\nEsc to cancel'";
    const key = "key=$(dd bs=1 count=1 2>/dev/null)";
    const blink = `while :; do ${draw("\\342\\227\\217")}; ${draw(" ")}; done & blinks=$!`;
    const script = [
      "clear",
      menu,
      "stty -icanon -echo",
      blink,
      key,
      "kill $blinks",
      'echo "key $key" > answers',
    ];
    writeFileSync(join(home, "ask.sh"), `${script.join("\n")}\nclear\nsleep 600\n`);
    const { socket } = tmux(`cd ${home}; bash ask.sh`);
    writeFileSync(
      join(home, "rollcall.yaml"),
      `livenessInterval: 300ms\nagents: [{ id: bot, tmux: { session: agent, socket: ${socket} } }]\n`,
    );
    const { url } = await daemon(home);
    await until(
      () => agentOf(url, "bot"),
      (agent) => agent?.state === "waiting",
    );
    const { question } = JSON.parse((await cli(home, ...answer("bot", "--json"))).stdout);
    const done = await cli(home, ...answer("bot", "no", "--question", question.fingerprint));
    expect(done).toMatchObject({ status: 0, stdout: expect.stringContaining("answered 2 (No)") });
    await expect.poll(() => existsSync(join(home, "answers"))).toBe(true);
    expect(readFileSync(join(home, "answers"), "utf8")).toBe("key 2\n");
  });
});
