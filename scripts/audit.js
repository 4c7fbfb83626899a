// npm run audit: asks the registry for known advisories about what the lock file names. Where the registry does not
// answer that question, it says so and passes: no answer is no finding.
import { spawnSync } from "node:child_process";
import { root } from "./setup.js";

const { stdout } = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8", timeout: 60_000 });
const answer = readJson(stdout);
if (answer?.metadata === undefined) {
  const said = answer?.message ?? answer?.error?.summary ?? "it did not answer";
  console.error(`audit: the registry does not tell about advisories (${String(said).split("\n")[0]})`);
} else {
  const found = Object.values(answer.vulnerabilities ?? {});
  for (const { name, severity, range } of found) console.error(`audit: ${name} ${range}: ${severity}`);
  console.error(
    `audit: ${answer.metadata.dependencies?.total ?? 0} packages, ${found.length} with advisories`,
  );
  if (found.length > 0) process.exitCode = 1;
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
