import { MEANS, STATES } from "../words/states.ts";
import { Dialog } from "./dialog.tsx";
import { StateWord } from "./glyph.tsx";

const KEYS = [
  ["j  k", "next, previous row"],
  ["Enter", "open it"],
  ["/", "search"],
  ["Esc", "leave the search"],
  ["r i h s t d", "roll, incidents, hosts, schedule, ticks, deliveries"],
  ["?", "this help"],
] as const;

export function Help({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys and states" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, does]) => (
          <div key={keys}>
            <dt>
              {keys.split(/ +/).map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <dl class="keys">
        {STATES.map((state) => (
          <div key={state}>
            <dt>
              <StateWord state={state} />
            </dt>
            <dd>{MEANS[state]}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog" class="dialog-buttons">
        <button type="submit" class="primary">
          Close
        </button>
      </form>
    </Dialog>
  );
}
