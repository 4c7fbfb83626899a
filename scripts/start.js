// npm start: sets the checkout up if needed, then runs the watcher in the foreground, in this very
// process, so that a signal sent to npm reaches it.
import { setup } from "./setup.js";

setup();
process.argv.splice(2, 0, "up");
await import("../bin/rollcall.js");
