import type { SignalReader } from "../../ports/signal.ts";
import { Existence } from "../kit/existence.ts";
import { ask, type Reply } from "./ask.ts";
import type { HttpSettings } from "./settings.ts";

/** So many failures in a row are an end. One proves little: a restart, a lost packet, a moment of load. */
const FAILURES = 2;

/** An address that must answer. It shows whether a server answers there, not which process that is. */
export function httpSignal(settings: HttpSettings, memory?: unknown): SignalReader {
  const existence = new Existence("http", memory);
  const place = withoutSecrets(settings.url);
  const { from, to } = settings.expect;
  let failures = existence.hasEnded ? FAILURES : 0;
  let failedAt: number | undefined;

  return {
    signal: "http",
    async look(look) {
      const reply = await ask(settings, look.abort);
      if (reply === "late") return existence.unclear(look, `no time was left to wait for ${place}`);
      if ("status" in reply && reply.status >= from && reply.status <= to) {
        failures = 0;
        failedAt = undefined;
        return existence.there(look);
      }
      failures += 1;
      failedAt ??= look.now;
      const exit = sayFailure(reply);
      if (failures < FAILURES) return existence.unclear(look, `${place} ${exit}`);
      return existence.gone(look, { clean: false, exit, ...(existence.isKnown ? {} : { at: failedAt }) });
    },
    memory: () => existence.memory(),
    close() {},
  };
}

function sayFailure(reply: Exclude<Reply, "late">): string {
  return "status" in reply ? `answered ${reply.status}` : `does not answer (${reply.failure})`;
}

/** Names and passwords stand before the host, and keys often in the query. */
function withoutSecrets(url: string): string {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
