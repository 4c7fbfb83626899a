import { useEffect } from "preact/hooks";
import { Observable, useValue } from "../kit/observable.ts";

interface Said {
  readonly text: string;
  readonly kind: "done" | "problem";
}

const said = new Observable<Said | undefined>(undefined);

/** Tells how something went, at the foot of the page. */
export function say(text: string, kind: Said["kind"] = "done"): void {
  said.set({ text, kind });
}

export function Notice() {
  const notice = useValue(said);
  useEffect(() => {
    if (notice === undefined) return;
    const timer = setTimeout(() => said.set(undefined), notice.kind === "problem" ? 12_000 : 4000);
    return () => clearTimeout(timer);
  }, [notice]);
  return (
    <div class="notices" role="status" aria-live="polite">
      {notice && (
        <div class={`notice ${notice.kind}`}>
          <span>{notice.text}</span>
          <button type="button" class="plain" aria-label="dismiss" onClick={() => said.set(undefined)}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
