import { basename } from "node:path";
import { toOneLine } from "../output/print.ts";
import { readSessionWorkingFolder, type SessionFile, type SkippedFile } from "./find.ts";
import { readFileEdges } from "./lines.ts";

/** Summary of an agent's sessions in a folder. */
export interface SessionFilesSummary {
  agent: string;
  project: string;
  sessions: number;
  files: number;
  bytes: number;
  /** ISO 8601. */
  from: string | null;
  to: string | null;
}

/** Bytes that are read at each end of a file. */
const EDGE = 64 * 1024;
const TIME = /"(?:timestamp|startTime)":\s*"(\d{4}-[^"]{10,30})"/g;
const FOLDER = /"(?:cwd|directory)":\s*("(?:[^"\\]|\\.)*")/;

/** Summarizes the sessions in files by agent and folder, without sending anything. */
export async function summarizeFiles(files: readonly SessionFile[]): Promise<SessionFilesSummary[]> {
  const groups = new Map<string, SessionFilesSummary>();
  for (const file of files) {
    const { head, tail } = await readFileEdges(file.path, EDGE);
    const project = (await readSessionWorkingFolder(file)) ?? projectIn(head) ?? "";
    const key = `${file.source.name} ${project}`;
    const known = groups.get(key) ?? {
      agent: file.source.name,
      project,
      sessions: 0,
      files: 0,
      bytes: 0,
      from: null,
      to: null,
    };
    groups.set(key, known);
    const times = [...`${head}\n${tail}`.matchAll(TIME)].map(([, time]) => String(time)).sort();
    known.sessions += isSubagent(file.path) ? 0 : 1;
    known.files += 1;
    known.bytes += file.size;
    known.from = least(known.from, times[0]);
    known.to = times.reduce((latest, time) => (latest === null || time > latest ? time : latest), known.to);
  }
  return [...groups.values()].sort((a, b) => (`${a.agent} ${a.project}` < `${b.agent} ${b.project}` ? -1 : 1));
}

const projectIn = (head: string): string | undefined => {
  const [, text] = FOLDER.exec(head) ?? [];
  return text === undefined ? undefined : (JSON.parse(text) as string);
};

const least = (a: string | null, b: string | undefined): string | null =>
  a === null ? (b ?? null) : b !== undefined && b < a ? b : a;

/** Returns true if a file contains a subagent's part of a session whose main part is in another file. */
const isSubagent = (path: string): boolean =>
  /^agent-/.test(basename(path)) ||
  /\/chats\/[\da-f-]{36}\//.test(path) ||
  /\/imports\/opencode\/(ses_\w+)\/(?!\1\.json$)/.test(path);

interface BadLine {
  file: string;
  line: number;
  reason: string;
}

/** Maximum number of bad lines that a report stores. Further bad lines are only counted. */
const KEPT = 1_000;

/** Result of an import of sessions. */
export class SessionImportReport {
  accepted = 0;
  badLines = 0;
  readonly problems: BadLine[] = [];
  readonly skipped: SkippedFile[] = [];
  private readonly reasons = new Map<string, number>();
  private readonly files = new Set<string>();
  private readonly tell: (line: string) => void;

  constructor(tell: (line: string) => void) {
    this.tell = tell;
  }

  bad(file: string, line: number, reason: string): void {
    this.badLines += 1;
    if (this.problems.length >= KEPT) return;
    this.problems.push({ file, line, reason });
    this.tell(toOneLine(`${file}:${line}: ${reason}`, 600));
  }

  skip(files: readonly SkippedFile[]): void {
    for (const each of files) {
      this.skipped.push(each);
      this.tell(toOneLine(`${each.file}: ${each.reason}`, 600));
    }
  }

  leftOut(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  touched(file: string): void {
    this.files.add(file);
  }

  /** Returns the report as JSON. */
  shown() {
    const sessions = [...this.files].filter((file) => !isSubagent(file)).length;
    const leftOut = [...this.reasons].map(([reason, observations]) => ({ reason, observations }));
    return {
      sessions,
      files: this.files.size,
      observations: this.accepted,
      leftOut,
      bad: this.badLines,
      badLines: this.problems,
      skippedFiles: this.skipped.slice(0, KEPT),
    };
  }

  /** Returns the report as lines of text. */
  lines(): string[] {
    const { sessions, files, observations, leftOut, bad } = this.shown();
    const skipped = this.skipped.length;
    const number = (count: number, noun: string) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
    return [
      files === 0
        ? skipped > 0
          ? "No new events."
          : "No new events. All sessions are already imported."
        : `${number(observations, "observation")} of ${number(sessions, "session")} imported, from ${number(files, "file")}.`,
      ...leftOut.map((each) => `Skipped: ${number(each.observations, "observation")}, because each ${each.reason}.`),
      ...(skipped > 0 ? [`${number(skipped, "file")} left out, listed above.`] : []),
      ...(bad > 0 ? [`${number(bad, "bad line")}, listed above. Everything else is imported.`] : []),
    ];
  }
}
