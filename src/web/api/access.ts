import * as z from "zod";
import { allows } from "../../core/access/token.ts";
import { iso } from "../../core/duration.ts";
import { tokenBody } from "../../service/access/token-input.ts";
import type { Authenticator, Caller } from "../access/authenticator.ts";
import { cookieLine, signInUrl } from "../access/sign-in.ts";
import { problem } from "../kit/problem.ts";
import type { Api } from "./api.ts";
import { asJson, Listed } from "./listed.ts";
import { bodyOf, cursorQuery, listed, next } from "./page.ts";
import { AnswerWithHeaders, type ApiRoute, get, post, remove } from "./route.ts";
import * as shapes from "./schemas.ts";

/** Signing in and out, tokens, and the log of who changed what. */
export function accessRoutes(api: Api, gate: Authenticator): readonly ApiRoute[] {
  const { keys, operations } = api;
  return [
    get("/session", "the caller and its rights", {
      need: "nothing",
      answer: shapes.session,
      handle: ({ caller }) => showSession(caller),
    }),
    post("/session", "signs a browser in with a token: sets a cookie", {
      need: "nothing",
      body: bodyOf({ token: z.string({ error: "a token" }) }),
      answer: shapes.session,
      problems: ["needs-token", "wrong-scope", "too-many-requests"],
      handle: async ({ body, caller, secure }) => {
        const holder = keys.holder(body.token.trim());
        if (holder === undefined) {
          const tooMany = gate.failed(caller.from);
          if (tooMany !== undefined) throw problem(tooMany.code, tooMany.detail, tooMany.retryAfter);
          throw problem("needs-token", "this token is unknown or revoked");
        }
        if (holder.scope === "beat") {
          throw problem("wrong-scope", "the page needs a token of scope read or admin");
        }
        const { cookie, session } = await keys.signIn(holder, api.now());
        const { name, scope: standing } = session;
        return new AnswerWithHeaders(showSession({ standing, name, session, from: caller.from }), {
          "set-cookie": cookieLine(cookie, session.expiresAt - api.now(), secure),
        });
      },
    }),
    remove("/session", "signs out", {
      need: "nothing",
      handle: async ({ caller, secure }) => {
        if (caller.session !== undefined) await keys.signOut(caller.session, api.now());
        return new AnswerWithHeaders(undefined, { "set-cookie": cookieLine("", 0, secure) });
      },
    }),
    post("/session/codes", "makes an address that signs one browser in, once, within a minute", {
      answer: z.strictObject({ url: z.string(), expiresAt: shapes.time }),
      status: 201,
      handle: ({ caller: { token = "", name } }) => {
        const { code, expiresAt } = keys.makeCode({ id: token, name, scope: "admin" }, api.now());
        return { url: signInUrl(api.info().url, code), expiresAt: iso(expiresAt) };
      },
    }),
    get("/tokens", "the valid tokens, without their secrets", {
      need: "admin",
      answer: z.strictObject({ tokens: z.array(shapes.token) }),
      handle: async () => new Listed("tokens", asJson(await operations.tokens())),
    }),
    post("/tokens", "makes a token; its secret is shown this once", {
      body: tokenBody,
      badBody: "bad-token",
      answer: z.strictObject({ token: shapes.token, secret: z.string() }),
      status: 201,
      problems: ["bad-token"],
      handle: ({ body }) => operations.createToken(body),
    }),
    remove("/tokens/{id}", "revokes a token and ends its sessions", {
      problems: ["no-such-token"],
      handle: ({ params }) => operations.revokeToken(params.id ?? ""),
    }),
    get("/audit", "who changed what, newest first", {
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
