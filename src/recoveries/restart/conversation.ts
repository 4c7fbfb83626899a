import * as z from "zod";
import { HOOK_CLIENTS, type HookClient } from "../../core/hook/event.ts";
import { quoted } from "../../core/quoted.ts";
import type { Command } from "../../core/recovery/ladder.ts";
import type { Target } from "../../ports/recovery.ts";

/** A session of a client, as the client names it. */
interface Conversation {
  readonly client: HookClient;
  readonly id: string;
}

/** How each client is told to go on in a conversation. */
const RESUME: Readonly<Record<HookClient, (id: string) => readonly string[]>> = {
  "claude-code": (id) => ["--resume", id],
  codex: (id) => ["resume", id],
  opencode: (id) => ["--session", id],
  "gemini-cli": (id) => ["--resume", id],
  "qwen-code": (id) => ["--resume", id],
  copilot: (id) => [`--resume=${id}`],
};

const client = z.enum(HOOK_CLIENTS);
/** A client's own word, which becomes an argument: nothing that a program could take for an option. */
const id = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/);
const told = z.array(
  z
    .object({ client, id, seenAt: z.number() })
    .loose()
    .catch(null as never),
);
const written = z.object({ ledger: z.object({ path: z.string() }) });
const transcript = z.object({ client });
const UUID = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/;

/** The agent's last conversation: what its client's hooks said, or else what its transcript is called. */
export function conversationOf({
  agent,
  memories,
}: Pick<Target, "agent" | "memories">): Conversation | undefined {
  const sessions = (told.safeParse(memories.hook).data ?? []).filter((one) => one !== null);
  const last = sessions.toSorted((a, b) => b.seenAt - a.seenAt)[0];
  if (last !== undefined) return { client: last.client, id: last.id };
  const named = transcript.safeParse(agent.signals?.transcript).data;
  const uuid = UUID.exec(written.safeParse(memories.transcript).data?.ledger.path ?? "")?.[1];
  return named === undefined || uuid === undefined ? undefined : { client: named.client, id: uuid };
}

/** The command with which the client goes on where it was; where that is not known, it begins anew. */
export function inConversation(
  how: Command,
  target: Pick<Target, "agent" | "memories">,
): { readonly command: Command; readonly words: string } {
  const last = conversationOf(target);
  if (last === undefined) return { command: how, words: "in a new conversation, because none is known" };
  const args = RESUME[last.client](last.id);
  const { command } = how;
  const whole =
    typeof command === "string"
      ? `${command} ${args.map(quoted).join(" ")}`
      : ([...command, ...args] as const);
  return { command: { ...how, command: whole }, words: `in its conversation ${last.id}` };
}
