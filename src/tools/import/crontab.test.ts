import { describe, expect, test } from "vitest";
import { importCrontab } from "./crontab.ts";
import { nameOf, readCrontabText } from "./crontab-lines.ts";
import { newCrontab } from "./render.ts";

const OPTIONS = { file: "jobs.cron", zone: "Europe/Berlin", hasUser: false, user: "me" };

describe("a crontab", () => {
  const text = String.raw`# my jobs
MAILTO=ops@example.org
SHELL=/bin/bash
*/15 * * * * /srv/allegro/wake.sh --once
30 2 * * * cd /srv/db && ./backup.sh > /var/log/b.log 2>&1
0 9 * * 1-5 report --date "$(date +\%F)"
@reboot /srv/bot/bot.py
`;
  const imported = importCrontab(text, OPTIONS);

  test("every job becomes an agent with its schedule in the zone of the machine", () => {
    expect(imported.config).toEqual({
      agents: [
        {
          id: "allegro",
          schedule: "*/15 * * * *",
          timezone: "Europe/Berlin",
          process: { journal: true },
        },
        { id: "backup", schedule: "30 2 * * *", timezone: "Europe/Berlin", process: { journal: true } },
        { id: "report", schedule: "0 9 * * 1-5", timezone: "Europe/Berlin", process: { journal: true } },
        { id: "bot", process: { journal: true } },
      ],
    });
    expect(imported.notCarried).toEqual([]);
  });

  test("cron wakes each through rollcall run, with the shell of the crontab and without its escapes", () => {
    expect(imported.wakes.map(({ args, replaces }) => [replaces, ...args])).toEqual([
      [3, "run", "allegro", "--", "/srv/allegro/wake.sh", "--once"],
      [4, "run", "backup", "--", "/bin/bash", "-c", "cd /srv/db && ./backup.sh > /var/log/b.log 2>&1"],
      [5, "run", "report", "--", "/bin/bash", "-c", 'report --date "$(date +%F)"'],
      [6, "run", "bot", "--", "/srv/bot/bot.py"],
    ]);
  });

  test("new lines take the place of the old ones, and everything else stays", () => {
    const made = newCrontab(text, imported, ({ block }) => `[${block}]\n`);
    expect(made).toBe(
      "# my jobs\nMAILTO=ops@example.org\nSHELL=/bin/bash\n[agent allegro]\n[agent backup]\n[agent report]\n[agent bot]\n",
    );
  });

  test("names the lines that it cannot carry, and why", () => {
    const { notCarried, wakes, canGo } = importCrontab(
      "0 4 * * * mail me%body\n61 * * * * /bin/a\nnonsense\n0 1 * * * /bin/b\n0 2 * * * /bin/b",
      OPTIONS,
    );
    expect(notCarried).toEqual([
      "line 1: its command reads the text after %; put both into a script",
      expect.stringContaining('line 2: the schedule "61 * * * *"'),
      "line 3: this is neither a job nor a variable; expected five fields and a command",
    ]);
    expect(wakes.map(({ block }) => block)).toEqual(["agent b", "agent b-2"]);
    expect(canGo.map(({ line }) => line)).toEqual([3, 4]);
  });

  test("leaves Rollcall's own blocks alone", () => {
    const ours = "# >>> rollcall agent a >>>\n*/5 * * * * node rollcall.js run a -- x\n# <<< rollcall <<<\n";
    const { config, todo } = importCrontab(`${ours}0 1 * * * /bin/b\n`, OPTIONS);
    expect(config).toMatchObject({ agents: [{ id: "b" }] });
    expect(todo).toEqual(["jobs in Rollcall's own blocks, which stay as they are: 1"]);
  });
});

describe("a crontab of the system", () => {
  test("has a user column, and jobs of other users are theirs to import", () => {
    const text = "0 1 * * * me /bin/a\n0 2 * * * root /bin/b\n";
    const { wakes, notCarried } = importCrontab(text, { ...OPTIONS, hasUser: true });
    expect(wakes).toMatchObject([{ user: "me", args: ["run", "a", "--", "/bin/a"] }]);
    expect(notCarried).toEqual([
      "line 2: this is a job of root, with a Rollcall home of its own; import it as root",
    ]);
  });

  test("is told in which zone its schedules are, if it names one", () => {
    const { config, todo } = importCrontab("CRON_TZ=Asia/Tokyo\n0 1 * * * /bin/a\n", {
      ...OPTIONS,
      hasUser: false,
    });
    expect(config).toMatchObject({ agents: [{ schedule: "0 1 * * *", timezone: "Asia/Tokyo" }] });
    expect(todo).toEqual([expect.stringContaining("CRON_TZ=Asia/Tokyo: cronie obeys this variable")]);
  });

  test("is recognised where nobody said so", () => {
    expect(() => importCrontab("0 1 * * * root /bin/a\n", OPTIONS)).toThrow("add --system");
  });
});

test.each(['{"checks": []}', "", "hello\nworld", "agents:\n  - id: x"])("%j is no crontab", (text) => {
  expect(() => importCrontab(text, OPTIONS)).toThrow(
    /^jobs\.cron is not a crontab: .*expected lines such as "\*\/15 \* \* \* \* \/srv\/job\.sh"$/,
  );
});

test.each([
  ["/usr/local/bin/backup.sh --full", "backup"],
  ["cd /srv/x && FOO=1 nice -n 5 python3 tools/report.py", "report"],
  ["/srv/allegro/run.sh", "allegro"],
  ["test -x /usr/sbin/anacron || run-parts /etc", "anacron"],
  ["curl -fsS https://example.org", "curl"],
])("the job %j is called %s", (command, name) => {
  expect(nameOf(command)).toBe(name);
});

test("variables hold for the lines below them", () => {
  const { jobs } = readCrontabText("0 1 * * * a\nCRON_TZ = 'Asia/Tokyo'\n0 2 * * * b\n");
  expect(jobs.map(({ variables }) => variables)).toEqual([{}, { CRON_TZ: "Asia/Tokyo" }]);
});
