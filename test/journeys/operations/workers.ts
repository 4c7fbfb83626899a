import type { Model, State, Worker } from "../model.ts";
import { type Operation, oneOf } from "../operation.ts";

/** Programs without a terminal: alone with a PID file (q…), or under `rollcall run` (r…). */
export const workerOperations: readonly Operation[] = [
  {
    name: "start a process",
    weight: 8,
    plan: (model, chance) =>
      oneOf(chance, workersOf(model, "q", false), ([id, worker]) => ({
        lines: [`start-worker ${id}`, `worker ${id}`],
        apply: () => begin(worker),
      })),
  },
  {
    name: "kill -9 of a process",
    weight: 5,
    plan: (model, chance) =>
      oneOf(chance, workersOf(model, "q", true), ([id, worker]) => ({
        lines: [
          `P="$(worker ${id})"; kill -9 "$P"`,
          ...(comesBack(model, id, worker) ? [`patiently is_another ${id} "$P"`] : []),
        ],
        apply: () => end(worker, ["dead"]),
      })),
  },
  {
    name: "start under rollcall run",
    weight: 12,
    plan: (model, chance) =>
      oneOf(chance, workersOf(model, "r", false), ([id, worker]) => ({
        lines: [
          `rm -f "$W/${id}.pid"`,
          `rollcall run ${id} -- "$W/bin/fake-worker" "$W/${id}.pid" > /dev/null 2>&1 & echo $! > "$W/${id}.run"`,
          `worker ${id}`,
        ],
        apply: () => {
          begin(worker);
          model.hear(id, "ok");
        },
      })),
  },
  ...(
    [
      ["exit 0 under rollcall run", "USR1", ["resting"]],
      ["exit 1 under rollcall run", "USR2", ["failing"]],
    ] as const
  ).map(
    ([name, signal, states]): Operation => ({
      name,
      weight: 8,
      plan: (model, chance) =>
        oneOf(chance, workersOf(model, "r", true), ([id, worker]) => ({
          lines: [`kill -${signal} "$(worker ${id})"`, `cycled ${id}`],
          apply: () => end(worker, states),
        })),
    }),
  ),
  {
    name: "kill -9 of a process and of rollcall run",
    weight: 7,
    plan: (model, chance) =>
      oneOf(chance, workersOf(model, "r", true), ([id, worker]) => ({
        lines: [`kill -9 "$(cat "$W/${id}.run")" "$(worker ${id})"`, `cycled ${id}`],
        apply: () => end(worker, ["dead"]),
      })),
  },
];

function workersOf(model: Model, kind: "q" | "r", runs: boolean): readonly [string, Worker][] {
  return [...model.workers].filter(([id, worker]) => id.startsWith(kind) && worker.runs === runs);
}

/** Whether its ladder starts it again, which the next operation may not forestall. */
function comesBack(model: Model, id: string, { seen }: Worker): boolean {
  const agent = model.agents.get(id);
  return model.up && seen && agent?.recovers === true && !agent.paused;
}

function begin(worker: Worker): void {
  Object.assign(worker, { runs: true, ended: undefined });
}

/** A process that nobody ever saw cannot be missed. */
function end(worker: Worker, states: readonly State[]): void {
  const unseen: readonly State[] = worker.seen ? [] : ["new", "unknown"];
  Object.assign(worker, { runs: false, ended: [...states, ...unseen] });
}
