import { homeAt } from "../home/home.ts";
import { runningWatcher } from "../home/running-watcher.ts";
import { using, type Writer } from "../home/store.ts";
import type { StoredRecord } from "../ports/repositories.ts";
import type { Store } from "../ports/store.ts";
import { uuidv7 } from "../system/uuid.ts";
import { showToken, type TokenView } from "../views/show.ts";
import { readTokenWish } from "./access/token-input.ts";
import { auditRecord, makeToken, tokenRecord } from "./access/token-store.ts";
import { change } from "./change.ts";
import { ask } from "./client.ts";
import { withStoreIfThere } from "./offline.ts";

export type { TokenView };

/** A wish for a token that cannot be, or one about a token that is not. */
class TokenError extends Error {
  readonly code: "bad-token" | "no-such-token";

  constructor(code: TokenError["code"], message: string) {
    super(message);
    this.name = "TokenError";
    this.code = code;
  }
}

type Where = { readonly home?: string };

/** Makes a token: through the watcher if one runs, else straight in the store. Its secret is told this once. */
export async function createToken(where: Where, wish: object): Promise<{ token: TokenView; secret: string }> {
  const read = readTokenWish(wish);
  if ("problem" in read) throw new TokenError("bad-token", read.problem);
  const home = homeAt(where.home);
  return change(home, {
    ask: async (url) =>
      (await ask(home, url, "POST", "/api/v1/tokens", wish)) as { token: TokenView; secret: string },
    write: async (writer) => {
      const { token, secret } = makeToken(read, Date.now());
      await persistOffline(writer, "POST /api/v1/tokens", async () => tokenRecord(token));
      return { token: showToken(token), secret };
    },
  });
}

/** The tokens that count. */
export async function listTokens(where: Where): Promise<readonly TokenView[]> {
  const home = homeAt(where.home);
  const url = runningWatcher(home)?.url;
  if (url !== undefined) {
    return ((await ask(home, url, "GET", "/api/v1/tokens")) as { tokens: readonly TokenView[] }).tokens;
  }
  const found = await withStoreIfThere(home, (store) =>
    store.records.page("token", { limit: Number.MAX_SAFE_INTEGER, current: true }),
  );
  return (found ?? []).map(({ body }) => showToken(body));
}

export async function revokeToken(where: Where, id: string): Promise<void> {
  const home = homeAt(where.home);
  const path = `/api/v1/tokens/${encodeURIComponent(id)}`;
  await change<unknown>(home, {
    ask: (url) => ask(home, url, "DELETE", path),
    write: (writer) =>
      persistOffline(writer, `DELETE ${path}`, async (store) => {
        const found = await store.records.one("token", id);
        if (found?.current !== true) throw new TokenError("no-such-token", `there is no token "${id}"`);
        return tokenRecord({ ...found.body, revokedAt: Date.now() });
      }),
  });
}

/** With no watcher running nobody holds the tokens in memory: what is stored is what counts. */
async function persistOffline(
  writer: Writer,
  what: string,
  decide: (store: Store) => Promise<StoredRecord>,
): Promise<void> {
  await using(await writer.openStore(), async (store) => {
    const audit = auditRecord({ at: Date.now(), who: "command line", what }, uuidv7());
    await store.commit({ records: [await decide(store), audit] });
  });
}
