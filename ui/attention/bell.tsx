import { useValue } from "../kit/observable.ts";
import { say } from "../parts/notice.tsx";
import { canNotify, notifies, toggleNotify } from "./notify.ts";

/** Switches the browser's notifications on and off; the browser asks the person. */
export function Bell() {
  const on = useValue(notifies);
  if (!canNotify) return null;
  return (
    <button
      type="button"
      class="plain bell"
      aria-pressed={on}
      aria-label="browser notifications"
      title={on ? "notifications are on" : "notify me in this browser"}
      onClick={() => void toggleNotify().then((words) => say(words))}
    >
      <svg viewBox="0 0 16 16" width="15" height="15" aria-hidden="true">
        <path d="M8 2a4 4 0 0 0-4 4c0 3.5-1.5 4.5-1.5 5.5h11C13.5 10.5 12 9.5 12 6a4 4 0 0 0-4-4zM6.5 13.5a1.6 1.6 0 0 0 3 0" />
      </svg>
    </button>
  );
}
