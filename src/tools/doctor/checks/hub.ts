import { expandTilde } from "../../../agent/home.ts";
import { type Instant, MINUTE, type Millis, SECOND, sayDuration } from "../../../core/duration.ts";
import { canTalk } from "../../../core/host/versions.ts";
import { hubTokenFile, readHubFile } from "../../../home/hub-file.ts";
import { withStore } from "../../../home/store.ts";
import { StoreError } from "../../../ports/store.ts";
import { hubRefusal, standingHosts } from "../../../service/hub-standing.ts";
import { isUntrusted, OTHER_CERTIFICATE } from "../../../system/certificate.ts";
import { askHttp } from "../../../system/http.ts";
import { secretReader } from "../../../system/secret.ts";
import { VERSION } from "../../../system/version.ts";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok, warn } from "../check.ts";

/** A clock that is wrong by so much changes no verdict, but what people read. */
const WRONG_CLOCK: Millis = MINUTE;
/** So many facts that wait are more than a busy minute. */
const BACKLOG = 500;
const SET_CLOCK = "Set the clock of that machine, for example by NTP: timedatectl set-ntp true";

export const hubCheck: Check = {
  name: "hub",
  looksAt:
    "on a host: its hub answers, knows its token and accepts its reports, their clocks agree, and nothing piles up; on a hub: contact, clocks, backlogs and versions of its hosts",
  worst: "error",
  async run(context) {
    try {
      const found = [...(await asHost(context)), ...(await asHub(context))];
      return found.length > 0 ? found : [ok("this watcher reports to no hub, and no host reports to it")];
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return [note("the hub cannot be checked while the database cannot be read")];
    }
  },
};

async function asHost({ home, config, command, now }: CheckContext): Promise<readonly CheckFinding[]> {
  const joined = readHubFile(home);
  const url = config.hub.url ?? joined?.url;
  if (joined === undefined && config.hub.tokenFile === undefined) return [];
  if (url === undefined || config.hub.serve) return [];
  const { tokenFile: named } = config.hub;
  const tokenFile = named === undefined ? hubTokenFile(home) : expandTilde(named);
  const token = await secretReader({ file: tokenFile }, { env: {} })();
  const again = `Get a new code on the hub (rollcall hosts invite) and join again: ${command("join URL CODE")}`;
  if ("problem" in token) return [fail(`the token for the hub cannot be read: ${token.problem}`, again)];
  const answer = await askHttp({
    ...{ url: `${url}/hub/v1/commands?wait=0`, most: 64 * 1024, timeout: 5 * SECOND },
    ...(joined?.certificate === undefined || joined.url !== url ? {} : { certificate: joined.certificate }),
    headers: { authorization: `Bearer ${token.value}` },
  });
  const { facts } = await withStore(home, (store) => store.outgoing.spool());
  const waiting = facts > BACKLOG ? [warn(`${facts} facts wait for the hub ${url}`)] : [];
  if ("failure" in answer && isUntrusted(answer.failure))
    return [fail(`the hub ${url} is not trusted: ${OTHER_CERTIFICATE}`, again), ...waiting];
  if ("failure" in answer)
    return [
      warn(
        `the hub ${url} does not answer (${answer.failure}); reports wait here until it does`,
        `Check the network and the hub, which runs with: ${command("up --hub")}`,
      ),
      ...waiting,
    ];
  if (answer.status === 401)
    return [
      fail(
        `the hub ${url} does not know this host's token: the host was revoked there, or never joined`,
        again,
      ),
      ...waiting,
    ];
  if (answer.status !== 200) return [fail(`the hub ${url} answers ${answer.status}`, again), ...waiting];
  const refused = await hubRefusal(home);
  const told =
    refused === undefined
      ? ok(`reports to ${url}`)
      : fail(
          `the hub ${url} refuses this host's reports: ${refused}`,
          "See what the hub knows of its hosts, on the hub: rollcall hosts list",
        );
  return [told, ...clockFinding(answer.headers.date, now()), ...waiting];
}

/** How this machine's clock differs from the hub's, which dates its answers. */
function clockFinding(date: unknown, now: Instant): readonly CheckFinding[] {
  const off = now - Date.parse(String(date));
  if (!(Math.abs(off) >= WRONG_CLOCK)) return [];
  const how = off > 0 ? "ahead of" : "behind";
  return [warn(`this machine's clock is ${sayDuration(Math.abs(off))} ${how} the hub's`, SET_CLOCK)];
}

async function asHub({ home, command }: CheckContext): Promise<readonly CheckFinding[]> {
  const hosts = await standingHosts(home);
  const list = `Show the hosts: ${command("hosts list")}`;
  const found = hosts.flatMap((host) => findingsOf(host, list));
  if (found.length > 0 || hosts.length === 0) return found;
  return [ok(hosts.length === 1 ? "1 host reports here" : `${hosts.length} hosts report here`)];
}

type StandingHost = Awaited<ReturnType<typeof standingHosts>>[number];

function findingsOf(host: StandingHost, list: string): readonly CheckFinding[] {
  const { name, kind, state, why, clockOffset, backlog, dropped, version } = host;
  const wrong = clockOffset ?? 0;
  // A laptop may sleep, and an ephemeral host comes and goes.
  const lost = kind === "server" ? warn : note;
  return [
    ...(state === "unknown" ? [lost(`host ${name} is out of contact: ${why}`, list)] : []),
    ...(Math.abs(wrong) >= WRONG_CLOCK
      ? [
          warn(
            `the clock of host ${name} is ${sayDuration(Math.abs(wrong))} ${wrong > 0 ? "slow" : "fast"}`,
            SET_CLOCK,
          ),
        ]
      : []),
    ...(backlog > BACKLOG ? [warn(`${backlog} facts wait on host ${name}`, list)] : []),
    ...(dropped > 0
      ? [warn(`host ${name} had to drop ${dropped} facts while it was out of contact`, list)]
      : []),
    ...(canTalk(VERSION, version)
      ? []
      : [
          warn(
            `host ${name} runs version ${version}; this hub (${VERSION}) accepts its own minor version and the two before`,
            `Install version ${VERSION} on ${name}, and restart its watcher there: rollcall daemon restart`,
          ),
        ]),
  ];
}
