import { Command } from "commander";
import type { Flip } from "../../core/liveness/verdict.ts";
import { up } from "../../daemon/up.ts";
import type { Common } from "../roll.ts";
import { bold, dim, paintState, plain, say } from "../terminal.ts";

export function upCommand(): Command {
  return new Command("up")
    .description("watch, in the foreground, until Ctrl-C")
    .option(
      "--listen <address>",
      "where beats and readers come in, such as 127.0.0.1:7766 (port 0: a free one)",
    )
    .addHelpText("after", "\nExample:\n  $ rollcall up --listen 127.0.0.1:0")
    .action(async (options: Common & { listen?: string }) => {
      const watcher = await up({ ...options, onFlip: (flip) => say(sayFlip(flip)) });
      const agents = watcher.agents === 1 ? "1 agent" : `${watcher.agents} agents`;
      say(`${bold("Rollcall is watching")} ${agents} and listens at ${bold(watcher.url)}`);
      say(dim(`home ${watcher.home.path}, config ${watcher.configFile ?? "none (not needed)"}`));
      say("");
      say("What next, in another terminal:");
      say(`  curl -fsS ${watcher.url}/beat/allegro        a first beat; so does: rollcall beat allegro`);
      say("  rollcall status                                      the roll; --watch keeps it on screen");
      say("  Ctrl-C here stops the watcher; agents go on, and their beats wait in the spool.");
      say("");
      await untilSignal();
      say("stopping …");
      await watcher.stop();
      say("stopped; everything is saved");
    });
}

function sayFlip({ agent, from, to, at, why }: Flip): string {
  const time = new Date(at).toTimeString().slice(0, 8);
  return `${dim(time)}  ${agent}: ${from} → ${paintState(to)}  ${dim(plain(why))}`;
}

/** The first signal asks to stop; a second one does not wait. */
function untilSignal(): Promise<void> {
  return new Promise((done) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(130);
      asked = true;
      done();
    };
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  });
}
