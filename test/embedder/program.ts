// A program that was written for these interfaces, as requirement rows C1, C6 and C7 state them. It is compiled with
// tsc --strict against the packed package and must get its message through its own gateway.
import * as rollcall from "rollcall";

interface Gateway {
  send(message: string): Promise<void>;
}
interface Runtime {
  agentId: string;
}
interface Session {
  id: string;
}
interface Logger {
  debug(message: string, ...args: unknown[]): void;
  info(message: string, ...args: unknown[]): void;
  warn(message: string, ...args: unknown[]): void;
  error(message: string, ...args: unknown[]): void;
}

interface HeartbeatContext {
  gateway: Gateway;
  runtime: Runtime;
  session: Session;
  logger: Logger;
}
interface HeartbeatResult {
  shouldNotify: boolean;
  message?: string;
  metadata?: Record<string, unknown>;
}
interface HeartbeatAction {
  name: string;
  description: string;
  execute(context: HeartbeatContext): Promise<HeartbeatResult>;
}
interface HeartbeatScheduler {
  registerAction(action: HeartbeatAction, intervalMs: number): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface CronExpression {
  minute: string;
  hour: string;
  dayOfMonth: string;
  month: string;
  dayOfWeek: string;
}
interface CronScheduler {
  schedule(action: HeartbeatAction, cronExpr: string | CronExpression): void;
  unschedule(name: string): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface DaemonStatus {
  running: boolean;
  pid?: number;
  uptime?: number;
  lastCrash?: number;
}
interface DaemonManager {
  start(): Promise<void>;
  stop(): Promise<void>;
  restart(): Promise<void>;
  status(): DaemonStatus;
  setupSignalHandlers(): void;
}
interface PidFile {
  write(pid: number): Promise<void>;
  read(): Promise<number | null>;
  remove(): Promise<void>;
  exists(): Promise<boolean>;
}

class ProgramGateway implements Gateway {
  readonly heard: string[] = [];
  #tell = () => {};
  async send(message: string): Promise<void> {
    this.heard.push(message);
    this.#tell();
  }
  async heardAtLeast(count: number): Promise<void> {
    while (this.heard.length < count) {
      await new Promise<void>((done) => {
        this.#tell = done;
      });
    }
  }
}

const gateway = new ProgramGateway();
const logger: Logger = console;
const around = { gateway, runtime: { agentId: "me" }, session: { id: "s1" }, logger };
const source: rollcall.TaskSource = {
  claimable: async () => [
    {
      id: "7",
      creator: "foundry",
      capabilities: 1n,
      reward: 250n,
      description: "",
      deadline: 0,
      maxWorkers: 1,
      workers: 0,
      claimedBy: [],
      status: "open",
    },
  ],
  mine: async () => [],
  completedSince: async () => [],
  disputes: async () => [],
};
const actions: HeartbeatAction[] = [
  new rollcall.TaskScanAction({ source, minReward: 100, capabilities: 3 }),
  new rollcall.DailySummaryAction({ source }),
  new rollcall.PortfolioMonitorAction({ source }),
];

const heartbeat: HeartbeatScheduler = new rollcall.HeartbeatScheduler(around);
for (const action of actions) heartbeat.registerAction(action, action.name === "task-scan" ? 100 : 3_600_000);
await heartbeat.start();
await gateway.heardAtLeast(1);
await heartbeat.stop();
console.log(`heartbeat: ${gateway.heard.join("; ")}`);

const cron: CronScheduler = new rollcall.CronScheduler(around);
cron.schedule(
  {
    name: "hello",
    description: "greets",
    execute: async ({ runtime, session }) => ({
      shouldNotify: true,
      message: `${runtime.agentId} in ${session.id}`,
    }),
  },
  "* * * * * *",
);
const nine: CronExpression = { minute: "0", hour: "9", dayOfMonth: "*", month: "*", dayOfWeek: "1-5" };
cron.schedule({ name: "later", description: "greets", execute: async () => ({ shouldNotify: false }) }, nine);
await cron.start();
await gateway.heardAtLeast(2);
cron.unschedule("hello");
await cron.stop();
console.log(`cron: ${gateway.heard[1]}`);

const file: PidFile = new rollcall.PidFile("program.pid");
await file.write(process.pid);
console.log(`pid file: ${(await file.read()) === process.pid} ${await file.exists()}`);
await file.remove();
console.log(`removed: ${await file.read()} ${await file.exists()}`);

const daemon: DaemonManager = new rollcall.DaemonManager({ listen: "127.0.0.1:0", pidFile: "daemon.pid" });
daemon.setupSignalHandlers();
await daemon.start();
const before = daemon.status();
await daemon.restart();
const after = daemon.status();
const second = await new rollcall.PidFile("daemon.pid").read();
console.log(`daemon: ${before.running} ${after.running} ${before.pid !== after.pid} ${second === after.pid}`);
// A program that goes on until it is told to end. The handlers stop the daemon before they end it.
setInterval(() => {}, 1000);
process.kill(process.pid, "SIGTERM");
