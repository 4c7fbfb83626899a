import * as z from "zod";
import { HOST_KINDS } from "../../core/host-kind.ts";
import type { Api } from "./api.ts";
import { type Route, route } from "./route.ts";
import * as shapes from "./schemas.ts";

const text = (what: string) => z.string({ error: what });

/** The hosts that report to this hub. */
export function hostRoutes({ operations }: Api): readonly Route[] {
  return [
    route({
      method: "GET",
      path: "/api/v1/hosts",
      summary: "the hosts that report to this hub",
      need: "read",
      answer: z.strictObject({ hosts: z.array(shapes.host) }),
      problems: ["not-a-hub"],
      handle: async () => ({ hosts: await operations.hosts() }),
    }),
    route({
      method: "POST",
      path: "/api/v1/hosts/invitations",
      summary: "makes a code with which a host joins, or a key for many; it is shown this once",
      need: "admin",
      body: z.strictObject(
        {
          name: text("a name"),
          kind: z.enum(HOST_KINDS, { error: HOST_KINDS.join(", ") }).optional(),
          ttl: text("a duration such as 15m").optional(),
        },
        { error: "expected an object" },
      ),
      badBody: "bad-host",
      answer: shapes.invitation,
      status: 201,
      problems: ["bad-host", "not-a-hub"],
      handle: ({ body }) => operations.inviteHost(body),
    }),
    route({
      method: "POST",
      path: "/api/v1/hosts/{name}/rename",
      summary: "gives a host another name",
      need: "admin",
      body: z.strictObject({ to: text("a name") }, { error: "expected an object" }),
      badBody: "bad-host",
      problems: ["bad-host", "no-such-host", "host-exists", "not-a-hub"],
      handle: ({ params, body }) => operations.renameHost(params.name ?? "", body.to),
    }),
    route({
      method: "DELETE",
      path: "/api/v1/hosts/{name}",
      summary: "takes a host's right to report away, and its agents off the roll",
      need: "admin",
      problems: ["no-such-host", "not-a-hub"],
      handle: ({ params }) => operations.revokeHost(params.name ?? ""),
    }),
  ];
}
