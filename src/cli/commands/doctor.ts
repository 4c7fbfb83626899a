import { Command, InvalidArgumentError } from "commander";
import type { State } from "../../core/liveness/state.ts";
import { homeAt } from "../../home/home.ts";
import { StoreEvents } from "../../home/store-events.ts";
import type { FreeLimit, Level } from "../../tools/doctor/check.ts";
import { parseFreeLimit } from "../../tools/doctor/checks/disk.ts";
import { CHECKS } from "../../tools/doctor/checks.ts";
import { doctor, type Mended, type Report, type ReportedFinding } from "../../tools/doctor/examine.ts";
import type { CommonOptions } from "../output/roll.ts";
import { bold, dim, paintState, plain, say, sayJson, wrap } from "../output/terminal.ts";

interface DoctorOptions extends CommonOptions {
  readonly fix?: true;
  readonly ack?: true;
  readonly minFree?: FreeLimit;
}

const EXIT: Readonly<Record<Level, number>> = { ok: 0, note: 0, warning: 1, error: 2 };
const MARK: Readonly<Record<Level, string>> = { ok: "✓", note: "·", warning: "!", error: "✗" };
/** The colours of the roll: what is broken looks like the dead. */
const LIKE: Readonly<Record<Level, State>> = { ok: "alive", note: "new", warning: "late", error: "dead" };

export function doctorCommand(): Command {
  return new Command("doctor")
    .description("check the installation and suggest fixes")
    .option(
      "--fix",
      "fix what is safe to fix: missing folders, file modes that are too open, a stale PID file",
    )
    .option(
      "--ack",
      "acknowledge past problems of the database, so that doctor and status stop reporting them",
    )
    .option("--json", "print JSON: {findings, worst}")
    .option(
      "--min-free <size>",
      "report the disk as full below this much free space, such as 500MB or 5%",
      freeLimit,
    )
    .addHelpText(
      "after",
      `
${wrap(`Checks: ${CHECKS.map(({ name }) => name).join(", ")} (see docs/doctor.md)`, 80)}

Exit codes:
  0  no problems (there may be notes)      1  warnings      2  errors

Examples:
  $ rollcall doctor
  $ rollcall doctor --json --min-free 1GB || mail -s "Rollcall needs you" me`,
    )
    .action(async ({ json, ack, ...options }: DoctorOptions) => {
      if (ack === true) new StoreEvents(homeAt(options.home).path).acknowledge();
      const report = await doctor(options);
      if (json === true) sayJson(report);
      else say(show(report));
      process.exitCode = EXIT[report.worst];
    });
}

function freeLimit(text: string): FreeLimit {
  const limit = parseFreeLimit(text);
  if (limit === undefined) throw new InvalidArgumentError("expected a size such as 500MB or 5%.");
  return limit;
}

function show({ findings, mended }: Report): string {
  const lines = mended === undefined ? [] : [...showMended(mended), ""];
  const column = Math.max(...findings.map(({ check }) => check.length)) + 2;
  let last = "";
  for (const finding of findings) {
    lines.push(...showFinding(finding, finding.check === last ? "" : finding.check, column));
    last = finding.check;
  }
  return [...lines, "", summary(findings, mended !== undefined)].join("\n");
}

function showMended(mended: readonly Mended[]): string[] {
  if (mended.length === 0) return ["There was nothing to repair."];
  return mended.map(({ check, did, failed }) =>
    did === undefined
      ? `${paintState("dead", "could not repair")} ${check}: ${plain(failed ?? "")}`
      : `${paintState("alive", "repaired")} ${check}: ${plain(did)}`,
  );
}

function showFinding({ level, says, todo }: ReportedFinding, title: string, column: number): string[] {
  const below = " ".repeat(column + 2);
  // Only what stands after the title is broken into lines.
  const text = wrap(below + plain(says)).slice(below.length);
  const line = `${paintState(LIKE[level], MARK[level])} ${title.padEnd(column)}${level === "ok" ? dim(text) : text}`;
  if (todo === undefined) return [line];
  return [line, `${below}${dim("→")} ${wrap(`${below}  ${plain(todo)}`).trimStart()}`];
}

function summary(findings: readonly ReportedFinding[], fixed: boolean): string {
  const count = (level: Level) => findings.filter((finding) => finding.level === level).length;
  const said = (["error", "warning", "note"] as const)
    .map((level) => [level, count(level)] as const)
    .filter(([, number]) => number > 0)
    .map(([level, number]) => paintState(LIKE[level], `${number} ${level}${number === 1 ? "" : "s"}`));
  const troubled = count("error") + count("warning") > 0;
  const head = troubled ? said.join(", ") : [bold("All is well"), ...said].join(", ");
  const fixable = findings.filter((finding) => finding.fixable === true).length;
  if (fixable === 0 || fixed) return head;
  return `${head}. ${fixable === 1 ? "One" : fixable} of them can be repaired: rollcall doctor --fix`;
}
