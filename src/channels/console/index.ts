import type { Writable } from "node:stream";
import * as z from "zod";
import type { Receipt } from "../../core/delivery/receipt.ts";
import { iso } from "../../core/duration.ts";
import type { Channel } from "../../ports/channel.ts";
import type { ChannelAdapter } from "../kit/adapter.ts";
import { compose, type Dress } from "../kit/compose.ts";
import { guarded } from "../kit/guard.ts";
import { channelObject } from "../kit/setting-forms.ts";

const consoleSettings = channelObject("console", {
  stream: z
    .enum(["stdout", "stderr"], { error: "stdout or stderr" })
    .meta({ description: "the daemon's output to which it writes" })
    .default("stdout"),
});

const DRESS: Dress = {
  limit: 8000,
  line: (text) => `  ${text}`,
  command: (text) => `  $ ${text}`,
  link: (text) => `  ${text}`,
  footer: (text) => `  ref ${text}`,
};

export const consoleChannel: ChannelAdapter<typeof consoleSettings> = {
  kind: "console",
  settings: consoleSettings,
  open: ({ stream }) => openConsole(process[stream]),
};

/** One block in the daemon's own output, which systemd and containers keep. */
export function openConsole(stream: Writable): Channel {
  return guarded("console", ({ key, message, at }) => {
    const dress: Dress = { ...DRESS, title: (text) => `${iso(at)} ${message.severity}: ${text}` };
    const block = `${compose(message, key, dress)}\n`;
    return new Promise<Receipt>((resolve) => {
      // Whoever read our output may be gone: without a listener that would end the daemon.
      const onError = () => {};
      stream.on("error", onError);
      stream.write(block, (error) => {
        // The event comes after this call.
        setImmediate(() => stream.off("error", onError));
        if (error == null) return resolve({ outcome: "sent" });
        const { code, name }: NodeJS.ErrnoException = error;
        return resolve({ outcome: "retry", problem: `cannot write to the output (${code ?? name})` });
      });
    });
  });
}
