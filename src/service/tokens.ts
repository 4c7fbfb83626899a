import { isAgentId } from "../core/agent.ts";
import { cursorOf, type StoredRecord } from "../ports/repositories.ts";
import { showAudit, showToken } from "../views/show.ts";
import { OperationError } from "./operation-error.ts";
import type { Operations } from "./operations.ts";
import type { LocalParts } from "./parts.ts";
import { cursorPage } from "./read-page.ts";

export function tokenOperations({ store, tokens, now }: LocalParts) {
  return {
    tokens: async () => (await tokens()).tokens().map(showToken),
    async createToken(wish) {
      const { readTokenWish } = await import("./access/token-input.ts");
      const read = readTokenWish(wish);
      if ("problem" in read) throw new OperationError("bad-token", read.problem);
      const { token, secret } = await (await tokens()).create(read, now());
      return { token: showToken(token), secret };
    },
    async revokeToken(id) {
      if (await (await tokens()).revoke(id, now())) return;
      const why = isAgentId(id) ? `there is no token "${id}"` : "that is no token id";
      throw new OperationError("no-such-token", why);
    },
    audit: (wanted) =>
      cursorPage(wanted, cursorOf.record, showAuditRecord, (page) => store.records.page("audit", page)),
  } satisfies Partial<Operations>;
}

function showAuditRecord({ body }: StoredRecord<"audit">) {
  return showAudit(body);
}
