/** Something that a person wrote is wrong: where, what stands there, what would be right. */
export class ConfigError extends Error {
  readonly code = "bad-config";
  readonly file: string;
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[], options?: ErrorOptions) {
    super(
      problems.map((problem) => `${file}${problem.startsWith(":") ? "" : ": "}${problem}`).join("\n"),
      options,
    );
    this.name = "ConfigError";
    this.file = file;
    this.problems = problems;
  }
}
