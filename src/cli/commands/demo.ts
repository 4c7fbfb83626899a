import { Command } from "commander";
import type { Flip } from "../../core/liveness/verdict.ts";
import { openStage, type Stage } from "../../tools/demo/stage.ts";
import { examples } from "../input/arguments.ts";
import { callName } from "../output/call-name.ts";
import { flipPrinter, sayFlip } from "../output/flips.ts";
import { bold, cutLine, dim, outputWidth, say } from "../output/terminal.ts";
import { openInBrowser } from "./open.ts";

export function demoCommand(): Command {
  return new Command("demo")
    .description("watch a made-up fleet of twelve agents in a throw-away home; Ctrl-C removes all of it")
    .option("--listen <address>", "the IP address and port to listen on (default: a free port of 127.0.0.1)")
    .addHelpText("after", examples("demo"))
    .action(async ({ listen = "127.0.0.1:0" }: { listen?: string }) => {
      const stage = await openStage();
      // Whatever ends us: nothing stays behind.
      process.on("exit", () => stage.clear());
      const asked = new Promise<void>((stop) => {
        for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop());
      });
      const { up } = await import("../../app/lifecycle.ts");
      const watcher = await up({ home: stage.home, listen, onFlip: inPlace() ?? flipPrinter() });
      welcome(stage, watcher.url);
      if (!(await openInBrowser(watcher.signInUrl()))) {
        say("Open this address in a browser; it signs you in, once, within 60 s:");
        say(`  ${watcher.signInUrl()}\n`);
      }
      await asked;
      say("\nstopping …");
      await watcher.stop();
      stage.clear();
      say("stopped; the demo's home and its agents are gone");
      process.exit(0);
    });
}

/** On a terminal the last change has one line, so that the instructions above it stay. */
function inPlace(): ((flip: Flip) => void) | undefined {
  if (process.stdout.isTTY !== true) return undefined;
  return (flip) => void process.stdout.write(`\r\x1b[K${cutLine(sayFlip(flip), outputWidth() - 1)}`);
}

function welcome({ home, socket }: Stage, url: string): void {
  say(`${bold("Rollcall is watching")} a made-up fleet of 12 agents at ${bold(url)}`);
  say(dim(`home ${home}`));
  say("");
  say("Look at it from another terminal:");
  const name = callName();
  for (const [command, what] of [
    [`export ROLLCALL_HOME=${home}`, ""],
    [`${name} top`, "the roll, on the full screen"],
    [`${name} answer release 1`, "answers its question"],
    [`${name} explain migrator`, "why an agent is in its state"],
    [`${name} peek fixer`, "its screen"],
    [`${name} incidents list`, "what went wrong"],
    [`${name} deliveries list`, "the alerts that were sent"],
    ...(socket === undefined ? [] : ([[`tmux -L ${socket} attach -t release`, "the agent itself"]] as const)),
  ] as const) {
    say(`  ${command.padEnd(what === "" ? 0 : 45)}  ${dim(what)}`.trimEnd());
  }
  say("");
  say("After 15 s scraper falls silent, after 30 s migrator and fixer stall.");
  say("trainer crashes every 20 s, and Rollcall restarts it.");
  say("Ctrl-C here ends the demo and removes everything.");
  say("");
}
