import { Enrolment } from "../hub/enrolment.ts";
import { type Elsewhere, Hub } from "../hub/hub.ts";
import { InboxReader } from "../hub/inbox-reader.ts";
import type { Clock } from "../ports/clock.ts";
import type { Inbox } from "../ports/inbox.ts";
import type { Log } from "../ports/log.ts";
import type { Store } from "../ports/store.ts";
import { hashOf, newCode } from "../service/access/secrets.ts";
import { makeToken, type TokenStore, tokenRecord } from "../service/access/token-store.ts";
import { VERSION } from "../system/version.ts";
import type { Watcher } from "../watch/watcher.ts";
import type { HubService } from "../web/hub/wire.ts";

/** Letters of a code: long enough that nobody guesses one within its quarter of an hour. */
const CODE = 20;

/** What makes this watcher a hub. */
export async function openHub(
  watcher: Watcher,
  store: Store,
  keys: TokenStore,
  clock: Clock,
  inbox?: { readonly inbox: Inbox; readonly log: Log },
): Promise<HubService & { readonly reader?: InboxReader }> {
  const page = { limit: Number.MAX_SAFE_INTEGER, current: true };
  const [hosts, invites, commands] = await Promise.all([
    store.records.page("host", page),
    store.records.page("invite", page),
    store.records.page("command", page),
  ]);
  let reader: InboxReader | undefined;
  const elsewhere: Elsewhere | undefined = inbox && {
    catchUp: async () => reader?.catchUp(),
    forget(host) {
      inbox.inbox
        .forget([host])
        .catch((error: unknown) =>
          inbox.log.warn({ host, problem: String(error) }, "another hub may still take its reports"),
        );
    },
  };
  const hub = new Hub({ watcher, clock, version: VERSION, elsewhere }, [...hosts, ...commands]);
  reader = inbox && new InboxReader({ ...inbox, hub, watcher, store, clock });
  const enrolment = new Enrolment(
    hub,
    clock,
    {
      make(host) {
        const { token, secret } = makeToken({ scope: "host", name: `host ${host}`, host }, clock.wall());
        return { id: token.id, secret, record: tokenRecord(token) };
      },
      adopt(record) {
        if (record.kind === "token") keys.adopt(record.body);
      },
      renamed(id, host) {
        const token = keys.tokens().find((each) => each.id === id);
        return token && tokenRecord({ ...token, host, name: `host ${host}` });
      },
      revoke: (id) => keys.revoke(id, clock.wall()),
      newCode: () => newCode().slice(0, CODE),
      hashOf,
    },
    (parts) => watcher.persist(parts),
    invites,
  );
  return { hub, enrolment, ...(reader === undefined ? {} : { reader }) };
}
