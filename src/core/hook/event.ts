import type { Asks } from "../asks.ts";
import type { Instant } from "../duration.ts";
import type { ToolCall } from "../liveness/calls.ts";
import type { Context, Reading } from "../liveness/observation.ts";
import type { Spent } from "../usage/usage.ts";

/** Coding agents that tell what they do, when asked to by `rollcall connect`. */
export const HOOK_CLIENTS = [
  "claude-code",
  "codex",
  "opencode",
  "gemini-cli",
  "qwen-code",
  "copilot",
] as const;
export type HookClient = (typeof HOOK_CLIENTS)[number];

export function isHookClient(text: string): text is HookClient {
  return (HOOK_CLIENTS as readonly string[]).includes(text);
}

/** What a client sent, and how. */
export interface HookPost {
  readonly client: HookClient;
  readonly payload: unknown;
  /** The name of the event, where the payload does not tell it. */
  readonly event?: string | undefined;
  /** A process at or below the client's. */
  readonly pid?: number | undefined;
  /** How long the machine had been up when the event left the client. */
  readonly sent?: number | undefined;
}

/** What an event says about its session. `nothing`: only that the session is there. */
export type HookSays =
  | Exclude<Reading, "spinning" | "looping">
  | "started"
  | "ended"
  | "child-began"
  | "child-ended"
  | "nothing";

/** One event of a client, in our words. */
export interface HookEvent {
  readonly session: string;
  /** What the client calls it. */
  readonly name: string;
  readonly says: HookSays;
  readonly context: Context;
  readonly cwd?: string;
  /** The client tells the ends of its turns and nothing else: it will not say that the next one has begun. */
  readonly endsOnly?: true;
  /** What it waits for: permission or question. */
  readonly detail?: string;
  readonly asks?: Asks;
  /** The tool that it calls, and the command that it runs. */
  readonly tool?: string;
  readonly command?: string;
  /** The call of a tool that begins; and that a person said something. */
  readonly call?: ToolCall;
  readonly prompted?: true;
  readonly resetAt?: Instant;
  /** The sub-agent that it is about. */
  readonly child?: string;
  /** Why a session ended. */
  readonly reason?: string;
  /** How much of the context is used, from 0 to 1, and what the session has cost, in US dollars. */
  readonly contextShare?: number;
  readonly cost?: number;
  /** What is used of the limits of the service; and that the context was compacted. */
  readonly limits?: Spent["limits"];
  readonly compacted?: true;
}
