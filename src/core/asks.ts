/** What a person is asked, in the words of the agent. */
export interface Asks {
  readonly question: string;
  readonly choices?: readonly string[];
}

/** `which colour? (red, blue)`. */
export function sayAsks({ question, choices = [] }: Asks): string {
  return choices.length === 0 ? question : `${question} (${choices.join(", ")})`;
}
