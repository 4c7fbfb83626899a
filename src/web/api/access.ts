import * as z from "zod";
import { allows } from "../../core/access/token.ts";
import { iso } from "../../core/duration.ts";
import { tokenBody } from "../../service/access/token-input.ts";
import type { Authenticator, Caller } from "../access/authenticator.ts";
import { cookieLine, signInUrl } from "../access/sign-in.ts";
import { ProblemError } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { asJson, Listed } from "./listed.ts";
import { cursorQuery, listed, next } from "./page.ts";
import { AnswerWithHeaders, type ApiRoute, route } from "./route.ts";
import * as shapes from "./schemas.ts";

/** Signing in and out, tokens, and the log of who changed what. */
export function accessRoutes(api: Api, gate: Authenticator): readonly ApiRoute[] {
  const { keys, operations } = api;
  return [
    route({
      method: "GET",
      path: "/api/v1/session",
      summary: "who is asking, and what they may",
      need: "nothing",
      answer: shapes.session,
      handle: ({ caller }) => showSession(caller),
    }),
    route({
      method: "POST",
      path: "/api/v1/session",
      summary: "signs a browser in with a token: sets a cookie",
      need: "nothing",
      body: z.object({ token: z.string({ error: "a token" }) }, { error: "expected an object" }),
      answer: shapes.session,
      problems: ["needs-token", "wrong-scope", "too-many-requests"],
      handle: async ({ body, caller, secure }) => {
        const holder = keys.holder(body.token.trim());
        if (holder === undefined) {
          const tooMany = gate.failed(caller.from);
          if (tooMany !== undefined) throw new ProblemError(tooMany.code, tooMany.detail, tooMany.retryAfter);
          throw new ProblemError("needs-token", "this token is not known, or it was taken back");
        }
        if (holder.scope === "beat") {
          throw new ProblemError("wrong-scope", "a page needs the scope read or admin");
        }
        const { cookie, session } = await keys.signIn(holder, api.now());
        const { name, scope: standing } = session;
        return new AnswerWithHeaders(showSession({ standing, name, session, from: caller.from }), {
          "set-cookie": cookieLine(cookie, session.expiresAt - api.now(), secure),
        });
      },
    }),
    route({
      method: "DELETE",
      path: "/api/v1/session",
      summary: "signs out",
      need: "nothing",
      handle: async ({ caller, secure }) => {
        if (caller.session !== undefined) await keys.signOut(caller.session, api.now());
        return new AnswerWithHeaders(undefined, { "set-cookie": cookieLine("", 0, secure) });
      },
    }),
    route({
      method: "POST",
      path: "/api/v1/session/codes",
      summary: "makes an address that signs one browser in, once, within a minute",
      need: "admin",
      answer: z.strictObject({ url: z.string(), expiresAt: shapes.time }),
      status: 201,
      handle: ({ caller: { token = "", name } }) => {
        const { code, expiresAt } = keys.makeCode({ id: token, name, scope: "admin" }, api.now());
        return { url: signInUrl(api.info().url, code), expiresAt: iso(expiresAt) };
      },
    }),
    route({
      method: "GET",
      path: "/api/v1/tokens",
      summary: "the tokens that count; never the secrets",
      need: "admin",
      answer: z.strictObject({ tokens: z.array(shapes.token) }),
      handle: async () => new Listed("tokens", asJson(await operations.tokens())),
    }),
    route({
      method: "POST",
      path: "/api/v1/tokens",
      summary: "makes a token; its secret is shown this once",
      need: "admin",
      body: tokenBody,
      badBody: "bad-token",
      answer: z.strictObject({ token: shapes.token, secret: z.string() }),
      status: 201,
      problems: ["bad-token"],
      handle: ({ body }) => operations.createToken(body),
    }),
    route({
      method: "DELETE",
      path: "/api/v1/tokens/{id}",
      summary: "takes a token back, and signs out whoever signed in with it",
      need: "admin",
      problems: ["no-such-token"],
      handle: ({ params }) => operations.revokeToken(params.id ?? ""),
    }),
    route({
      method: "GET",
      path: "/api/v1/audit",
      summary: "who changed what, newest first",
      need: "admin",
      query: cursorQuery,
      answer: z.strictObject({ audit: z.array(shapes.audit), next }),
      handle: async ({ query, url }) => listed(url, "audit", await operations.audit(query)),
    }),
  ];
}

function showSession({ standing, session, name }: Caller) {
  const proven = standing !== "nobody" && standing !== "local";
  const may = {
    read: allows(standing, "read"),
    beat: allows(standing, "beat"),
    change: allows(standing, "admin"),
  };
  return {
    signedIn: session !== undefined,
    as: proven ? name : null,
    scope: proven ? standing : null,
    expiresAt: session === undefined ? null : iso(session.expiresAt),
    may,
    needs: may.change ? null : ("token" as const),
  };
}
