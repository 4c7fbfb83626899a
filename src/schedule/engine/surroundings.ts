import type { Outgoing } from "../../core/action/state.ts";
import type { Log } from "../../ports/log.ts";
import type { HeartbeatContext, HeartbeatGateway, HeartbeatRuntime, HeartbeatSession } from "./action.ts";
import { ActionError } from "./options.ts";

/** What a program hands to its actions, each as it is; what it leaves out is ours. */
export interface Surroundings<Gateway = unknown, Runtime = unknown, Session = unknown, Logger = unknown> {
  /** The program's way to people. Messages of results go through its `send`. */
  readonly gateway?: Gateway | undefined;
  /** Another method of the gateway that takes a message, such as `broadcast`. */
  readonly send?: (keyof Gateway & string) | undefined;
  readonly runtime?: Runtime | undefined;
  readonly session?: Session | undefined;
  /** Such as `console`: `info`, `warn` and `error` are called with one text each. */
  readonly logger?: Logger | undefined;
}

/** What the actions of such a program get. */
export type ContextOf<Gateway, Runtime, Session, Logger> = HeartbeatContext<
  Or<Gateway, HeartbeatGateway>,
  Or<Runtime, HeartbeatRuntime>,
  Or<Session, HeartbeatSession>,
  Or<Logger, Log>
>;

/** As a default of the type parameter, ours would be demanded of what a program writes in place. */
type Or<Given, Ours> = unknown extends Given ? Ours : Given;

type Send = (text: string) => unknown;

/** The gateway's method for messages, bound to it; undefined if there is none. */
function sendOf({ gateway, send = "send" as never }: Surroundings): Send | undefined {
  const method = (gateway as Record<string, unknown> | undefined)?.[send];
  return typeof method === "function" ? (method.bind(gateway) as Send) : undefined;
}

/** Sends a message of a result through the gateway. Rejects if that fails: then it is tried again. */
export function gatewaySender(around: Surroundings): (message: Outgoing) => Promise<void> {
  const { send = "send" } = around;
  const deliver = sendOf(around);
  if (around.gateway !== undefined && deliver === undefined)
    throw new ActionError(
      "bad-option",
      `the gateway has no method ${send}; name the one that takes a text: send: "…"`,
    );
  return async ({ text }) => {
    try {
      await deliver?.(text);
    } catch (error) {
      throw new Error(`gateway.${send} failed: ${problemOf(error)}`);
    }
  };
}

/** What an action gets as its gateway: the program's own if that can send, else one that sends with the result. */
export function gatewayFor(around: Surroundings, sent: string[]): unknown {
  if (sendOf(around) !== undefined) return around.gateway;
  const { roll } = (around.gateway ?? {}) as Partial<HeartbeatGateway>;
  return {
    send: (text: string) => void sent.push(String(text)),
    roll: roll ?? (async () => []),
  } satisfies HeartbeatGateway;
}

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

/** What went wrong, for people: without the stack, whatever was thrown. */
export function problemOf(error: unknown): string {
  try {
    return (error instanceof Error && error.message) || String(error);
  } catch {
    return "something that cannot be shown was thrown";
  }
}
