import { useState } from "preact/hooks";

export function Command({ text }: { text: string }) {
  const [said, say] = useState("copy");
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say("copied");
    } catch {
      // Away from loopback a browser gives plain HTTP no clipboard; the text can still be selected.
      say("select it");
    }
    setTimeout(() => say("copy"), 2000);
  };
  return (
    <div class="command">
      <code>{text}</code>
      <button type="button" class="plain" onClick={copy} aria-label={`copy the command ${text}`}>
        <span aria-live="polite">{said}</span>
      </button>
    </div>
  );
}
