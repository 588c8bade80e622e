import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** History of the commit that added a line. */
export type CommitHistory = "unchanged" | "rebased" | "amended" | "squashed" | "by others";

/**
 * Line of a file with the expected blame: the sessions that wrote and committed the line, or an author without a
 * recording.
 */
export interface BlamedLine {
  text: string;
  writer: string;
  committer?: string;
  form?: CommitHistory;
}

/** The last line of every file; no step moves the line. */
export const LAST_LINE = "// the end";

const HAND = { name: "Hana", email: "hana@example.com" };
const BOT = { name: "tidy[bot]", email: "tidy@bots.example.com" };

/** Git repository in which the author of each line is known. */
export class BlamedRepository {
  readonly files = new Map<string, BlamedLine[]>();
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
    this.git("init", "-q", "-b", "main");
  }

  /** Runs git as some author. Returns the output. */
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

  linesOf(path: string): BlamedLine[] {
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

  /** Commits all changes. Returns the output of git. */
  commit(message: string, committer: string, form: CommitHistory, ...args: string[]): string {
    this.git("add", "-A");
    const printed = this.as(committer === "bot" ? BOT : HAND, ["commit", "-m", message, ...args]);
    for (const line of this.fresh()) Object.assign(line, { committer, form });
    return printed;
  }

  /** Sets the history of the commits that added some lines. */
  became(lines: readonly BlamedLine[], form: CommitHistory, committer?: string): void {
    for (const line of lines) Object.assign(line, { form }, committer && { committer });
  }

  /** Returns the lines that are not committed. */
  fresh(): BlamedLine[] {
    return [...this.files.values()].flat().filter(({ committer }) => committer === undefined);
  }

  /** True while the files contain exactly the expected lines. */
  isTrue(): boolean {
    return [...this.files].every(
      ([path, lines]) =>
        readFileSync(join(this.folder, path), "utf8") === lines.map(({ text }) => `${text}\n`).join(""),
    );
  }
}
