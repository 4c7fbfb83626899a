import { type Millis, SECOND } from "../../src/core/duration.ts";
import type { Changes, Store } from "../../src/ports/store.ts";
import type { Chance } from "../chance.ts";
import { Conditions } from "../conditions.ts";
import { Disk, type DiskState } from "../disk.ts";
import { Life } from "../life.ts";
import type { Time } from "../time.ts";
import type { Clocks } from "./clocks.ts";

/** Where a process dies: at once, around its next commit, or one that has flips, or around something else that it does. */
export interface CrashPoint {
  readonly where: "now" | "commit" | "flip" | "deed" | "batch";
  readonly moment: "before" | "after";
}

export interface MachineParts {
  readonly name: string;
  readonly time: Time;
  readonly chance: Chance;
  readonly clocks: Clocks;
  readonly store: Store;
  /** Starts the process; it is up when this resolves. */
  readonly begin: (life: Life) => Promise<void>;
  readonly ended: () => void;
  readonly applied: (changes: Changes, decidedAt: Millis) => void;
  readonly refused: (why: string) => void;
  readonly note: (what: string, about: string) => void;
}

/** A machine with a disk of its own, on which one process runs, dies and is started again. */
export class Machine {
  readonly conditions = new Conditions();
  disk: Disk;
  life: Life;
  /** Which boot it is. */
  boots = 1;
  isUp = false;
  readonly #parts: MachineParts;
  #lives = 0;
  #diedAt: Millis = 0;
  #crashAt: CrashPoint | undefined;
  #back: Millis = 0;
  #isGone = false;

  constructor(parts: MachineParts) {
    this.#parts = parts;
    this.life = new Life(0, parts.clocks);
    this.life.end();
    this.disk = this.#diskOf(parts.store);
    this.conditions.begin();
  }

  start(): void {
    const { time, clocks, begin, note, name } = this.#parts;
    if (this.#isGone) return;
    const life = new Life(++this.#lives, clocks);
    this.life = life;
    begin(life).then(
      () => {
        if (life.isOver) return;
        this.isUp = true;
        this.conditions.broke(this.#diedAt, time.now);
        this.conditions.end(time.now);
        note("up", `${name} ${life.number}`);
      },
      () => {
        if (life.isOver) return;
        // The store cannot be read or written: whoever starts the process tries again.
        life.end();
        this.disk.cutOff();
        time.after(20 * SECOND, () => this.start());
      },
    );
  }

  /** Dies at that point and is back after a while. */
  crash(point: CrashPoint, back: Millis, reboot: boolean): void {
    if (this.life.isOver) return;
    this.#back = back;
    if (reboot) this.reboot();
    if (point.where === "now" || reboot) this.die(reboot ? "rebooted" : "killed");
    else this.#crashAt = point;
  }

  reboot(): void {
    this.boots += 1;
    this.#parts.clocks.reboot();
  }

  /** Asked around whatever it does: true if it dies here. */
  dies(where: CrashPoint["where"], moment: CrashPoint["moment"]): boolean {
    if (this.#crashAt?.where !== where || this.#crashAt.moment !== moment) return false;
    this.die(`crash ${moment} ${where}`);
    return true;
  }

  /** Gone, and started again after so long as was planned, unless another store is put in first. */
  die(how: string, back = this.#back): void {
    const { time, note, name, ended } = this.#parts;
    if (this.life.isOver) return;
    note(how, `${name} for ${Math.round(back / SECOND)} s`);
    this.life.end();
    if (this.isUp) {
      this.conditions.begin();
      this.#diedAt = time.now;
    }
    this.isUp = false;
    this.#crashAt = undefined;
    this.disk.cutOff();
    ended();
    time.after(back, () => this.start());
  }

  /** It never comes back. */
  leave(): void {
    this.#isGone = true;
    this.die("leaves", 0);
  }

  /** Its disk is replaced while it is down. */
  put(store: Store): void {
    this.disk = this.#diskOf(store);
  }

  diskFails(state: DiskState, length: Millis): void {
    const { disk } = this;
    if (disk.state !== "well") return;
    const { time, note, name } = this.#parts;
    note(`disk ${state}`, `${name} for ${Math.round(length / SECOND)} s`);
    disk.state = state;
    disk.hangsUntil = time.now + length;
    this.conditions.begin();
    time.after(length, () => {
      disk.state = "well";
      this.conditions.end(time.now);
    });
  }

  sleep(length: Millis): void {
    const { time, clocks, note, name } = this.#parts;
    if (clocks.held) return;
    note("sleeps", `${name} for ${Math.round(length / SECOND)} s`);
    clocks.sleep(length);
    this.conditions.begin();
    time.after(length, () => this.conditions.end(time.now));
  }

  step(by: Millis): void {
    const { time, clocks, note, name } = this.#parts;
    note("clock set", `${name} by ${Math.round(by / SECOND)} s`);
    clocks.step(by);
    this.conditions.touch(time.now);
  }

  #diskOf(store: Store): Disk {
    const { time, chance, applied, refused } = this.#parts;
    return new Disk(
      time,
      chance,
      {
        decided: () => time.now,
        applied: (changes, moment) => applied(changes, moment as Millis),
        refused,
        failed: () => this.conditions.touch(time.now),
        tookLong: () => this.conditions.touch(time.now),
        waits: (under) => (under ? this.conditions.begin() : this.conditions.end(time.now)),
        hangs: () => {},
        dies: (moment, { flips = [] }) =>
          this.dies("commit", moment) || (flips.length > 0 && this.dies("flip", moment)),
      },
      store,
    );
  }
}
