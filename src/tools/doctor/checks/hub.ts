import { expandTilde } from "../../../agent/home.ts";
import { MINUTE, type Millis, SECOND, sayDuration } from "../../../core/duration.ts";
import type { KnownHost } from "../../../core/host/host.ts";
import { canTalk } from "../../../core/host/versions.ts";
import { hubTokenFile, readHubFile } from "../../../home/hub-file.ts";
import { withStore } from "../../../home/store.ts";
import { StoreError } from "../../../ports/store.ts";
import { askHttp } from "../../../system/http.ts";
import { secretReader } from "../../../system/secret.ts";
import { VERSION } from "../../../system/version.ts";
import { type Check, type CheckContext, type CheckFinding, fail, note, ok, warn } from "../check.ts";

/** A clock that is wrong by so much changes no verdict, but what people read. */
const WRONG_CLOCK: Millis = MINUTE;
/** So many facts that wait are more than a busy minute. */
const BACKLOG = 500;

export const hubCheck: Check = {
  name: "hub",
  looksAt:
    "on a host: its hub answers and knows its token, and nothing piles up; on a hub: clocks, backlogs and versions of its hosts",
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

async function asHost({ home, config, command }: CheckContext): Promise<readonly CheckFinding[]> {
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
  if ("failure" in answer)
    return [
      warn(`the hub ${url} does not answer (${answer.failure}); what it must know waits here`),
      ...waiting,
    ];
  if (answer.status === 200) return [ok(`reports to ${url}`), ...waiting];
  if (answer.status === 401)
    return [fail(`the hub ${url} does not know this host's token (any more)`, again)];
  return [fail(`the hub ${url} answers ${answer.status}`, again), ...waiting];
}

async function asHub({ home, command }: CheckContext): Promise<readonly CheckFinding[]> {
  const records = await withStore(home, (store) =>
    store.records.page("host", { limit: 100_000, current: true }),
  );
  const list = `Show the hosts: ${command("hosts list")}`;
  const found = records.flatMap(({ body }) => findingsOf(body).map((says) => warn(says, list)));
  if (found.length > 0 || records.length === 0) return found;
  return [ok(records.length === 1 ? "1 host reports here" : `${records.length} hosts report here`)];
}

function findingsOf({ name, offset, backlog = 0, dropped = 0, version }: KnownHost): readonly string[] {
  const wrong = offset?.used ?? 0;
  return [
    ...(Math.abs(wrong) >= WRONG_CLOCK
      ? [`the clock of host ${name} is ${sayDuration(Math.abs(wrong))} ${wrong > 0 ? "slow" : "fast"}`]
      : []),
    ...(backlog > BACKLOG ? [`${backlog} facts wait on host ${name}`] : []),
    ...(dropped > 0 ? [`host ${name} had to drop ${dropped} facts while it was out of contact`] : []),
    ...(canTalk(VERSION, version)
      ? []
      : [`host ${name} runs version ${version}, which this hub (${VERSION}) does not take`]),
  ];
}
