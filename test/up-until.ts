// A program for tests: starts the watcher in a home and kills itself without mercy at a step of starting.
import { up } from "../src/daemon/up.ts";

const [home = "", last = ""] = process.argv.slice(2);
await up({
  home,
  listen: "127.0.0.1:0",
  onStep: (step) => {
    console.log(step);
    if (step === last) process.kill(process.pid, "SIGKILL");
  },
});
process.exit(0);
