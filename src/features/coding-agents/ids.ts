import { createHash } from "node:crypto";
import { isAgentId } from "../../core/agent.ts";

/** The longest name that is taken over; an id may have 128 characters. */
const LONGEST = 100;

/** Something that needs an id: what it is called, and what it is, whatever it is called. */
export interface Nameless {
  readonly name: string;
  readonly identity: string;
}

/**
 * An id for each, valid and used once. The same things get the same ids, in whatever order they are found: whose name
 * is taken, by one on the roll or by each other, gets a piece of a hash of what it is behind it.
 */
export function idsFor(things: readonly Nameless[], taken: ReadonlySet<string>): readonly string[] {
  const plain = things.map(({ name }) => asId(name));
  return things.map(({ identity }, i) => {
    const id = plain[i] ?? "";
    const isShared = plain.filter((other) => other === id).length > 1;
    if (!isShared && !taken.has(id)) return id;
    return `${id}-${createHash("sha256").update(identity).digest("hex").slice(0, 6)}`;
  });
}

function asId(name: string): string {
  const text = name
    .replace(/[^A-Za-z0-9_@-]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|-+$/g, "")
    .slice(0, LONGEST);
  // tmux numbers sessions that nobody named.
  const id = /^[0-9][0-9-]*$/.test(text) ? `tmux-${text}` : text;
  return isAgentId(id) ? id : "agent";
}
