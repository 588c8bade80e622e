/**
 * A word of a command line. `text` is the value without quotes, and `raw` is the word as written. `plain` is false if
 * the value depends on more than the line, because the word contains variables or file patterns.
 */
export interface ShellWord {
  text: string;
  plain: boolean;
  raw: string;
}

/**
 * A redirection such as `2>&1`. `operator` does not contain the number before the operator, and `target` is the word
 * after the operator.
 */
export interface ShellRedirection {
  operator: string;
  target: ShellWord;
}

/** A program with its arguments. */
export interface SimpleCommand {
  assignments: ShellWord[];
  words: ShellWord[];
  redirections: ShellRedirection[];
}

/** Programs joined by `|`, and the operator before them. */
export interface ShellPipeline {
  join: "first" | "&&" | "||";
  commands: SimpleCommand[];
}

/** A list of pipelines that ends with `;`, `&` or the end of a line. */
export interface ShellStatement {
  pipelines: ShellPipeline[];
  background: boolean;
}

/** Maximum number of characters in a command line. The parser rejects a longer line. */
const MOST_CHARS = 65_536;

const BLANK = /(?:[ \t]|\\\n)+/y;
const COMMENT = /#[^\n]*/y;
const REDIRECTION = /\d*(?:&>>|&>|>>|>\||>&|<&|>|<(?![<(]))/y;
const OPERATOR = /&&|\|\||\|(?!&)|&(?!>)|;(?![;&])|\n/y;
const BARE = /[^\s;&|<>()$`\\"'\p{Cc}]+/uy;
const PATTERN = /[*?[\]{}~!^]/;
const QUOTED = /'([^']*)'/y;
/** Text between double quotes without substitutions. */
const INNER = /[^"$`\\\p{Cc}]+|[\n\t]/uy;
const ESCAPED = /\\([^\r])/y;
const VARIABLE = /\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\}|[?#$!@*0-9])/y;
/** A here-document without substitutions, with which agents pass commit messages. */
const HEREDOC = /\$\(cat <<-?\s?(['"])(\w+)\1\n(?:[\s\S]*?\n)??[ \t]*\2\n?[ \t]*\)/y;
/** Words with which shell constructs begin or end that the parser does not support. */
const RESERVED = new Set(
  "if then elif else fi for while until do done case esac select function { } ! [[ ]] coproc in repeat foreach".split(
    " ",
  ),
);
const ASSIGNMENT = /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=/;

/**
 * Parses the statements of a POSIX shell's command line. Undefined for a line with unsupported constructs, such as a
 * loop, a function, a subshell or a here-document. The parser is strict: it rejects everything that it does not
 * certainly understand.
 */
export function parseShell(line: string): ShellStatement[] | undefined {
  if (line.length > MOST_CHARS) return undefined;
  const reader = new Reader(line);
  const statements: ShellStatement[] = [];
  let statement: ShellStatement = { pipelines: [], background: false };
  let join: ShellPipeline["join"] | "|" = "first";
  for (;;) {
    const command = reader.command();
    if (!command) return undefined;
    const operator = reader.operator();
    if (operator === undefined) return undefined;
    const empty = command.words.length + command.assignments.length + command.redirections.length === 0;
    const begins = statement.pipelines.length === 0;
    // Skips an empty line. After an operator such as `&&`, the list continues on the next line.
    if (empty && operator === "\n") {
      if (join === "|" || join !== "first" || begins) continue;
    }
    if (empty && !(begins && join === "first" && operator === "")) return undefined;
    if (!empty) {
      if (join === "|") statement.pipelines.at(-1)?.commands.push(command);
      else statement.pipelines.push({ join, commands: [command] });
    }
    if (operator === "&&" || operator === "||" || operator === "|") {
      join = operator;
      continue;
    }
    if (statement.pipelines.length > 0) statements.push({ ...statement, background: operator === "&" });
    if (operator === "") return statements;
    statement = { pipelines: [], background: false };
    join = "first";
  }
}

class Reader {
  private readonly line: string;
  private at = 0;

  constructor(line: string) {
    this.line = line;
  }

  /** Reads the command up to the next operator. Undefined if the parser does not understand the command. */
  command(): SimpleCommand | undefined {
    const simple: SimpleCommand = { assignments: [], words: [], redirections: [] };
    for (;;) {
      this.take(BLANK);
      this.take(COMMENT);
      const redirection = this.take(REDIRECTION);
      if (redirection) {
        this.take(BLANK);
        const target = this.word();
        if (!target) return undefined;
        simple.redirections.push({ operator: redirection[0].replace(/^\d+/, ""), target });
        continue;
      }
      const start = this.at;
      const word = this.word();
      if (!word) return this.at === start ? simple : undefined;
      const first = simple.words.length === 0;
      if (first && RESERVED.has(word.raw)) return undefined;
      if (first && ASSIGNMENT.test(word.raw)) simple.assignments.push(word);
      else simple.words.push(word);
    }
  }

  /**
   * Reads the operator at the current position. Returns "" at the end of the line, and undefined if other text follows.
   */
  operator(): string | undefined {
    if (this.at === this.line.length) return "";
    return this.take(OPERATOR)?.[0];
  }

  private take(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.line);
    if (found) this.at += found[0].length;
    return found;
  }

  /**
   * Reads the word at the current position. Returns undefined if there is no word, or if the parser does not understand
   * the word. In the second case the position still advances.
   */
  private word(): ShellWord | undefined {
    const start = this.at;
    let text = "";
    let plain = true;
    for (;;) {
      const bare = this.take(BARE);
      if (bare) {
        text += bare[0];
        plain &&= !PATTERN.test(bare[0]);
        continue;
      }
      const quoted = this.take(QUOTED);
      if (quoted) {
        text += quoted[1];
        continue;
      }
      const escaped = this.take(ESCAPED);
      if (escaped) {
        text += escaped[1];
        continue;
      }
      if (this.take(VARIABLE)) {
        plain = false;
        continue;
      }
      if (this.line[this.at] !== '"') break;
      this.at += 1;
      const inner = this.doubleQuoted();
      if (!inner) return undefined;
      text += inner.text;
      plain &&= inner.plain;
    }
    return this.at === start ? undefined : { text, plain, raw: this.line.slice(start, this.at) };
  }

  private doubleQuoted(): { text: string; plain: boolean } | undefined {
    let text = "";
    let plain = true;
    while (this.line[this.at] !== '"') {
      const inner = this.take(INNER);
      const escaped = inner ? null : this.take(ESCAPED);
      if (inner) text += inner[0];
      else if (escaped) text += unescaped(escaped[0]);
      else if (this.take(VARIABLE) ?? this.take(HEREDOC)) plain = false;
      else return undefined;
    }
    this.at += 1;
    return { text, plain };
  }
}

/** Returns the text that a backslash and the following character stand for inside double quotes of a shell. */
const unescaped = (pair: string): string =>
  pair === "\\\n" ? "" : /["$`\\]/.test(pair.slice(1)) ? pair.slice(1) : pair;
