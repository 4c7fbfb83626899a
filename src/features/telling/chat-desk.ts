import { decodePress, markOf } from "../../channels/kit/press.ts";
import type { ChatDeed } from "../../core/delivery/deed.ts";
import { grouped } from "../../core/grouped.ts";
import { type Incident, isOpen } from "../../core/incident/incident.ts";
import type { ChatListener, Press } from "../../ports/channel.ts";
import type { Log } from "../../ports/log.ts";

/** What a press can do: the operations of an operator, as far as a chat needs them. */
export interface ChatDeeds {
  readonly incidents: () => Iterable<Incident>;
  readonly acknowledge: (incident: string, by: string) => Promise<unknown>;
  readonly silence: (agent: string, by: string) => Promise<unknown>;
  readonly takeStep: (agent: string, step: "nudge" | "restart") => Promise<string>;
  readonly answer: (agent: string, choice: number, fingerprint: string) => Promise<string>;
  /** Records who did what, or tried to. */
  readonly audit: (who: string, what: string) => Promise<unknown>;
}

/**
 * Buttons that people press in chats. Whoever presses must be on the list of the channel; what they press is looked up among
 * the incidents of now, and everything is audited.
 */
export class ChatDesk {
  readonly #deeds: ChatDeeds;
  readonly #log: Log;
  #listening = new AbortController();
  #heard: Promise<unknown> = Promise.resolve();

  constructor(deeds: ChatDeeds, log: Log) {
    this.#deeds = deeds;
    this.#log = log;
  }

  /** Listens to these chats, and to no others any more. */
  listen(chats: readonly ChatListener[]): void {
    this.#listening.abort();
    this.#listening = new AbortController();
    const { signal } = this.#listening;
    const sources = grouped(chats, ({ source }) => source);
    this.#heard = Promise.all(
      [...sources.values()].map((same) => {
        const people = Object.assign({}, ...same.map((each) => each.people)) as Record<string, string>;
        let last: string | undefined;
        const onProblem = (problem: string) => {
          if (problem !== last) this.#log.warn({ problem }, "buttons are not heard at the moment");
          last = problem;
        };
        return same[0]?.hear((press) => this.#press(press, people), signal, onProblem);
      }),
    ).catch((error: unknown) => this.#log.error({ problem: String(error) }, "buttons are no longer heard"));
  }

  async stop(): Promise<void> {
    this.#listening.abort();
    await this.#heard;
  }

  async #press({ person, called, data }: Press, people: Readonly<Record<string, string>>): Promise<string> {
    const by = Object.hasOwn(people, person) ? people[person] : undefined;
    const pressed = decodePress(data);
    if (by === undefined) {
      await this.#deeds.audit(
        `${called} (chat ${person})`,
        "refused: pressed a button without being on the list",
      );
      return `You (${person}) are not on the list of people who may press this.`;
    }
    const incident = pressed && [...this.#deeds.incidents()].find(({ id }) => markOf(id) === pressed.mark);
    if (pressed === undefined || incident === undefined || !isOpen(incident)) return "This is over.";
    try {
      const said = await this.#do(pressed.deed, incident, by);
      await this.#deeds.audit(by, `chat: ${wordsOf(pressed.deed)} ${incident.id}`);
      return said;
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      await this.#deeds.audit(by, `chat: ${wordsOf(pressed.deed)} ${incident.id}: refused: ${why}`);
      return `Not done: ${why}`;
    }
  }

  async #do(deed: ChatDeed, { id, subject, acknowledged }: Incident, by: string): Promise<string> {
    switch (deed.do) {
      case "acknowledge":
        if (acknowledged !== undefined) return `Already acknowledged by ${acknowledged.by}.`;
        await this.#deeds.acknowledge(id, by);
        return `Acknowledged by ${by}.`;
      case "silence":
        await this.#deeds.silence(subject, by);
        return `No messages about ${subject} for an hour.`;
      case "answer":
        return this.#deeds.answer(subject, deed.choice, deed.fingerprint);
      default:
        return this.#deeds.takeStep(subject, deed.do);
    }
  }
}

function wordsOf(deed: ChatDeed): string {
  return deed.do === "answer" ? `answer ${deed.choice}` : deed.do;
}
