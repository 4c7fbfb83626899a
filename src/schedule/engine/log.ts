import type { Log } from "../../ports/log.ts";

/** The scheduler's log for one action. */
export function logOf(log: Log, action: string): Log {
  return {
    info: (fields, message) => log.info({ action, ...fields }, message),
    warn: (fields, message) => log.warn({ action, ...fields }, message),
    error: (fields, message) => log.error({ action, ...fields }, message),
  };
}

/** For programs that bring no log: what went wrong is worth a line, the rest is not. */
export const stderrLog: Log = {
  info: () => {},
  warn: (_, message) => console.warn(message),
  error: (_, message) => console.error(message),
};

/** The scheduler's lines for a program's own logger, whatever its make: one text each, which names the action. */
export function textLog(logger: unknown): Log {
  const call = (level: keyof Log) => (fields: object, message: string) => {
    const { action } = fields as { readonly action?: unknown };
    const text = typeof action === "string" ? `${message} (action ${action})` : message;
    (logger as Partial<Record<keyof Log, (text: string) => void>>)[level]?.(text);
  };
  return { info: call("info"), warn: call("warn"), error: call("error") };
}
