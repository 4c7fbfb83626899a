import type { Check } from "./check.ts";
import { agentsCheck } from "./checks/agents.ts";
import { budgetsCheck } from "./checks/budgets.ts";
import { clockCheck } from "./checks/clock.ts";
import { configCheck } from "./checks/config.ts";
import { connectCheck } from "./checks/connect.ts";
import { crontabCheck } from "./checks/crontab.ts";
import { daemonCheck } from "./checks/daemon.ts";
import { databaseCheck } from "./checks/database.ts";
import { deliveriesCheck } from "./checks/deliveries.ts";
import { diskCheck } from "./checks/disk.ts";
import { filesCheck } from "./checks/files.ts";
import { homeCheck } from "./checks/home.ts";
import { hubCheck } from "./checks/hub.ts";
import { hubsCheck } from "./checks/hubs.ts";
import { logsCheck } from "./checks/logs.ts";
import { nodeCheck } from "./checks/node.ts";
import { ownBeatCheck } from "./checks/own-beat.ts";
import { postgresCheck } from "./checks/postgres.ts";
import { spoolCheck } from "./checks/spool.ts";
import { tmuxCheck } from "./checks/tmux.ts";
import { installedCheck, lingerCheck, unitsCheck } from "./checks/units.ts";

/** What `rollcall doctor` looks at, in this order: first what everything else stands on. */
export const CHECKS: readonly Check[] = [
  nodeCheck,
  homeCheck,
  filesCheck,
  diskCheck,
  configCheck,
  databaseCheck,
  postgresCheck,
  daemonCheck,
  ownBeatCheck,
  clockCheck,
  spoolCheck,
  deliveriesCheck,
  hubCheck,
  hubsCheck,
  agentsCheck,
  budgetsCheck,
  tmuxCheck,
  logsCheck,
  connectCheck,
  installedCheck,
  crontabCheck,
  unitsCheck,
  lingerCheck,
];
