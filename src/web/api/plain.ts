import type { Plain } from "./openapi.ts";

const ping = (path: string): Plain => ({
  methods: ["GET", "HEAD", "POST"],
  path,
  summary: "a ping as clients of Healthchecks send it (docs/pings.md)",
  need: "secret address",
  answers: [200, "text/plain"],
});

const BEAT_PROBLEMS = [
  ...(["bad-beat", "too-large", "wrong-scope"] as const),
  ...(["no-such-agent", "too-many-agents", "cannot-store"] as const),
] as const;

/**
 * What the server answers without the table of routes. The server takes from here what each needs, and the document and
 * docs/access.md are made of the same.
 */
export const PLAIN = {
  beats: {
    methods: ["POST"],
    path: "/api/v1/beats",
    summary: "one beat or a list of them, all or nothing; answered when they are on disk",
    need: "beat",
    answers: [204],
    problems: ["bad-json", ...BEAT_PROBLEMS],
  },
  beat: {
    methods: ["GET", "HEAD", "POST"],
    path: "/beat/{agent}",
    summary: "one beat; its fields as query parameters, a POST's body is the message",
    need: "beat",
    answers: [200, "text/plain"],
    problems: ["bad-request", ...BEAT_PROBLEMS],
  },
  hook: {
    methods: ["POST"],
    path: "/hook/{client}",
    summary:
      "what the client of a coding agent says of itself (docs/connect.md); answered at once, from this machine only",
    need: "hook",
    answers: [204],
    problems: ["bad-json", "too-large", "needs-token", "wrong-scope", "not-allowed", "not-found"],
  },
  ping: ping("/ping/{uuid}"),
  pingOfKind: ping("/ping/{uuid}/{what}"),
  pingBySlug: ping("/ping/{key}/{slug}/{what}"),
  events: {
    methods: ["GET"],
    path: "/api/v1/events",
    summary: "changes as they are committed, as server-sent events",
    need: "read",
    answers: [200, "text/event-stream"],
    problems: ["needs-token", "wrong-scope", "too-many-streams"],
  },
  join: {
    methods: ["POST"],
    path: "/hub/v1/join",
    summary: "a host joins this hub with the code of an invitation (docs/many-hosts.md)",
    need: "nothing",
    answers: [200, "application/json"],
    problems: ["bad-json", "join-refused", "too-many-requests", "cannot-store"],
  },
  facts: {
    methods: ["POST"],
    path: "/hub/v1/facts",
    summary: "a host reports what it judged; without facts it is a sign of life",
    need: "host",
    answers: [200, "application/json"],
    problems: [
      "bad-request",
      "bad-json",
      "too-large",
      "needs-token",
      "wrong-scope",
      "host-refused",
      "send-again",
      "wrong-version",
      "cannot-store",
    ],
  },
  commands: {
    methods: ["GET"],
    path: "/hub/v1/commands",
    summary: "what is asked of a host, waiting up to `wait` seconds for it",
    need: "host",
    answers: [200, "application/json"],
    problems: ["needs-token", "wrong-scope"],
  },
  owner: {
    methods: ["GET"],
    path: "/hub/v1/owner",
    summary: "of several hubs, the address of the one that takes reports now; null: the one that was asked",
    need: "host",
    answers: [200, "application/json"],
    problems: ["needs-token", "wrong-scope", "no-owner"],
  },
  metrics: {
    methods: ["GET"],
    path: "/metrics",
    summary: "figures for Prometheus (docs/metrics.md)",
    need: "read",
    answers: [200, "text/plain"],
    problems: ["needs-token", "wrong-scope", "cannot-store"],
  },
  healthz: {
    methods: ["GET", "HEAD"],
    path: "/healthz",
    summary: "200 while the watcher can store, 503 while it cannot",
    need: "nothing",
    answers: [200, "application/json"],
  },
  readyz: {
    methods: ["GET", "HEAD"],
    path: "/readyz",
    summary: "200 while requests are answered, be it by another hub; 503 while they are not",
    need: "nothing",
    answers: [200, "application/json"],
  },
  badge: {
    methods: ["GET", "HEAD"],
    path: "/badge/{agent}.svg",
    summary: "the state of an agent as a picture, if the config lets anybody see it (access.badges)",
    need: "nothing",
    answers: [200, "image/svg+xml"],
    problems: ["not-found"],
  },
  signIn: {
    methods: ["GET"],
    path: "/sign-in",
    summary: "signs a browser in with the code in `code`, once, and sends it on to the page",
    need: "nothing",
    answers: [303],
    problems: ["needs-token", "too-many-requests", "cannot-store"],
  },
} as const satisfies Record<string, Plain>;

/** Every other path: the files of the dashboard. */
export const PAGES = { methods: ["GET", "HEAD"], path: "/ and every other path", need: "nothing" } as const;
