import { SECRETIVE } from "../../core/environment.ts";
import { given } from "../../core/given.ts";
import { quoted } from "../../core/quoted.ts";
import { cronProblem } from "../../core/schedule/cron.ts";
import { type CronWake, type Imported, Names, type OldLine } from "./imported.ts";
import { type App, readPm2 } from "./pm2-apps.ts";

/** Processes of pm2 become agents that `rollcall run` starts, cron at boot, and Rollcall again when they die. */
export function importPm2(text: string, file: string, zone: string): Imported {
  const names = new Names();
  const agents: object[] = [];
  const wakes: CronWake[] = [];
  const canGo = new Map<string, OldLine>();
  const notCarried: string[] = [];
  const todo: string[] = [];
  const { apps, savedVariables } = readPm2(text, file);
  for (const app of apps) {
    const { name, cron, copies } = app;
    const problem = problemOf(app, zone);
    if (problem !== undefined) {
      notCarried.push(`${name}: ${problem}`);
      continue;
    }
    const isMany = copies > 1 || apps.filter((other) => other.name === name && !other.isStopped).length > 1;
    const settings = settingsOf(app, zone);
    for (let copy = 0; copy < copies; copy += 1) {
      const id = names.idFor(name);
      const called = { name: id === name ? undefined : name, group: isMany ? name : undefined };
      agents.push(given({ id, ...called, ...settings }));
      wakes.push(wakeOf(id, app, isJob(app) ? (cron ?? "") : "@reboot"));
      if (!canGo.has(name)) canGo.set(name, { text: `pm2 delete ${quoted(name)}`, agent: id });
    }
    notCarried.push(...app.leftOut.map((what) => `${name}: ${what}`));
    if (cron !== undefined && !isJob(app))
      notCarried.push(`${name}: the restart at "${cron}"; Rollcall restarts agents that died`);
    const secrets = secretsOf(app);
    if (secrets.length > 0)
      todo.push(
        `${name} needs ${secrets.join(", ")}: set them for the watcher, and where cron starts it at boot`,
      );
  }
  if (savedVariables > 0)
    notCarried.push(
      `the ${savedVariables} variables that pm2 saved from its shell; commands get PATH, HOME and the like, and more through passEnv`,
    );
  if (agents.length > 0)
    todo.push(
      "remove the processes from pm2 first (pm2 delete …, pm2 save, pm2 unstartup), then start each once: run the commands after @reboot",
    );
  return {
    config: { agents },
    wakes,
    canGo: [...canGo.values()],
    notCarried: [...new Set(notCarried)],
    todo,
  };
}

function problemOf(app: App, zone: string): string | undefined {
  if (app.isStopped) return "left out, because pm2 has stopped it";
  const problem = isJob(app) ? cronProblem(app.cron ?? "", zone) : undefined;
  return problem === undefined ? undefined : `its schedule "${app.cron}": ${problem}`;
}

function settingsOf(app: App, zone: string): object {
  const process = { journal: true };
  if (isJob(app)) return { schedule: app.cron, timezone: zone, process };
  return { process, recover: app.autorestart ? [restartOf(app)] : undefined };
}

/** pm2's way of a cron job: it starts at times, and is not restarted when it ends. */
function isJob({ cron, autorestart }: App): boolean {
  return cron !== undefined && !autorestart;
}

function restartOf(app: App): object {
  const { command, cwd } = app;
  const [plain, secrets] = [plainOf(app), secretsOf(app)];
  const env = plain.length === 0 ? undefined : Object.fromEntries(plain);
  const passEnv = secrets.length === 0 ? undefined : secrets;
  return { do: "restart", with: given({ command, run: true, cwd, env, passEnv }) };
}

function wakeOf(id: string, app: App, schedule: string): CronWake {
  const plain = plainOf(app);
  const variables =
    plain.length === 0 ? [] : ["/usr/bin/env", ...plain.map(([name, value]) => `${name}=${value}`)];
  const command = [...variables, ...app.command];
  // The job of a crontab starts in the home folder.
  const there =
    app.cwd === undefined ? command : ["/bin/sh", "-c", 'cd "$0" && exec "$@"', app.cwd, ...command];
  return { block: `agent ${id}`, schedule, args: ["run", id, "--", ...there], environment: "of this shell" };
}

function plainOf({ env }: App): readonly (readonly [string, string])[] {
  return Object.entries(env).filter(([name]) => !SECRETIVE.test(name.toUpperCase()));
}

/** A secret does not belong into a config: it is passed on by its name. */
function secretsOf({ env }: App): readonly string[] {
  return Object.keys(env).filter((name) => SECRETIVE.test(name.toUpperCase()));
}
