import type { Incarnation } from "../../core/beat.ts";
import type { Instant } from "../../core/duration.ts";
import type { Activity } from "../../core/liveness/observation.ts";
import type { Proc, ProcessStat } from "../../system/proc.ts";

/**
 * A program that only waits still uses some CPU for its timers. What is below this share of the time is not taken
 * for work, or nothing with a timer would ever stall.
 */
const IDLE_SHARE = 0.005;

/** Whether a process works, by the CPU time that it and its descendants use and by the children that it starts. */
export class ProcessWork {
  readonly #proc: Proc;
  #last: { life: string; at: Instant; cpu: number; pulse: string; children: ReadonlySet<string> } | undefined;

  constructor(proc: Proc) {
    this.#proc = proc;
  }

  look(stat: ProcessStat, now: Instant): readonly Activity[] {
    const life = key(stat.life);
    const last = this.#last?.life === life ? this.#last : undefined;
    // To start a child need not cost the parent anything that is counted (`vfork`), so that must be asked.
    const isStill = last?.pulse === stat.pulse && last.children.size === 0;
    if (isStill && !this.#proc.hasChildren(stat.life.pid)) {
      last.at = now;
      return [];
    }
    const family = this.#proc.descendants(stat.life.pid);
    const cpu = family.reduce((sum, child) => sum + child.cpu, stat.cpu);
    const children = new Set(family.map((child) => key(child.life)));
    this.#last = { life, at: now, cpu, pulse: stat.pulse, children };
    if (last === undefined) return [];
    const used = cpu - last.cpu;
    const works = used > 0 && used >= (now - last.at) * IDLE_SHARE;
    const started = [...children].some((child) => !last.children.has(child));
    if (!works && !started) return [];
    const context = children.size > 0 ? "tool" : "unknown";
    return [{ kind: "activity", signal: "process", at: now, seenAt: now, context }];
  }
}

function key({ pid, startTime }: Incarnation): string {
  return `${pid} ${startTime}`;
}
