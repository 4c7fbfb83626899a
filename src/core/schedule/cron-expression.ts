/** A cron expression by its fields, each as it is written: `*`, `5`, `MON-FRI`, and so on. */
export interface CronExpression {
  /** 0 unless given. */
  readonly second?: string;
  readonly minute: string;
  readonly hour: string;
  readonly dayOfMonth: string;
  readonly month: string;
  readonly dayOfWeek: string;
}

const NICKNAMES: Readonly<Record<string, string>> = {
  "@yearly": "0 0 1 1 *",
  "@annually": "0 0 1 1 *",
  "@monthly": "0 0 1 * *",
  "@weekly": "0 0 * * 0",
  "@daily": "0 0 * * *",
  "@midnight": "0 0 * * *",
  "@hourly": "0 * * * *",
};

/** The fields of an expression of five or six, or of a nickname. Whether they make sense, `cronProblem` says. */
export function parseCron(text: string): CronExpression | undefined {
  const trimmed = text.trim();
  const fields = (NICKNAMES[trimmed.toLowerCase()] ?? trimmed).split(/\s+/);
  const [minute = "", hour = "", dayOfMonth = "", month = "", dayOfWeek = ""] = fields.slice(-5);
  const five = { minute, hour, dayOfMonth, month, dayOfWeek };
  if (fields.length === 5) return five;
  return fields.length === 6 ? { second: fields[0] ?? "", ...five } : undefined;
}

export function formatCron(expression: CronExpression): string {
  const { second, minute, hour, dayOfMonth, month, dayOfWeek } = expression;
  const five = `${minute} ${hour} ${dayOfMonth} ${month} ${dayOfWeek}`;
  return second === undefined ? five : `${second} ${five}`;
}
