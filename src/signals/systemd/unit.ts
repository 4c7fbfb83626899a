import { signalName } from "../../system/signal-name.ts";

/** A unit as `systemctl show` describes it. */
export interface Unit {
  readonly load: string;
  readonly active: string;
  readonly sub: string;
  readonly pid: number;
  readonly result: string;
  readonly status: number;
}

export const PROPERTIES = ["LoadState", "ActiveState", "SubState", "MainPID", "Result", "ExecMainStatus"];

export function parseUnit(text: string): Unit {
  const values = new Map<string, string>();
  for (const line of text.split("\n")) {
    const equals = line.indexOf("=");
    if (equals > 0) values.set(line.slice(0, equals), line.slice(equals + 1));
  }
  const value = (name: string) => values.get(name) ?? "";
  return {
    load: value("LoadState"),
    active: value("ActiveState"),
    sub: value("SubState"),
    pid: Number(value("MainPID")),
    result: value("Result"),
    status: Number(value("ExecMainStatus")),
  };
}

/** `exit 3`, `signal SIGKILL`, or what systemd calls it, as `timeout`. */
export function sayResult({ result, status }: Unit): string {
  if (result === "exit-code") return `exit ${status}`;
  if (result === "signal" || result === "core-dump") return `${result} ${signalName(status)}`;
  return result === "success" ? `exit ${status}` : result;
}
