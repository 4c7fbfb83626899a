import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

interface Locked {
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly resolved?: string;
}

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  readonly packages: Readonly<Record<string, Locked>>;
};

/** Whether the lock file names a package that npm finds from this folder, as Node looks for it. */
function isLocked(name: string, from: string): boolean {
  if (Object.hasOwn(packages, `${from === "" ? "" : `${from}/`}node_modules/${name}`)) return true;
  return from !== "" && isLocked(name, from.slice(0, Math.max(0, from.lastIndexOf("/node_modules/"))));
}

// A registry may carry a new release without the packages of every platform. package.json therefore names (for
// vite and rolldown as overrides) releases that are complete; take newer ones only if this test still passes.
test("the lock file names the binaries of every platform, as `npm ci` demands", () => {
  const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !isLocked(name, folder)),
  );
  expect(missing).toEqual([]);
});

test("the lock file holds no registry's address", () => {
  const addressed = Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined);
  expect(addressed.map(([folder]) => folder)).toEqual([]);
});
