import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { say } from "./notice.tsx";

/**
 * A button that changes something. It is out of use while that is under way, and where it cannot work it says why: to
 * the eye on hover, to a screen reader as its description.
 */
export function Act(props: {
  children: ComponentChildren;
  does: () => Promise<void>;
  done?: string;
  cannot?: string | undefined;
  danger?: boolean;
  class?: string;
  label?: string;
}) {
  const [busy, setBusy] = useState(false);
  const place = useRef<HTMLButtonElement>(null);
  const run = async () => {
    setBusy(true);
    try {
      await props.does();
      if (props.done !== undefined) say(props.done);
    } catch (error) {
      say(error instanceof Error ? error.message : String(error), "problem");
    } finally {
      setBusy(false);
      // A button that is out of use loses the focus.
      requestAnimationFrame(() => document.activeElement === document.body && place.current?.focus());
    }
  };
  return (
    <button
      ref={place}
      type="button"
      class={props.class ?? (props.danger ? "danger" : undefined)}
      disabled={busy || props.cannot !== undefined}
      title={props.cannot}
      aria-label={props.label}
      aria-description={props.cannot}
      aria-busy={busy || undefined}
      onClick={run}
    >
      {props.children}
    </button>
  );
}
