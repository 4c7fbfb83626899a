// npm test: sets the checkout up if needed, then checks, then tests. npm run test:long runs only the tests that take too
// long for every run. Other arguments go to vitest.
import { run, setup } from "./setup.js";

setup();
const args = process.argv.slice(2).filter((each) => each !== "--long");
const isLong = args.length < process.argv.length - 2;
if (isLong) process.env.TEST_LONG = "1";
if (args.length === 0 && !isLong) run(process.execPath, ["scripts/check.js"]);
run(process.execPath, ["node_modules/vitest/vitest.mjs", "run", ...args]);
