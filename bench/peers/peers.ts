import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Result } from "../main.ts";
import { fromNpm, type Installed, Unavailable } from "./installed.ts";
import { besidePm2 } from "./pm2.ts";

interface Peer {
  readonly name: string;
  readonly install: (into: string) => Promise<Installed>;
  readonly beside: (peer: Installed, folder: string) => Promise<Result[]>;
}

const PEERS: readonly Peer[] = [{ name: "PM2", install: (into) => fromNpm("pm2", into), beside: besidePm2 }];

/**
 * Rollcall beside other programs, in one run on one machine. They are installed into a temporary folder, which is removed at
 * the end. One that cannot be had or does not run here is left out, and the run says why.
 */
export async function peers(): Promise<Result[]> {
  const results: Result[] = [];
  for (const { name, install, beside } of PEERS) {
    const folder = mkdtempSync(join(tmpdir(), "rollcall-peers-"));
    try {
      console.error(`peers: installing ${name} …`);
      const peer = await install(join(folder, "install"));
      console.error(`peers: ${name} ${peer.version}, Node ${process.versions.node}`);
      const rows = await beside(peer, folder);
      results.push(...rows.map((row) => ({ ...row, name: `${name} ${peer.version}: ${row.name}` })));
    } catch (error) {
      const why = error instanceof Error ? error.message.split("\n")[0] : String(error);
      console.error(`peers: left out ${name}: ${why}`);
      if (!(error instanceof Unavailable)) process.exitCode = 1;
    } finally {
      rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
    }
  }
  return results;
}
