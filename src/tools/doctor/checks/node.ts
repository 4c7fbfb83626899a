import packageJson from "../../../../package.json" with { type: "json" };
import { type Check, fail, ok } from "../check.ts";

export const nodeCheck: Check = {
  name: "node",
  looksAt: "the version of Node that runs this command",
  worst: "error",
  async run() {
    const needed = packageJson.engines.node.replace(/^\D+/, "");
    const here = process.versions.node;
    if (compare(here, needed) >= 0) return [ok(`Node ${here}`)];
    const says = `Node ${here} is too old; ${needed} or later is needed`;
    return [fail(says, "Install a newer one, for example: nvm install --lts")];
  },
};

/** Compares versions number by number; what is missing counts as nothing. */
function compare(a: string, b: string): number {
  const [left, right] = [a.split("."), b.split(".")];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = Number.parseInt(left[i] ?? "0", 10) - Number.parseInt(right[i] ?? "0", 10);
    if (difference !== 0) return difference;
  }
  return 0;
}
