// npm test: sets the checkout up if needed, then checks, then tests. Arguments go to vitest.
import { run, setup } from "./setup.js";

setup();
const args = process.argv.slice(2);
if (args.length === 0) run(process.execPath, ["scripts/check.js"]);
run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args]);
