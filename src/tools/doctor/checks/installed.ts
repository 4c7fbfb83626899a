import { existsSync } from "node:fs";
import type { Check } from "../check.ts";
import { crontabsHere } from "../wakes/crontabs-here.ts";
import { valuesOf } from "../wakes/unit.ts";
import { unitsHere } from "../wakes/units-here.ts";

/** A command of ours after which a watcher runs. */
const STARTS = /rollcall\S*\s.*\b(?:up|ensure|start)\b/;

export const installedCheck: Check = {
  name: "installed",
  looksAt: "systemd or cron restarts the watcher after a crash or a reboot",
  worst: "note",
  async run({ host, command }) {
    const crontabs = (await crontabsHere(host)).filter(({ lines }) =>
      lines.some(({ text }) => STARTS.test(text)),
    );
    const units = unitsHere(host).filter(({ settings = [] }) =>
      valuesOf(settings, "ExecStart").some((value) => STARTS.test(value)),
    );
    const places = [...crontabs.map(({ called }) => called), ...units.map(({ file }) => file)];
    if (places.length > 0) return [{ level: "ok", says: `installed in ${places.join(", ")}` }];
    const how = existsSync(host.system("/run/systemd/system")) ? "install systemd --user" : "install cron";
    const says = "neither cron nor systemd restarts the watcher after a crash or a reboot";
    return [{ level: "note", says, todo: `Install it: ${command(how)}` }];
  },
};
