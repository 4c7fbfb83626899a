import { describe, expect, test } from "vitest";
import { importPm2 } from "./pm2.ts";

/** What `pm2 save` keeps of a process, with the shell's environment mixed in. */
const dumped = (more: object) => ({
  name: "allegro",
  namespace: "default",
  args: ["--once", "two words"],
  autorestart: true,
  autostart: true,
  watch: false,
  merge_logs: true,
  node_args: [],
  pm_exec_path: "/srv/allegro/bot.js",
  pm_cwd: "/srv/allegro",
  exec_interpreter: "node",
  exec_mode: "fork_mode",
  pm_pid_path: "/home/me/.pm2/pids/allegro-0.pid",
  status: "online",
  env: { HOME: "/home/me", API_KEY: "s3cr3t" },
  API_KEY: "s3cr3t",
  ...more,
});
const read = (value: unknown, file = "/home/me/.pm2/dump.pm2") =>
  importPm2(JSON.stringify(value), file, "UTC");

describe("a dump", () => {
  test("a process becomes an agent that is started at boot and restarted when it dies", () => {
    const imported = read([dumped({})]);
    expect(imported.config).toEqual({
      agents: [
        {
          id: "allegro",
          process: { journal: true },
          recover: [
            {
              do: "restart",
              with: {
                command: ["node", "/srv/allegro/bot.js", "--once", "two words"],
                run: true,
                cwd: "/srv/allegro",
              },
            },
          ],
        },
      ],
    });
    expect(imported.wakes).toMatchObject([
      {
        schedule: "@reboot",
        args: [
          ...["run", "allegro", "--", "/bin/sh", "-c", 'cd "$0" && exec "$@"', "/srv/allegro"],
          ...["node", "/srv/allegro/bot.js", "--once", "two words"],
        ],
      },
    ]);
    expect(imported.canGo).toEqual([{ text: "pm2 delete allegro", agent: "allegro" }]);
    expect(JSON.stringify(imported)).not.toContain("s3cr3t");
  });

  test("a job of cron_restart without autorestart becomes a schedule", () => {
    const { config, wakes } = read([dumped({ autorestart: false, cron_restart: "0 3 * * *" })]);
    expect(config).toEqual({
      agents: [{ id: "allegro", schedule: "0 3 * * *", timezone: "UTC", process: { journal: true } }],
    });
    expect(wakes).toMatchObject([{ schedule: "0 3 * * *" }]);
  });

  test("copies become agents of one group", () => {
    const web = { name: "Web", exec_mode: "cluster_mode" };
    const { config, canGo } = read([dumped(web), dumped(web)]);
    expect(config).toMatchObject({
      agents: [
        { id: "web", name: "Web", group: "Web" },
        { id: "web-2", name: "Web", group: "Web" },
      ],
    });
    expect(canGo).toEqual([{ text: "pm2 delete Web", agent: "web" }]);
  });

  test("lists what it cannot carry", () => {
    const more = { cron_restart: "0 3 * * *", max_memory_restart: 209_715_200, watch: true, max_restarts: 5 };
    const { notCarried } = read([
      dumped({ ...more, exec_mode: "cluster_mode" }),
      dumped({ name: "off", status: "stopped" }),
      dumped({ name: "bad", autorestart: false, cron_restart: "99 * * * *" }),
    ]);
    expect(notCarried).toEqual([
      "allegro: cluster mode: its copies no longer share a port; give each copy its own",
      "allegro: the restart when it uses too much memory",
      "allegro: the restart when its files change",
      "allegro: max_restarts; use the budget and backoff of a restart step instead",
      'allegro: the restart at "0 3 * * *"; Rollcall restarts agents that died',
      "off: left out, because pm2 has stopped it",
      expect.stringContaining('bad: its schedule "99 * * * *"'),
      expect.stringContaining("the 2 variables that pm2 saved from its shell"),
    ]);
  });

  test("the output of pm2 jlist does as well, without pm2's own modules", () => {
    const { config } = read([
      { pid: 7, name: "allegro", pm2_env: dumped({}), monit: {} },
      { pid: 8, name: "pm2-logrotate", pm2_env: dumped({ name: "pm2-logrotate", pmx_module: true }) },
    ]);
    expect(config).toMatchObject({ agents: [{ id: "allegro" }] });
  });
});

describe("an ecosystem file", () => {
  test("in YAML, with paths relative to it, variables, and secrets by name", () => {
    const text = `
apps:
  - name: api
    script: ./src/api.py
    args: --port 80 --title "two words"
    instances: 2
    env: { NODE_ENV: production, API_TOKEN: s3cr3t }
    env_production: { A: b }
  - { script: npm, args: start, cwd: web, instances: max }
`;
    const imported = importPm2(text, "/srv/fleet/ecosystem.yml", "UTC");
    const command = ["python3", "/srv/fleet/src/api.py", "--port", "80", "--title", "two words"];
    const step = {
      command,
      run: true,
      cwd: "/srv/fleet",
      env: { NODE_ENV: "production" },
      passEnv: ["API_TOKEN"],
    };
    expect(imported.config).toMatchObject({
      agents: [
        { id: "api", group: "api", recover: [{ with: step }] },
        { id: "api-2", group: "api", recover: [{ with: step }] },
        { id: "npm", recover: [{ with: { command: ["npm", "start"], cwd: "/srv/fleet/web" } }] },
      ],
    });
    expect(imported.wakes[0]?.args).toEqual([
      ...["run", "api", "--", "/bin/sh", "-c", 'cd "$0" && exec "$@"', "/srv/fleet"],
      ...["/usr/bin/env", "NODE_ENV=production", ...command],
    ]);
    expect(imported.notCarried).toEqual([
      "api: the variables of env_production",
      "npm: instances: max; Rollcall starts one",
    ]);
    expect(imported.todo[0]).toContain("api needs API_TOKEN");
    expect(JSON.stringify(imported)).not.toContain("s3cr3t");
  });

  test("in JavaScript is not run", () => {
    expect(() => importPm2("process.exit(9)", "/srv/ecosystem.config.js", "UTC")).toThrow(
      "/srv/ecosystem.config.js is a program, and Rollcall does not run it; start it with pm2, run pm2 save",
    );
  });
});

test.each([{ checks: [] }, [{ name: "x" }], "text", 7])("%j is no file of pm2", (value) => {
  expect(() => read(value, "x.json")).toThrow(/^x\.json is not a file of pm2; expected ~\/\.pm2\/dump\.pm2/);
});

test("neither JSON nor YAML", () => {
  expect(() => importPm2("{a: [", "x.json", "UTC")).toThrow("x.json is neither JSON nor YAML");
});
