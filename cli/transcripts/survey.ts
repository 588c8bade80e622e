import { basename } from "node:path";
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
export const isSubagent = (path: string): boolean =>
  /^agent-/.test(basename(path)) ||
  /\/chats\/[\da-f-]{36}\//.test(path) ||
  /\/imports\/opencode\/(ses_\w+)\/(?!\1\.json$)/.test(path);
