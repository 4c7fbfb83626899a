// `rollcall install ticks` with a crontab program of the test's own.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cli, root, temporaryHome } from "./product.ts";

process.env.PATH = "/usr/local/bin:/usr/bin:/bin";

function started() {
  const home = temporaryHome();
  const [program, file] = [join(home, "fake-crontab"), join(home, "spooled")];
  const script = `#!/bin/sh
case $1 in
  -l) [ -f '${file}' ] || { echo "no crontab for x" >&2; exit 1; }; cat '${file}' ;;
  -) cat >'${file}' ;;
esac
`;
  writeFileSync(program, script, { mode: 0o755 });
  const registry = join(root, "examples/agent-registry.json");
  const install = (...more: string[]) =>
    cli(
      home,
      "install",
      "ticks",
      "--crontab",
      program,
      "--registry",
      registry,
      "--ticks",
      join(home, "t"),
      ...more,
    );
  return { home, program, file, registry, install, read: () => readFileSync(file, "utf8") };
}

test("D6: submits on the 1st and checks on the 4th, with absolute paths, and goes again", async () => {
  const { home, program, file, registry, install, read } = started();
  writeFileSync(file, "0 1 * * * others\n");
  expect((await install()).stdout).toBe("the lines for the monthly ticks are in the crontab\n");
  const places = `--registry ${registry} --ticks ${join(home, "t")}`;
  const lines = read().split("\n");
  expect(
    lines.find((line) => line.startsWith("0 18 1 * * /usr/bin/env "))?.endsWith(` tick submit ${places}`),
  ).toBe(true);
  expect(
    lines
      .find((line) => line.startsWith("0 18 4 * * /usr/bin/env "))
      ?.endsWith(` tick check --check-and-report ${places}`),
  ).toBe(true);
  expect((await install()).stdout).toBe(
    "the lines for the monthly ticks are in the crontab already: nothing to do\n",
  );
  const removed = await cli(home, "uninstall", "ticks", "--crontab", program);
  expect(removed.stdout).toBe("removed the lines for the monthly ticks from the crontab\n");
  expect(read()).toBe("0 1 * * * others\n");
});

test("a host may do one of the two, and --print writes nothing", async () => {
  const { file, install } = started();
  const { stdout } = await install("--only", "submit", "--print");
  expect(stdout).toMatch(/\n0 18 1 \* \* .* tick submit .*\n$/);
  expect(stdout).not.toContain("0 18 4");
  expect(existsSync(file)).toBe(false);
});

test("a registry that is not there is refused before anything is written", async () => {
  const { home, program, file } = started();
  const done = await cli(
    home,
    "install",
    "ticks",
    "--crontab",
    program,
    "--registry",
    join(home, "none.json"),
  );
  expect(done).toMatchObject({ status: 1, stdout: "" });
  expect(done.stderr).toContain("; name it with --registry FILE");
  expect(existsSync(file)).toBe(false);
});
