import { Command } from "commander";
import { examples } from "../input/arguments.ts";
import type { CommonOptions } from "../output/roll.ts";
import { bold, plain, say, sayDone, sayJson } from "../output/terminal.ts";

export function leaveCommand(): Command {
  return new Command("leave")
    .description("stop reporting to the hub that this host joined; the host then uses its own channels again")
    .option("--json", "print JSON: {host, url}")
    .addHelpText("after", examples("leave"))
    .action(async ({ json, ...options }: CommonOptions) => {
      const { leaveHub } = await import("../../tools/join/leave.ts");
      const { host, url, told } = await leaveHub(options.home);
      if (json === true) return sayJson({ host, url });
      sayDone(undefined, {}, `left ${plain(url)}, where this host was ${bold(plain(host))}`);
      if (told !== undefined) say(told);
      // The hub's host of this name may be another machine, of which this home is a copy.
      say(
        `Its agents stay on the hub's roll until you run this on the hub: rollcall hosts revoke ${host}\nIf this home is a copy of another one that still reports as ${host}, do not run it: it would cut off that one.`,
      );
    });
}
