// The commands of docs/how-to.md as they stand there, in a home with the agents that the page names.
import { spawn } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { agentOf, cli, daemon, rollcall, root, runToEnd, temporaryHome, until } from "./product.ts";
import { hasTmux, tmux, whyNoTmux } from "./watching.ts";

const ASKER = `printf 'Do you want to proceed?\\n\\342\\235\\257 1. Yes\\n  2. No\\n'
stty -icanon -echo; dd bs=1 count=1 of=answer 2>/dev/null; clear; sleep 600\n`;

/** The commands of the page, by the number of the task. */
function tasks(): ReadonlyMap<number, readonly string[]> {
  const page = readFileSync(join(root, "docs/how-to.md"), "utf8");
  const found = [...page.matchAll(/^## (\d+)\. .*?^```sh\n(.*?)^```/gms)];
  return new Map(
    found.map(([, number, block = ""]) => [
      Number(number),
      block
        .split("\n")
        .map((line) => line.replace(/ +#.*/, ""))
        .filter(Boolean),
    ]),
  );
}

describe.skipIf(!hasTmux)(`twelve things to do${whyNoTmux}`, () => {
  it("each is one command, as docs/how-to.md has it", { timeout: 180_000 }, async () => {
    const home = temporaryHome();
    writeFileSync(join(home, "ask.sh"), ASKER);
    writeFileSync(join(home, "mailer.log"), "sent letter 1\n");
    const { socket } = tmux(`cd ${home}; sh ask.sh`);
    const restart = `{ do: restart, with: { command: [touch, ${home}/restarted] } }`;
    writeFileSync(
      join(home, "rollcall.yaml"),
      `livenessInterval: 300ms
agents:
  - { id: builder, tmux: { session: agent, socket: ${socket} } }
  - { id: mailer, group: bots, every: 1h, log: { path: ${home}/mailer.log }, recover: [${restart}] }
`,
    );
    const bin = temporaryHome();
    writeFileSync(join(bin, "rollcall"), `#!/bin/sh\nexec ${process.execPath} ${rollcall} "$@"\n`);
    writeFileSync(join(bin, "editor"), `#!/bin/sh\nsed -i 's/every: 1h/every: 2h/' "$1"\n`);
    for (const name of ["rollcall", "editor"]) chmodSync(join(bin, name), 0o755);
    const env = { ROLLCALL_HOME: home, PATH: `${bin}:${process.env.PATH}`, VISUAL: "", EDITOR: "editor" };
    const { url } = await daemon(home, {}, {}, ["--hub"]);
    await cli(home, "beat", "mailer");
    await until(
      () => agentOf(url, "builder"),
      (agent) => agent?.state === "waiting",
    );
    const all = tasks();
    expect([...all.keys()]).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    /** Runs the commands of a task; answers what the last one said. */
    const run = async (number: number) => {
      let said = "";
      for (const command of all.get(number) ?? []) {
        const { status, stdout, stderr } = await runToEnd("sh", ["-c", command], env);
        expect(status, `${command}: ${stderr}`).toBe(0);
        said = stdout;
      }
      return said;
    };
    expect(await run(1)).toMatch(/^builder +waiting/m);
    expect(await run(2)).toContain("waits for a human");
    expect(await run(3)).toContain("1 (Yes)");
    expect(readFileSync(join(home, "answer"), "utf8")).toBe("1");
    expect(await run(4)).toContain("muted builder until");
    expect(await run(5)).toContain("muted group bots until");
    expect(await run(6)).toContain("builder-");
    expect(await run(7)).toContain("is changed; it is in force");
    expect(await agentOf(url, "mailer")).toMatchObject({ rule: { every: "2h" } });
    expect(await run(8)).toContain("is fine: 2 agents");
    expect(await run(9)).toContain("mailer");
    expect(readFileSync(join(home, "restarted"), "utf8")).toBe("");
    expect(await run(11)).toContain("rollcall join");

    // A log is followed until somebody stops it.
    const following = spawn("sh", ["-c", `exec ${all.get(10)?.[0]}`], { env: { ...process.env, ...env } });
    onTestFinished(() => void following.kill());
    let followed = "";
    following.stdout.on("data", (text) => {
      followed += String(text);
    });
    await until(
      () => followed,
      (text) => text.includes("sent letter 1"),
    );

    // A change with a mistake is not kept, and a bad key is named with its line.
    writeFileSync(join(bin, "editor"), `#!/bin/sh\nsed -i 's/grroup\\|group/grroup/' "$1"\n`);
    const refused = await runToEnd("sh", ["-c", all.get(7)?.[0] ?? ""], env);
    expect(refused).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/rollcall\.edited\.yaml:4: .*grroup.*group/),
    });
    expect(readFileSync(join(home, "rollcall.yaml"), "utf8")).toContain("group: bots");
    expect(await run(12)).toContain("stopped");
  });
});
