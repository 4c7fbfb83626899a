// Rollcall's schedulers inside another program: one action at a pace, one by the calendar, one timer for both.
// Only what a result wants to be told is told.
import {
  ActionScheduler,
  CronScheduler,
  type HeartbeatAction,
  HeartbeatScheduler,
  memoryActionStore,
} from "rollcall";

/** Messages end up here. A program that must not lose any brings a store of its own. */
const store = memoryActionStore((message) => console.log(`${message.action} says: ${message.text}`));

let enough = () => {};
const bothHaveRun = new Promise<void>((done) => {
  enough = done;
});
const ran = { queue: 0, clock: 0 };
function count(name: keyof typeof ran): void {
  ran[name] += 1;
  if (ran.queue >= 3 && ran.clock >= 1) enough();
}

/** Speaks when something is new, and remembers between runs what that was. */
const queue: HeartbeatAction = {
  name: "queue",
  description: "tells of jobs that were not there before",
  async execute({ session }) {
    count("queue");
    const jobs = 2;
    const known = session.memory.get("jobs") ?? 0;
    session.memory.set("jobs", jobs);
    if (known === jobs) return { shouldNotify: false, metadata: { jobs } };
    return { shouldNotify: true, message: `${jobs} new jobs`, metadata: { jobs } };
  },
};

/** Has nothing to tell: it is heard of only in its history. */
const clock: HeartbeatAction = {
  name: "clock",
  description: "looks at the clock",
  async execute({ dueAt, abort }) {
    abort.throwIfAborted();
    count("clock");
    return { shouldNotify: false, metadata: { second: new Date(dueAt).getUTCSeconds() } };
  },
};

const engine = new ActionScheduler({ store });
const heartbeat = new HeartbeatScheduler(engine);
const cron = new CronScheduler(engine);
heartbeat.registerAction(queue, 50, { timeout: 5000 });
cron.schedule(clock, "* * * * * *", { timezone: "Europe/Berlin" });

await heartbeat.start();
await bothHaveRun;
cron.unschedule("clock");
await heartbeat.stop();

for (const name of ["queue", "clock"]) {
  const runs = await store.runs(name, { limit: 1000 });
  const done = runs.filter(({ outcome }) => outcome === "done");
  const told = runs.filter(({ message }) => message !== undefined);
  console.log(`${name}: ${done.length > 0 ? "ran" : "did not run"}, told ${told.length}`);
}
console.log("stopped");
