import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { SECOND } from "../../core/duration.ts";
import { HOST_NAME } from "../../core/host/fact.ts";
import { HOST_KINDS } from "../../core/host-kind.ts";
import { DaemonError } from "../../home/daemon-error.ts";
import { checkHome, homeAt, prepareHome } from "../../home/home.ts";
import { writeHubFile } from "../../home/hub-file.ts";
import { runningWatcher } from "../../home/running-watcher.ts";
import { ask } from "../../service/client.ts";
import { certificateOf, isUntrusted } from "../../system/certificate.ts";
import { askHttp } from "../../system/http.ts";
import { VERSION } from "../../system/version.ts";

export interface JoinOptions {
  readonly home?: string;
  readonly url: string;
  readonly code: string;
  readonly name?: string;
}

/** Joins a hub: writes where it is and the token for it into the home, and tells a watcher that runs. */
export async function joinHub({
  home: named,
  url,
  code,
  name,
}: JoinOptions): Promise<{ host: string; told?: string }> {
  const home = homeAt(named);
  checkHome(home);
  const { base, pin } = addressOf(url);
  const certificate = pin === undefined ? undefined : await certificateOf(base, pin).catch(notJoined);
  const answer = await askHttp({
    ...{ url: `${base}/hub/v1/join`, method: "POST", most: 64 * 1024, timeout: 20 * SECOND },
    ...(certificate === undefined ? {} : { certificate }),
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ code, name: name ?? defaultName(), version: VERSION, machine: machineId() }),
  });
  if ("failure" in answer) return notJoined(new Error(sayFailure(base, answer.failure)));
  const body = parse(answer.body.toString("utf8"));
  if (answer.status !== 200) {
    const why = typeof body.detail === "string" ? body.detail : `it answered ${answer.status}: is it a hub?`;
    throw new DaemonError("not-joined", `${base}: ${why}`);
  }
  const { host, kind, token } = body;
  if (typeof host !== "string" || typeof token !== "string")
    throw new DaemonError("not-joined", `${base} did not answer as a hub does`);
  prepareHome(home);
  const known = HOST_KINDS.find((each) => each === kind);
  writeHubFile(
    home,
    {
      ...{ url: base, host },
      ...(known === undefined ? {} : { kind: known }),
      ...(certificate === undefined ? {} : { certificate }),
    },
    token,
  );
  const running = runningWatcher(home);
  if (running?.url === undefined) return { host };
  await ask(home, running.url, "POST", "/api/v1/watcher/reload", {});
  return { host, told: "The watcher reports to the hub from now on." };
}

function notJoined({ message }: Error): never {
  throw new DaemonError("not-joined", message);
}

function sayFailure(base: string, failure: string): string {
  return isUntrusted(failure)
    ? `${base} has a certificate that this machine does not trust; use the whole address of the invitation, with #sha256=…`
    : `${base} does not answer (${failure})`;
}

/** Plain HTTP only on this machine: the token and every screen would be anybody's. */
function addressOf(text: string): { base: string; pin?: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== "http:" && url.protocol !== "https:"))
    throw new DaemonError("not-joined", `"${text}" is no address such as https://hub.example.org:7766`);
  const isLocal = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(url.hostname);
  if (url.protocol === "http:" && !isLocal)
    throw new DaemonError(
      "not-joined",
      `${url.origin} is plain HTTP, which anybody between can read; use https (docs/many-hosts.md shows how)`,
    );
  const pin = /^#sha256=([0-9a-fA-F:]+)$/.exec(url.hash)?.[1];
  return { base: url.origin, ...(pin === undefined ? {} : { pin }) };
}

function defaultName(): string {
  const name = hostname()
    .replace(/[^A-Za-z0-9_-]/g, "-")
    .slice(0, 40);
  return HOST_NAME.test(name) ? name : "host";
}

/** Tells this machine from others, and says nothing else of it. */
function machineId(): string {
  let id: string;
  try {
    id = readFileSync("/etc/machine-id", "utf8");
  } catch {
    id = hostname();
  }
  return createHash("sha256").update(`rollcall ${id}`).digest("hex").slice(0, 32);
}

function parse(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
