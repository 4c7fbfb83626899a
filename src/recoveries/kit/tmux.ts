import * as z from "zod";
import { given } from "../../core/given.ts";
import type { Target } from "../../ports/recovery.ts";
import type { Runner } from "../../system/exec.ts";
import { Tmux, type TmuxServer } from "../../system/tmux.ts";
import { tmuxCommand } from "../../system/tmux-servers.ts";

/** The pane that the agent's signal follows: its id, its server and session, and the process in it. */
const remembered = z.object({
  pane: z.object({ pane: z.object({ id: z.string(), sitting: z.string(), pid: z.number() }) }),
});
const server = z.object({ socket: z.string().optional(), socketPath: z.string().optional() });

/** A pane as it is now. */
export interface LivePane {
  readonly id: string;
  readonly pid: number;
  readonly dead: boolean;
  /** Why keys would not reach its program, or not only that. */
  readonly deaf?: string;
  readonly cursor: { readonly x: number; readonly y: number };
  /** Its terminal, such as `/dev/pts/3`. */
  readonly terminal: string;
}

type Followed = z.output<typeof remembered>["pane"]["pane"];
type Found = { readonly pane: LivePane } | { readonly missing: string };

const FORMAT = [
  ...["#{pane_id}", "#{pid}#{session_id}", "#{pane_pid}", "#{pane_dead}", "#{pane_in_mode}"],
  ...["#{pane_input_off}", "#{pane_synchronized}", "#{cursor_x}", "#{cursor_y}"],
  "#{pane_tty}",
].join("|");

/** The tmux pane of one agent: that very pane with that very process, or none. */
export class AgentPane {
  readonly tmux: Tmux;
  /** How a person names its server. */
  readonly server: string;
  readonly #followed: Followed;

  private constructor(server: TmuxServer, run: Runner, followed: Followed) {
    this.tmux = new Tmux(server, run);
    this.server = tmuxCommand(server);
    this.#followed = followed;
  }

  /** Undefined if the agent has no pane that was ever seen. */
  static of({ agent, memories }: Target, run: Runner): AgentPane | undefined {
    const settings = server.safeParse(agent.signals?.tmux);
    const memory = remembered.safeParse(memories.tmux);
    if (!settings.success || !memory.success) return undefined;
    return new AgentPane(settings.data, run, memory.data.pane.pane);
  }

  /** Whether the session that the pane was in is still there. */
  async hasSession(abort?: AbortSignal): Promise<boolean> {
    const { sitting } = this.#followed;
    const session = /\$\d+$/.exec(sitting)?.[0];
    if (session === undefined) return false;
    const told = await this.tmux.describe(session, "#{pid}#{session_id}", abort);
    return told.how === "answered" && told.value.trim() === sitting;
  }

  async find(abort?: AbortSignal): Promise<Found> {
    const { id, sitting, pid } = this.#followed;
    const told = await this.tmux.describe(id, FORMAT, abort);
    if (told.how !== "answered") return { missing: `the pane ${id} does not exist (${told.problem})` };
    const [now = "", where, process, dead, mode, off, synchronized, x, y, terminal = ""] = told.value
      .trim()
      .split("|");
    if (now !== id || where !== sitting) return { missing: `the pane ${id} no longer exists` };
    if (Number(process) !== pid) return { missing: `another program runs in the pane ${id} now` };
    const deaf = [
      mode !== "0" && "a person is scrolling in its pane",
      off === "1" && "its pane does not accept input",
      synchronized === "1" && "text typed into its pane also goes to other panes",
    ].find((why) => why !== false);
    const cursor = { x: Number(x), y: Number(y) };
    return { pane: given({ id, pid, dead: dead === "1", cursor, terminal, deaf }) };
  }
}
