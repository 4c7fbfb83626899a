// docs/tutorial.md, as a person would copy it into a shell.
import { spawnSync } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { rollcall, root, runToEnd, temporaryHome } from "./product.ts";
import { hasTmux, whyNoTmux } from "./watching.ts";

describe.skipIf(!hasTmux)(`the tutorial${whyNoTmux}`, () => {
  it("works from its first command to its last", { timeout: 300_000 }, async () => {
    const page = readFileSync(join(root, "docs/tutorial.md"), "utf8");
    const blocks = [...page.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
    expect(blocks.length).toBeGreaterThan(7);
    const bin = temporaryHome();
    writeFileSync(join(bin, "rollcall"), `#!/bin/sh\nexec ${process.execPath} ${rollcall} "$@"\n`);
    chmodSync(join(bin, "rollcall"), 0o755);
    const env = {
      ...{ HOME: bin, PATH: `${bin}:${process.env.PATH}`, TMPDIR: bin, TMUX_TMPDIR: bin, TMUX: "" },
      ...{ ROLLCALL_LISTEN: "127.0.0.1:0", ROLLCALL_HOME: "", LANG: "C.UTF-8" },
    };
    onTestFinished(() => {
      // What is left of a tutorial that failed.
      spawnSync(
        "sh",
        ["-c", `for home in ${bin}/tmp.*; do rollcall daemon stop --home "$home"; done; tmux kill-server`],
        {
          env: { ...process.env, ...env },
        },
      );
    });
    const { status, stdout, stderr } = await runToEnd("sh", ["-ec", blocks.join("\n")], env);
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const said of [
      /^painter +waiting/m,
      "Do you want to proceed?",
      "answered 1 (Yes)",
      "You chose 1.",
      /^mailer: alive/m,
      /^painter-\S+ +dead/m,
      "muted painter",
      "rollcall.yaml is fine",
      "sent through file",
      "Test message",
      "stopped",
    ])
      expect(stdout).toMatch(said);
  });
});
