import { dirname, join } from "node:path";

/** The script that clients call: it sends what it is given in the background, waits for nothing and says nothing. */
export function hookScript(folder: string, url: string): string {
  return `#!/bin/sh
# Made by \`rollcall connect\`: tells Rollcall what a coding agent does. It never fails, never waits and says nothing.
{ read -r up _ </proc/uptime; } 2>/dev/null
# The end of a session is told while its terminal closes.
trap '' HUP
exec 3<&0
curl -s -o /dev/null -m 2 -K ${single(join(folder, "curl"))} --data-binary @- \\
  "${url}/hook/$1?pid=$PPID&up=$up\${2:+&event=$2}" <&3 3<&- >/dev/null 2>&1 &
exit 0
`;
}

/** What curl reads besides: the token stands in no list of processes. */
export function curlSettings(token: string): string {
  const headers = [`Authorization: Bearer ${token}`, "Content-Type: application/json", "Expect:"];
  return `${headers.map((header) => `header = "${header}"`).join("\n")}\nnoproxy = "*"\n`;
}

function single(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The plugin for OpenCode: the address and the token stay in the home. */
export function openCodePlugin(script: string): string {
  const settings = JSON.stringify(join(dirname(script), "watcher.json"));
  return `// This file was made by \`rollcall connect\`; \`rollcall disconnect opencode\` removes it.
// It tells Rollcall what OpenCode does. It never fails, never waits and says nothing.
import { readFileSync } from "node:fs";
import { uptime } from "node:os";

const TYPES = new Set([
  "session.created", "session.status", "session.idle", "session.error", "session.compacted",
  "permission.asked", "permission.updated", "permission.replied",
  "question.asked", "question.replied", "question.rejected",
]);

export const Rollcall = async ({ directory }) => {
  let watcher;
  try {
    watcher = JSON.parse(readFileSync(${settings}, "utf8"));
  } catch {
    return {};
  }
  const parents = new Map();
  const { fetch: post } = globalThis;
  const send = (type, properties) => {
    try {
      let root = properties.sessionID;
      if (root === undefined) return;
      while (parents.has(root)) root = parents.get(root);
      const body = JSON.stringify({ type, properties, root, cwd: directory });
      const headers = { authorization: \`Bearer \${watcher.token}\`, "content-type": "application/json" };
      const to = \`\${watcher.url}/hook/opencode?pid=\${process.pid}&up=\${uptime()}\`;
      post(to, { method: "POST", headers, body, signal: AbortSignal.timeout(2000) }).then(
        (answer) => answer.body?.cancel(),
        () => {},
      );
    } catch {}
  };
  return {
    event: async ({ event }) => {
      const { type, properties = {} } = event;
      if (!TYPES.has(type)) return;
      const { info, ...rest } = properties;
      const sessionID = rest.sessionID ?? info?.id;
      if (info?.parentID !== undefined && parents.size < 1000) parents.set(sessionID, info.parentID);
      send(type, { ...rest, sessionID });
    },
    "tool.execute.before": async ({ tool, sessionID }, output) => {
      const { command, filePath, path } = output?.args ?? {};
      send("tool.execute.before", { sessionID, tool, args: { command, path: path ?? filePath } });
    },
    "tool.execute.after": async ({ tool, sessionID }) => send("tool.execute.after", { sessionID, tool }),
  };
};
`;
}
