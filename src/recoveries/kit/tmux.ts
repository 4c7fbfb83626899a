import * as z from "zod";
import type { Target } from "../../ports/recovery.ts";
import type { Ran, Runner } from "./deps.ts";

/** The pane that the agent's signal follows: its id, its server and session, and the process in it. */
const remembered = z.object({
  pane: z.object({ pane: z.object({ id: z.string(), sitting: z.string(), pid: z.number() }) }),
});
const server = z.object({ socket: z.string().optional(), socketPath: z.string().optional() });

/** A pane as it is now. */
export interface Pane {
  readonly id: string;
  readonly pid: number;
  readonly dead: boolean;
  /** Why keys would not reach its program, or not only that. */
  readonly deaf?: string;
  readonly cursor: { readonly x: number; readonly y: number };
}

interface Followed {
  readonly id: string;
  readonly sitting: string;
  readonly pid: number;
}

type Found = { readonly pane: Pane } | { readonly missing: string };

const FORMAT = [
  ...["#{pane_id}", "#{pid}#{session_id}", "#{pane_pid}", "#{pane_dead}", "#{pane_in_mode}"],
  ...["#{pane_input_off}", "#{pane_synchronized}", "#{cursor_x}", "#{cursor_y}"],
].join("|");

/** The tmux pane of one agent: that very pane with that very process, or none. */
export class AgentPane {
  readonly #run: Runner;
  readonly #where: readonly string[];
  readonly #followed: Followed;

  private constructor(run: Runner, where: readonly string[], followed: Followed) {
    this.#run = run;
    this.#where = where;
    this.#followed = followed;
  }

  /** Undefined if the agent has no pane that was ever seen. */
  static of({ agent, memories }: Target, run: Runner): AgentPane | undefined {
    const settings = server.safeParse(agent.signals?.tmux);
    const memory = remembered.safeParse(memories.tmux);
    if (!settings.success || !memory.success) return undefined;
    const { socket, socketPath } = settings.data;
    // As the signal asks: the default server is named too, because inside a pane of another one tmux would take that one.
    const where = socketPath ? ["-S", socketPath] : ["-L", socket ?? "default"];
    return new AgentPane(run, where, memory.data.pane.pane);
  }

  /** How a person names its server. */
  get server(): string {
    const [flag, value = ""] = this.#where;
    return value === "default" ? "tmux" : `tmux ${flag} ${value}`;
  }

  ask(args: readonly string[], abort?: AbortSignal): Promise<Ran> {
    return this.#run("tmux", ["-u", ...this.#where, ...args], abort);
  }

  async find(abort?: AbortSignal): Promise<Found> {
    const { id, sitting, pid } = this.#followed;
    const ran = await this.ask(["display-message", "-p", "-t", id, FORMAT], abort);
    if (ran.how !== "ended" || ran.status !== 0)
      return { missing: `the pane ${id} does not exist${said(ran)}` };
    const [now = "", where, process, dead, mode, off, synchronized, x, y] = ran.stdout.trim().split("|");
    if (now !== id || where !== sitting) return { missing: `the pane ${id} no longer exists` };
    if (Number(process) !== pid) return { missing: `another program runs in the pane ${id} now` };
    const deaf =
      mode !== "0"
        ? "a person is scrolling in its pane"
        : off === "1"
          ? "its pane does not accept input"
          : synchronized === "1"
            ? "text typed into its pane also goes to other panes"
            : undefined;
    const cursor = { x: Number(x), y: Number(y) };
    return { pane: { id, pid, dead: dead === "1", cursor, ...(deaf === undefined ? {} : { deaf }) } };
  }
}

/** What a program said about its failure, for the end of a sentence. */
export function said(ran: Ran): string {
  if (ran.how === "missing") return " (it is not installed)";
  if (ran.how === "failed") return ` (${ran.problem})`;
  return ran.stderr === "" ? "" : ` (${ran.stderr})`;
}
