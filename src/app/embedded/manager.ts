import { type DaemonOptions, DaemonControl as Manager } from "../manager.ts";

export interface DaemonManagerOptions extends Omit<DaemonOptions, "pidFile"> {
  /** A second PID file beside `rollcall.pid` in the home: its path, or a `PidFile`. */
  readonly pidFile?: string | { readonly path: string } | undefined;
}

export interface DaemonStatus {
  readonly running: boolean;
  readonly pid?: number;
  /** In milliseconds. */
  readonly uptime?: number;
  /** When the daemon was last seen before its last crash, in milliseconds since 1970. */
  readonly lastCrash?: number;
}

/** Exit code of a program that got a second signal while it waited for the daemon to stop. */
const FORCED = 130;

/** Starts and stops the daemon of a home from another program. The daemon is a process of its own. */
export class DaemonManager {
  readonly #daemon: Manager;
  #handlesSignals = false;

  constructor({ pidFile, ...options }: DaemonManagerOptions = {}) {
    const path = typeof pidFile === "object" ? pidFile.path : pidFile;
    this.#daemon = new Manager({ ...options, pidFile: path });
  }

  /** Resolves when the daemon is ready, at once if it is already. Rejects with what went wrong; then no process is left. */
  async start(): Promise<void> {
    await this.#daemon.start();
  }

  /** Resolves when the daemon has saved everything and is gone, at once if none runs. After 30 s it is killed. */
  async stop(): Promise<void> {
    await this.#daemon.stop();
  }

  /** Checks the config, stops the daemon and starts it again. With a bad config the daemon that runs goes on. */
  async restart(): Promise<void> {
    await this.#daemon.restart();
  }

  status(): DaemonStatus {
    const { running, pid, uptime, lastCrash } = this.#daemon.status();
    return {
      running,
      ...(pid === undefined ? {} : { pid }),
      ...(uptime === undefined ? {} : { uptime }),
      ...(lastCrash === undefined ? {} : { lastCrash: Date.parse(lastCrash.at) }),
    };
  }

  /**
   * From now on SIGTERM and SIGINT stop the daemon and then end this program (a second one does not wait), and SIGHUP
   * lets the daemon read its config again.
   */
  setupSignalHandlers(): void {
    if (this.#handlesSignals) return;
    this.#handlesSignals = true;
    let stopping = false;
    const stop = (): void => {
      if (stopping) process.exit(FORCED);
      stopping = true;
      this.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          complain(error);
          process.exit(1);
        },
      );
    };
    process.on("SIGTERM", stop);
    process.on("SIGINT", stop);
    process.on("SIGHUP", () => {
      try {
        this.#daemon.reload();
      } catch (error) {
        complain(error);
      }
    });
  }
}

function complain(error: unknown): void {
  console.error(`rollcall: ${error instanceof Error ? error.message : String(error)}`);
}
