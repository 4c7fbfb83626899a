import { covers, type Silence } from "./policy.ts";

/** A silence with its times as people and programs are shown them. */
interface ShownSilence extends Pick<Silence, "agents" | "group"> {
  readonly from: string;
  readonly until: string;
}

/** The mute of an agent that ends last. */
export function muteOf<S extends ShownSilence>(
  silences: readonly S[],
  agent: { readonly id: string; readonly group: string },
  now: number,
): S | undefined {
  return silences
    .filter((each) =>
      covers({ ...each, from: Date.parse(each.from), until: Date.parse(each.until) }, agent, now),
    )
    .toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until))
    .at(-1);
}
