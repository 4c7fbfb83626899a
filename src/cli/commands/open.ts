import { Command } from "commander";
import { homeAt } from "../../home/home.ts";
import { runningWatcher } from "../../home/running-watcher.ts";
import { ask } from "../../service/client.ts";
import { startGroup } from "../../system/exec.ts";
import { examples } from "../input/arguments.ts";
import { Failure } from "../output/failure.ts";
import type { CommonOptions } from "../output/roll.ts";
import { say, sayJson } from "../output/terminal.ts";

interface Options extends CommonOptions {
  readonly print?: true;
}

export function openCommand(): Command {
  return new Command("open")
    .description("open the dashboard in a browser, signed in")
    .option("--print", "print the address instead; it signs one browser in, once, within 60 s")
    .option("--json", "print JSON: {url, expiresAt}")
    .addHelpText("after", examples("open", "open --print"))
    .action(async ({ print, json, ...common }: Options) => {
      const home = homeAt(common.home);
      const watcher = runningWatcher(home)?.url;
      if (watcher === undefined)
        throw new Failure("no watcher is running in this home; start one: rollcall up");
      const made = await ask(home, watcher, "POST", "/api/v1/session/codes");
      const { url } = made as { url: string };
      if (json === true) return sayJson(made);
      if (print !== true && (await openInBrowser(url)))
        return say(`Opened the dashboard at ${watcher} in a browser, signed in.`);
      say(url);
      process.stderr.write("This address signs one browser in, once, within 60 s.\n");
    });
}

function hasDisplay(): boolean {
  const { DISPLAY, WAYLAND_DISPLAY } = process.env;
  return process.platform === "darwin" || Boolean(DISPLAY) || Boolean(WAYLAND_DISPLAY);
}

/** Whether a program took the address; where there is none, the address is printed. */
export async function openInBrowser(url: string): Promise<boolean> {
  if (!hasDisplay()) return false;
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  return (await startGroup([program, url], { stdio: "ignore", env: process.env }).ended).code === 0;
}
