import { basename } from "node:path";
import { oneLine } from "../output/print.ts";
import { type Found, folderOf } from "./find.ts";
import { edgesOf } from "./lines.ts";

/** The sessions of one agent in one folder. */
export interface Surveyed {
  agent: string;
  project: string;
  sessions: number;
  files: number;
  bytes: number;
  /** ISO 8601. */
  from: string | null;
  to: string | null;
}

/** Bytes of both ends of a file that are read. */
const EDGE = 64 * 1024;
const TIME = /"(?:timestamp|startTime)":\s*"(\d{4}-[^"]{10,30})"/g;
const FOLDER = /"(?:cwd|directory)":\s*("(?:[^"\\]|\\.)*")/;

/** The sessions that files hold, by agent and folder; nothing is sent. */
export async function survey(files: readonly Found[]): Promise<Surveyed[]> {
  const groups = new Map<string, Surveyed>();
  for (const file of files) {
    const { head, tail } = await edgesOf(file.path, EDGE);
    const project = (await folderOf(file)) ?? projectIn(head) ?? "";
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

/** Reports whether a file holds a part of a session of which another file has the rest. */
const isSubagent = (path: string): boolean =>
  /^agent-/.test(basename(path)) ||
  /\/chats\/[\da-f-]{36}\//.test(path) ||
  /\/imports\/opencode\/(ses_\w+)\/(?!\1\.json$)/.test(path);

/** A line that could not be read. */
interface BadLine {
  file: string;
  line: number;
  reason: string;
}

/** Bad lines that a report keeps; more are only counted. */
const KEPT = 1_000;

/** The outcome of an import. */
export class Report {
  accepted = 0;
  badLines = 0;
  readonly problems: BadLine[] = [];
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
    this.tell(oneLine(`${file}:${line}: ${reason}`, 600));
  }

  leftOut(reason: string): void {
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  touched(file: string): void {
    this.files.add(file);
  }

  /** As the command answers it in JSON. */
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
    };
  }

  /** The same for a reader. */
  lines(): string[] {
    const { sessions, files, observations, leftOut, bad } = this.shown();
    const number = (count: number, noun: string) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
    return [
      files === 0
        ? "Nothing new: all that was found is imported."
        : `${number(observations, "observation")} of ${number(sessions, "session")} imported, from ${number(files, "file")}.`,
      ...leftOut.map((each) => `Left out: ${number(each.observations, "observation")}, since each ${each.reason}.`),
      ...(bad > 0 ? [`${number(bad, "bad line")}, named above; the rest is imported.`] : []),
    ];
  }
}
