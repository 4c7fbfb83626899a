import type { Millis } from "../../core/duration.ts";
import { InstallError, refuseControl } from "../../home/install-error.ts";
import type { Program } from "../../home/program.ts";

/** For whom the service runs: one user by their own systemd, the machine, or any user by `rollcall@NAME`. */
export type Scope = "user" | "system" | "template";

export interface UnitParts {
  readonly scope: Scope;
  readonly program: Program;
  readonly path: string;
  /** Set if a home was named; otherwise the service finds `~/.rollcall` itself. */
  readonly home?: string | undefined;
  readonly config?: string | undefined;
  readonly listen?: string | undefined;
  readonly watchdogMs: Millis;
}

/** Only a file with this line is ours to change or to remove. */
export const UNIT_MARK = "# Written by `rollcall install systemd`; `rollcall uninstall systemd` removes it.";

export function unitName(scope: Scope): string {
  return scope === "template" ? "rollcall@.service" : "rollcall.service";
}

/** The text of the unit. The comments in it say why, because it is read where this file is not. */
export function unitText(parts: UnitParts): string {
  const { scope, program, path, home, config, listen, watchdogMs } = parts;
  const variables = { PATH: path, ...(home === undefined ? {} : { ROLLCALL_HOME: home }) };
  const command = [
    ...[program.script, "up"],
    ...(config === undefined ? [] : ["--config", config]),
    ...(listen === undefined ? [] : ["--listen", listen]),
  ];
  return `${UNIT_MARK}
[Unit]
Description=Rollcall, the watcher of the agents${scope === "template" ? " of %i" : ""}
After=network.target
# A watcher is never given up: RestartSec keeps the pace.
StartLimitIntervalSec=0

[Service]
Type=notify
# The messages are sent by systemd-notify, a child of the daemon.
NotifyAccess=all
ExecStart=${executable(program.node)} ${command.map(argument).join(" ")}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=10s
WatchdogSec=${watchdogMs / 1000}s
# What agents sent while the watcher was down is taken up before it is ready.
TimeoutStartSec=5min
StandardOutput=journal
StandardError=journal
SyslogIdentifier=rollcall
${USERS[scope]}WorkingDirectory=~
${Object.entries(variables)
  .map(([name, value]) => `Environment=${quoted(name, `${name}=${value}`)}\n`)
  .join("")}# Agents that the daemon started, and their tmux, live on when it ends.
KillMode=process
# An agent that takes too much memory is no reason to stop the watcher.
OOMPolicy=continue
${HARDENING[scope]}
[Install]
WantedBy=${scope === "user" ? "default.target" : "multi-user.target"}
`;
}

/** With a user set, even root, systemd sets HOME, which agents need. */
const USERS: Readonly<Record<Scope, string>> = { user: "", system: "User=root\n", template: "User=%i\n" };

const INHERITED = `# Every agent that the daemon brings back inherits what stands here, so it must not notice it. PrivateTmp would
# hide the sockets of tmux, ProtectHome and ProtectSystem what agents work on, MemoryDenyWriteExecute breaks Node.
`;

const UNPRIVILEGED = `${INHERITED}# Without privileges each filter of system calls brings NoNewPrivileges, and sudo fails in agents: hence none.
`;

const HARDENING: Readonly<Record<Scope, string>> = {
  user: UNPRIVILEGED,
  template: UNPRIVILEGED,
  system: `${INHERITED}ProtectKernelModules=yes
ProtectKernelLogs=yes
LockPersonality=yes
RestrictRealtime=yes
`,
};

/** The first word of a command. Systemd starts nothing whose path has such characters, however they are quoted. */
function executable(path: string): string {
  if (!/["'\\]/.test(path)) return quoted("the path", path);
  throw new InstallError(
    "bad-program",
    `systemd does not start ${path}, because its path contains quotes or backslashes; put Node elsewhere`,
  );
}

/** A word after the first: `$` begins a variable there, and only there. */
function argument(text: string): string {
  return quoted("the path", text).replaceAll("$", "$$$$");
}

/** One word of a unit file: `%` begins a specifier; quotes and backslashes as in C. */
function quoted(what: string, text: string): string {
  refuseControl(what, text);
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return /^[\w@+=:,./%-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}
