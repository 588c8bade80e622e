import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The fate of the commit that a line came with. */
export type Form = "unchanged" | "rebased" | "amended" | "squashed" | "by others";

/** A line and the truth about it: the session that wrote it and that committed it, or somebody whom nobody recorded. */
export interface Line {
  text: string;
  writer: string;
  committer?: string;
  form?: Form;
}

/** The last line of every file, which is never moved. */
export const LAST = "// the end";

const HAND = { name: "Hana", email: "hana@example.com" };
const BOT = { name: "tidy[bot]", email: "tidy@bots.example.com" };

/** A git repository of which it is known who wrote each line. */
export class Repository {
  readonly files = new Map<string, Line[]>();
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.git("init", "-q", "-b", "main");
  }

  /** Runs git as somebody. Answers what it printed. */
  git(...args: string[]): string {
    return this.as(HAND, args);
  }

  private as({ name, email }: typeof HAND, args: string[], folder = this.folder): string {
    const env = {
      GIT_AUTHOR_NAME: name,
      GIT_AUTHOR_EMAIL: email,
      GIT_COMMITTER_NAME: name,
      GIT_COMMITTER_EMAIL: email,
    };
    const options = { cwd: folder, env: { ...process.env, ...env, GIT_CONFIG_GLOBAL: "/dev/null" } };
    return execFileSync("git", args, { ...options, encoding: "utf8", stdio: "pipe" });
  }

  create(path: string, lines: readonly string[], writer: string): void {
    this.files.set(
      path,
      lines.map((text) => ({ text, writer })),
    );
    this.save(path);
  }

  insert(path: string, above: string, lines: readonly string[], writer: string): void {
    const all = this.linesOf(path);
    all.splice(
      all.findIndex(({ text }) => text === above),
      0,
      ...lines.map((text) => ({ text, writer })),
    );
    this.save(path);
  }

  replace(path: string, before: string, text: string, writer: string): void {
    const all = this.linesOf(path);
    all[all.findIndex((line) => line.text === before)] = { text, writer };
    this.save(path);
  }

  remove(path: string, lines: readonly string[]): void {
    const all = this.linesOf(path);
    all.splice(
      all.findIndex(({ text }) => text === lines[0]),
      lines.length,
    );
    this.save(path);
  }

  linesOf(path: string): Line[] {
    return this.files.get(path) ?? [];
  }

  private save(path: string): void {
    const file = join(this.folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(
      file,
      this.linesOf(path)
        .map(({ text }) => `${text}\n`)
        .join(""),
    );
  }

  /** Commits everything; answers what git printed. */
  commit(message: string, committer: string, form: Form, ...args: string[]): string {
    this.git("add", "-A");
    const printed = this.as(committer === "bot" ? BOT : HAND, ["commit", "-m", message, ...args]);
    for (const line of this.fresh()) Object.assign(line, { committer, form });
    return printed;
  }

  /** Says of the lines of the commits of some sessions what became of those. */
  became(lines: readonly Line[], form: Form, committer?: string): void {
    for (const line of lines) Object.assign(line, { form }, committer && { committer });
  }

  /** The lines that are not committed. */
  fresh(): Line[] {
    return [...this.files.values()].flat().filter(({ committer }) => committer === undefined);
  }

  /** True while the files are as they are known. */
  isTrue(): boolean {
    return [...this.files].every(
      ([path, lines]) =>
        readFileSync(join(this.folder, path), "utf8") === lines.map(({ text }) => `${text}\n`).join(""),
    );
  }
}
