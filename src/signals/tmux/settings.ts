import * as z from "zod";
import { mapping, text } from "../../ports/setting-forms.ts";

/** Every message says what would be right: it is shown after "expected". */
const SESSION = "the name of a tmux session";
const TARGET = "a tmux pane such as work:0.1, work:editor or %12";
const SOCKET = "the name of a tmux server, as for tmux -L";
const SOCKET_PATH = "the path of a tmux socket, as for tmux -S";

const MACHINE = "true or false: whether the machine is asked too (processes, connections, terminal mode)";

export const tmuxSettings = mapping({
  session: text(SESSION).meta({ description: SESSION }).optional(),
  target: z
    .string({ error: TARGET })
    .regex(/^(?:%[0-9]+|[^:%][^:]*:[^:]+)$/, TARGET)
    .meta({ description: TARGET })
    .optional(),
  socket: z
    .string({ error: SOCKET })
    .regex(/^[^/]+$/, SOCKET)
    .meta({ description: SOCKET })
    .optional(),
  socketPath: text(SOCKET_PATH).meta({ description: SOCKET_PATH }).optional(),
  machine: z.boolean({ error: MACHINE }).meta({ description: MACHINE }).optional(),
}).superRefine(({ session, target, socket, socketPath }, context) => {
  if ((session === undefined) === (target === undefined)) {
    context.addIssue({ code: "custom", message: "either session or target" });
  }
  if (socket !== undefined && socketPath !== undefined) {
    const message = "either socket or socketPath, not both";
    context.addIssue({ code: "custom", path: ["socketPath"], message });
  }
});

export type TmuxSettings = z.output<typeof tmuxSettings>;

/** `tmux session work` or `tmux pane work:0.1`, for messages. */
export function sayTarget({ session, target }: TmuxSettings): string {
  return session === undefined ? `tmux pane ${target}` : `tmux session ${session}`;
}
