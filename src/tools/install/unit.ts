import type { Millis } from "../../core/duration.ts";
import { InstallError, refuseControl } from "../../home/install-error.ts";
import type { Program } from "../../home/program.ts";

/** For whom the service runs: one user by their own systemd, the machine, or any user by `rollcall@NAME`. */
export type UnitScope = "user" | "system" | "template";

export interface UnitParts {
  readonly scope: UnitScope;
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

export function unitName(scope: UnitScope): string {
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
  // After the first word, and only there, `$` begins a variable.
  const given = command.map((word) => quoted("the path", word).replaceAll("$", "$$$$"));
  return `${UNIT_MARK}
[Unit]
Description=Rollcall, watches agents${scope === "template" ? " of %i" : ""}
After=network.target
# No start limit: systemd always restarts the watcher, after RestartSec.
StartLimitIntervalSec=0

[Service]
Type=notify
# systemd-notify, a child of the daemon, sends the messages.
NotifyAccess=all
ExecStart=${executable(program.node)} ${given.join(" ")}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=10s
WatchdogSec=${watchdogMs / 1000}s
# Before it is ready, the watcher reads the beats that agents sent while it was down.
TimeoutStartSec=5min
StandardOutput=journal
StandardError=journal
SyslogIdentifier=rollcall
${USERS[scope]}WorkingDirectory=~
${Object.entries(variables)
  .map(([name, value]) => `Environment=${quoted(name, `${name}=${value}`)}\n`)
  .join("")}# Agents that the daemon started, and their tmux, keep running when it stops.
KillMode=process
# An agent that uses too much memory must not stop the watcher.
OOMPolicy=continue
${HARDENING[scope]}
[Install]
WantedBy=${scope === "user" ? "default.target" : "multi-user.target"}
`;
}

/** With a user set, even root, systemd sets HOME, which agents need. */
const USERS: Readonly<Record<UnitScope, string>> = { user: "", system: "User=root\n", template: "User=%i\n" };

const INHERITED = `# Agents that the daemon restarts inherit these settings, so they must not restrict agents. PrivateTmp would hide
# tmux sockets, ProtectHome and ProtectSystem would hide the agents' files, MemoryDenyWriteExecute would break Node.
`;

const UNPRIVILEGED = `${INHERITED}# No filter of system calls: without privileges each one implies NoNewPrivileges, and sudo would fail in agents.
`;

const HARDENING: Readonly<Record<UnitScope, string>> = {
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
    `systemd cannot start ${path}, because the path contains quotes or backslashes; install Node elsewhere`,
  );
}

/** One word of a unit file: `%` begins a specifier; quotes and backslashes as in C. */
function quoted(what: string, text: string): string {
  refuseControl(what, text);
  const escaped = text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%");
  return /^[\w@+=:,./%-]+$/.test(escaped) ? escaped : `"${escaped}"`;
}
