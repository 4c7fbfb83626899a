/** A word of a command; undefined where only the shell can tell what it will be. */
export type Word = string | undefined;
export type Variables = ReadonlyMap<string, string>;

/** One simple command: its words, the files that its output goes to, and the variables as they are by then. */
interface ShellCommand {
  readonly words: readonly Word[];
  readonly outputs: readonly Word[];
  readonly variables: Variables;
}

interface ShellLine {
  readonly commands: readonly ShellCommand[];
  /** False if a quote or a parenthesis is never closed: then a shell refuses the line. */
  readonly closed: boolean;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s;

/** The name and the value, if a word is an assignment. */
export function assignmentIn(word: Word): readonly [name: string, value: string] | undefined {
  const [, name, value] = ASSIGNMENT.exec(word ?? "") ?? [];
  return name === undefined || value === undefined ? undefined : [name, value];
}

/** Splits a line into its simple commands, as a POSIX shell does, with the variables that are known. */
export function readShell(line: string, variables: Variables): ShellLine {
  return new ShellReader(line, variables).read();
}

class ShellReader {
  readonly #text: string;
  readonly #variables: Map<string, string>;
  readonly #commands: ShellCommand[] = [];
  #at = 0;
  #closed = true;
  #words: Word[] = [];
  #outputs: Word[] = [];
  /** The word under way, if one is. */
  #word: string | undefined;
  #knowable = true;
  /** What the next word is: a part of the command, or the file of a redirection. */
  #next: "word" | "input" | "output" = "word";

  constructor(text: string, variables: Variables) {
    this.#text = text;
    this.#variables = new Map(variables);
  }

  read(): ShellLine {
    while (this.#at < this.#text.length) this.#step(this.#take());
    this.#endCommand();
    return { commands: this.#commands, closed: this.#closed };
  }

  readonly #steps: Readonly<Record<string, () => void>> = {
    ...Object.fromEntries([..." \t"].map((blank) => [blank, () => this.#endWord()])),
    ...Object.fromEntries([...";|&()\n"].map((mark) => [mark, () => this.#endCommand()])),
    "<": () => this.#redirect("<"),
    ">": () => this.#redirect(">"),
    "'": () => this.#add(this.#quoted()),
    '"': () => this.#doubleQuoted(),
    "\\": () => this.#escaped(),
    $: () => this.#dollar(),
    "`": () => this.#substitution("`"),
  };

  #step(char: string): void {
    const isFirst = this.#word === undefined;
    if (char === "#" && isFirst) this.#upTo("\n");
    else if (char === "~" && isFirst) this.#tilde();
    else if (char === "&" && this.#peek() === ">") this.#endWord();
    else if (Object.hasOwn(this.#steps, char)) this.#steps[char]?.();
    else this.#plain(char);
  }

  #take(): string {
    return this.#text[this.#at++] ?? "";
  }

  #peek(): string {
    return this.#text[this.#at] ?? "";
  }

  #add(text: string): void {
    this.#word = (this.#word ?? "") + text;
  }

  #unknown(): void {
    this.#add("");
    this.#knowable = false;
  }

  #plain(char: string): void {
    // A pattern becomes the names of files; a lone bracket is the command `[`.
    if (char === "*" || char === "?" || (char === "[" && this.#word !== undefined && this.#word !== "["))
      this.#unknown();
    else this.#add(char);
  }

  /** What follows up to the mark, which is passed over. */
  #upTo(mark: string): string | undefined {
    const end = this.#text.indexOf(mark, this.#at);
    const text = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + (mark === "\n" ? 0 : mark.length);
    return end < 0 && mark !== "\n" ? undefined : text;
  }

  #quoted(): string {
    const text = this.#upTo("'");
    if (text === undefined) this.#closed = false;
    return text ?? "";
  }

  #doubleQuoted(): void {
    this.#add("");
    for (;;) {
      if (this.#at >= this.#text.length) {
        this.#closed = false;
        return;
      }
      const char = this.#take();
      if (char === '"') return;
      if (char === "\\" && /[$`"\\\n]/.test(this.#peek())) this.#escaped();
      else if (char === "$") this.#dollar();
      else if (char === "`") this.#substitution("`");
      else this.#add(char);
    }
  }

  #escaped(): void {
    const char = this.#take();
    if (char !== "\n") this.#add(char);
  }

  #dollar(): void {
    if (this.#peek() === "(") return this.#parenthesis();
    const rest = this.#text.slice(this.#at);
    const [all, plain, braced] = /^(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(rest) ?? [];
    if (all !== undefined) {
      this.#at += all.length;
      const value = this.#variables.get(plain ?? braced ?? "");
      if (value === undefined) this.#unknown();
      else this.#add(value);
    } else if (this.#peek() === "{") this.#substitution("}");
    else if (/[\w@*#?$!-]/.test(this.#peek())) {
      this.#at += 1;
      this.#unknown();
    } else this.#add("$");
  }

  #substitution(mark: string): void {
    if (this.#upTo(mark) === undefined) this.#closed = false;
    this.#unknown();
  }

  /** `$(…)`, with whatever is nested in it. */
  #parenthesis(): void {
    let depth = 0;
    do {
      if (this.#at >= this.#text.length) {
        this.#closed = false;
        break;
      }
      const char = this.#take();
      if (char === "'") this.#quoted();
      depth += char === "(" ? 1 : char === ")" ? -1 : 0;
    } while (depth > 0);
    this.#unknown();
  }

  #tilde(): void {
    const home = this.#variables.get("HOME");
    if (home !== undefined && /^($|[/\s;&|])/.test(this.#text.slice(this.#at))) this.#add(home);
    else this.#unknown();
  }

  #redirect(char: string): void {
    // `2>` names a descriptor, not a word.
    if (this.#word !== undefined && /^\d+$/.test(this.#word)) this.#word = undefined;
    this.#endWord();
    while (/[<>|]/.test(this.#peek())) this.#at += 1;
    const copies = this.#peek() === "&";
    if (copies) this.#at += 1;
    this.#next = char === ">" && !copies ? "output" : "input";
  }

  #endWord(): void {
    if (this.#word === undefined) return;
    const word = this.#knowable ? this.#word : undefined;
    if (this.#next === "word") this.#words.push(word);
    else if (this.#next === "output") this.#outputs.push(word);
    this.#next = "word";
    this.#word = undefined;
    this.#knowable = true;
  }

  #endCommand(): void {
    this.#endWord();
    this.#next = "word";
    if (this.#words.length > 0 || this.#outputs.length > 0) {
      const variables = new Map(this.#variables);
      this.#commands.push({ words: this.#words, outputs: this.#outputs, variables });
      this.#remember(this.#words);
    }
    this.#words = [];
    this.#outputs = [];
  }

  /** `X=/opt/x; $X/run`: an assignment that stands alone, or is exported, holds for what follows. */
  #remember(words: readonly Word[]): void {
    const assigned = words[0] === "export" ? words.slice(1) : words;
    const found = assigned.map(assignmentIn);
    if (found.includes(undefined)) return;
    for (const pair of found) if (pair !== undefined) this.#variables.set(...pair);
  }
}
