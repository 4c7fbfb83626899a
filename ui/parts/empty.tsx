import type { ComponentChildren } from "preact";
import type { ReadState } from "../api/use-read.ts";
import { Command } from "./command.tsx";

/** Nothing is here: says why, and what to do next. */
export function Empty(props: {
  title: string;
  children?: ComponentChildren;
  commands?: readonly string[];
  /** Where it stands for the whole page. */
  heading?: boolean;
}) {
  return (
    <div class="empty">
      {props.heading ? <h1 class="empty-title">{props.title}</h1> : <p class="empty-title">{props.title}</p>}
      {props.children && <p>{props.children}</p>}
      {props.commands?.map((command) => (
        <Command key={command} text={command} />
      ))}
    </div>
  );
}

/** What stands in place of something that is not read yet, or cannot be. */
export function NotYet({ reading, what }: { reading: ReadState<unknown>; what: string }) {
  if (reading.problem === undefined)
    return (
      <p class="quiet" aria-busy="true">
        Reading {what} …
      </p>
    );
  return (
    <div class="empty" role="alert">
      <h1 class="empty-title">{reading.problem.message}</h1>
      <button type="button" onClick={reading.again}>
        Try again
      </button>
    </div>
  );
}
