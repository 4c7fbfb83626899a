import * as z from "zod";
import { HOST_KINDS } from "../../core/host-kind.ts";
import type { Api } from "./api.ts";
import { bodyOf } from "./page.ts";
import { type ApiRoute, get, post, remove } from "./route.ts";
import * as shapes from "./schemas.ts";

const text = (what: string) => z.string({ error: what });

/** The hosts that report to this hub. */
export function hostRoutes({ operations }: Api): readonly ApiRoute[] {
  return [
    get("/hosts", "the hosts that report to this hub", {
      answer: z.strictObject({ hosts: z.array(shapes.host) }),
      problems: ["not-a-hub"],
      handle: async () => ({ hosts: await operations.hosts() }),
    }),
    post(
      "/hosts/invitations",
      "makes a code with which a host joins, or a key for many; it is shown this once",
      {
        body: bodyOf({
          name: text("a name"),
          kind: z.enum(HOST_KINDS, { error: HOST_KINDS.join(", ") }).optional(),
          ttl: text("a duration such as 15m").optional(),
        }),
        badBody: "bad-host",
        answer: shapes.invitation,
        status: 201,
        problems: ["bad-host", "not-a-hub"],
        handle: ({ body }) => operations.inviteHost(body),
      },
    ),
    post("/hosts/{name}/rename", "gives a host another name", {
      body: bodyOf({ to: text("a name") }),
      badBody: "bad-host",
      problems: ["bad-host", "no-such-host", "host-exists", "not-a-hub"],
      handle: ({ params, body }) => operations.renameHost(params.name ?? "", body.to),
    }),
    remove("/hosts/{name}", "revokes a host: its token ends, and its agents leave the roll", {
      problems: ["no-such-host", "not-a-hub"],
      handle: ({ params }) => operations.revokeHost(params.name ?? ""),
    }),
  ];
}
