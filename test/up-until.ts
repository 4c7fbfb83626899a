// A program for tests: starts the watcher in a home and sends itself a signal at a step of starting: by default the one
// that kills without mercy. After SIGSTOP it can be let go on, and then it watches.
import { up } from "../src/app/lifecycle.ts";

const [home = "", last = "", signal = "SIGKILL"] = process.argv.slice(2);
await up({
  home,
  listen: "127.0.0.1:0",
  onStep: (step) => {
    console.log(step);
    if (step === last) process.kill(process.pid, signal);
  },
});
if (signal !== "SIGSTOP") process.exit(0);
