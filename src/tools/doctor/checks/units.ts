import { existsSync } from "node:fs";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok, warn } from "../check.ts";
import { crontabsHere } from "../wakes/crontab.ts";
import { type FileNeed, needsOfWords } from "../wakes/needs.ts";
import { type Lack, lackOf } from "../wakes/on-disk.ts";
import { assignmentIn } from "../wakes/shell.ts";
import {
  execCommands,
  isUnitThere,
  type Specifiers,
  specified,
  type Unit,
  type UnitSetting,
  unitsHere,
  unitWords,
  valuesOf,
} from "../wakes/unit.ts";

/** What systemd gives a service that sets no PATH of its own. */
const SYSTEMD_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
const EXEC = [
  ...["ExecCondition", "ExecStartPre", "ExecStart", "ExecStartPost"],
  ...["ExecReload", "ExecStop", "ExecStopPost"],
];

export const unitsCheck: Check = {
  name: "units",
  looksAt:
    "systemd services and timers that Rollcall wrote or that mention heartbeat or rollcall: every file that they need exists",
  worst: "error",
  async run(context) {
    const units = unitsHere(context.host);
    if (units.length === 0) return [ok("no systemd unit has to do with Rollcall")];
    const found = units.flatMap((unit) => lookAtUnit(unit, context));
    if (found.length > 0) return found;
    const points = units.length === 1 ? "1 systemd unit points" : `${units.length} systemd units point`;
    return [ok(`${points} at files that exist`)];
  },
};

function lookAtUnit(unit: Unit, context: CheckContext): readonly CheckFinding[] {
  const tell = (where: string, { says, hidden }: Lack): CheckFinding => ({
    level: hidden ? "note" : "error",
    says: `${unit.file}${where}: ${says}`,
    todo: hidden ? `Look as root: sudo ${context.command("doctor")}` : correct(unit, context),
  });
  const { settings } = unit;
  if (settings === undefined)
    return [tell("", { says: "it is a link to a file that does not exist", hidden: false })];
  if (unit.name.endsWith(".timer")) return lookAtTimer(unit, settings, context);
  // With a root of its own the service sees other files than we do.
  if (["RootDirectory", "RootImage"].some((key) => valuesOf(settings, key).length > 0)) return [];
  return needsOfUnit(unit, settings, context).flatMap(({ key, need }) => {
    const lack = lackOf(need);
    return lack === undefined ? [] : [tell(`, ${key}`, lack)];
  });
}

function lookAtTimer(
  unit: Unit,
  settings: readonly UnitSetting[],
  { host }: CheckContext,
): readonly CheckFinding[] {
  const service = valuesOf(settings, "Unit").at(-1) ?? unit.name.replace(/\.timer$/, ".service");
  if (service.includes("%") || isUnitThere(service, unit.manager, host)) return [];
  const says = `${unit.file}: it starts ${service}, but there is no such unit`;
  return [fail(says, `Disable the timer: ${systemctl(unit)} disable --now ${unit.name}`)];
}

function needsOfUnit(
  unit: Unit,
  settings: readonly UnitSetting[],
  context: CheckContext,
): readonly { readonly key: string; readonly need: FileNeed }[] {
  const specifiers = specifiersOf(unit, context);
  const variables = new Map([["PATH", SYSTEMD_PATH]]);
  for (const word of valuesOf(settings, "Environment").flatMap(unitWords)) {
    const pair = assignmentIn(specified(word, specifiers));
    if (pair !== undefined) variables.set(...pair);
  }
  const folders = valuesOf(settings, "WorkingDirectory").slice(-1);
  const around = { folder: workingFolder(folders[0], unit, specifiers), variables };
  const path = SYSTEMD_PATH;
  const named = (key: string, kind: FileNeed["kind"], values: readonly string[]) =>
    values.flatMap((value) => {
      const name = specified(unitWords(value)[0] ?? "", specifiers);
      // A dash says that it may be missing; a pattern that there may be any number.
      if (name === undefined || !name.startsWith("/") || /[*?[]/.test(name)) return [];
      return [{ key, need: { kind, name, path } }];
    });
  return [
    ...named("WorkingDirectory", "folder", folders),
    ...named("EnvironmentFile", "file", valuesOf(settings, "EnvironmentFile")),
    ...EXEC.flatMap((key) =>
      valuesOf(settings, key)
        .flatMap((value) => execCommands(value, specifiers, variables))
        .flatMap((words) => needsOfWords(words, around).map((need) => ({ key, need }))),
    ),
  ];
}

function workingFolder(value: string | undefined, unit: Unit, specifiers: Specifiers): string | undefined {
  if (value === undefined) return unit.manager === "user" ? specifiers.h : "/";
  const plain = value.replace(/^-/, "");
  return plain === "~" ? specifiers.h : specified(plain, specifiers);
}

/** Those that do not depend on the instance. In the system's manager `%h` is root's, whoever the service runs as. */
function specifiersOf({ name, manager }: Unit, { host }: CheckContext): Specifiers {
  const plain = name.replace(/\.[^.]+$/, "");
  const template = plain.includes("@");
  return {
    h: manager === "user" ? host.userHome : "/root",
    u: manager === "user" ? host.user : "root",
    p: plain.replace(/@.*$/, ""),
    ...(template ? {} : { n: name, N: plain, i: "", I: "" }),
  };
}

function correct(unit: Unit, { command }: CheckContext): string {
  if (unit.name.startsWith("rollcall"))
    return `Install it again with the current paths: ${command(`install systemd --${unit.manager}`)}`;
  return `Put the file back, or correct the unit: ${systemctl(unit)} edit --full ${unit.name}`;
}

function systemctl({ manager }: Unit): string {
  return manager === "user" ? "systemctl --user" : "sudo systemctl";
}

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
    if (places.length > 0) return [ok(`installed in ${places.join(", ")}`)];
    const how = existsSync(host.system("/run/systemd/system")) ? "install systemd --user" : "install cron";
    const says = "neither cron nor systemd restarts the watcher after a crash or a reboot";
    return [note(says, `Install it: ${command(how)}`)];
  },
};

/** logind notes who lingers by a file of that name. */
const LINGER = "/var/lib/systemd/linger";

export const lingerCheck: Check = {
  name: "linger",
  looksAt: "the user's own units keep running after logout",
  worst: "warning",
  async run({ host }) {
    // Units in the system's folders belong to every user; who wants to linger for them is for each to say.
    const own = unitsHere(host).filter(({ file }) =>
      host.userUnitFolders.some((folder) => file.startsWith(folder)),
    );
    if (own.length === 0) return [ok("no unit of this user has to do with Rollcall")];
    if (existsSync(host.system(`${LINGER}/${host.user}`)))
      return [ok(`the units of ${host.user} keep running after logout`)];
    const says = `${own.map(({ name }) => name).join(", ")} stops when ${host.user} logs out, and does not start at boot`;
    return [warn(says, `Keep it running: sudo loginctl enable-linger ${host.user}`)];
  },
};
