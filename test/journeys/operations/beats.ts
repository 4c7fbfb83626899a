import { agentsOf, type Operation } from "../operation.ts";

/** Every way in which an agent can beat; all but HTTP work while nobody watches. */
const WAYS = {
  "rollcall beat": (id, status) => `rollcall beat ${id} --action "sync inbox" --status ${status}`,
  "rollcall-beat": (id, status) => `rollcall-beat ${id} --status ${status}`,
  "the library": (id, status) =>
    `node --input-type=module -e 'import { agent } from "'"$PRODUCT"'/dist/agent.js"; agent("${id}").beat({ status: "${status}" })'`,
  "GET /beat": (id, status) => `curl -fsS "$(url)/beat/${id}?status=${status}"`,
  "POST /api/v1/beats": (id, status) =>
    `curl -fsS "$(url)/api/v1/beats" -H 'content-type: application/json' -d '{"agent":"${id}","status":"${status}"}'`,
  touch: (id) => `touch "$ROLLCALL_HOME/beats/${id}"`,
} satisfies Record<string, (id: string, status: "ok" | "error") => string>;

const NEEDS_WATCHER = new Set(["GET /beat", "POST /api/v1/beats"]);

export const beatOperations: readonly Operation[] = [
  ...Object.entries(WAYS).map(
    ([name, line]): Operation => ({
      name: `beat by ${name}`,
      weight: 3,
      plan: (model, chance) => {
        if (NEEDS_WATCHER.has(name) && !model.up) return undefined;
        const known = agentsOf(model, ({ kind }) => kind === "beats").map(({ id }) => id);
        const id = chance.hit(0.8) && known.length > 0 ? chance.one(known) : `s${++model.made}`;
        const word = name !== "touch" && chance.hit(0.2) ? "error" : "ok";
        // Two silent agents without a group of their own are no mass; three would be one incident.
        if (!known.includes(id) && countSelfMade(known) >= 2) return undefined;
        return {
          lines: [line(id, word)],
          // What lies in the spool is heard when the watcher starts; until then nobody has heard it.
          through: { [id]: ["alive", "failing", "late", "dead"] },
          apply: () => model.hear(id, word),
        };
      },
    }),
  ),
];

const countSelfMade = (ids: readonly string[]): number => ids.filter((id) => id.startsWith("s")).length;
