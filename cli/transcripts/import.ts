import { setTimeout as sleep } from "node:timers/promises";
import { withoutImages } from "../../formats/images.ts";
import { ask } from "../api/request.ts";
import { EXIT, Failure } from "../failure.ts";
import type { Progress } from "../import/progress.ts";
import { type Found, folderOf, sessionOf } from "./find.ts";
import { CHUNK_BYTES, type Line, linesFrom, messagesOf, type Position, type Positions } from "./lines.ts";
import type { Report } from "./report.ts";

/** The address of an import. */
interface Target {
  url: string;
  ingestKey: string;
  /** Called while the server lets wait. */
  onWait(seconds: number): void;
}

/** Lines of a file, and where they go on. */
interface Batch {
  lines: readonly string[];
  state: unknown;
  end: boolean;
  cwd: string | undefined;
  /** The session that no line names. */
  session: string | undefined;
}

/** The server's answer. */
interface Taken {
  accepted: number;
  /** Lines that could not be read, and observations that were not kept, by their place in the batch. */
  bad: { line: number; reason: string }[];
  rejected: { line: number; reason: string }[];
  state: unknown;
}

/** A server that is busy or restarting is asked again so often. */
const TRIES = 30;
const MOST_WAIT_S = 30;

/** Reports whether the server is on this machine: packing what does not travel only takes time. */
const isHere = (url: string): boolean => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

/** Posts lines of an agent. The same ones again add nothing, so what was not answered is sent again. */
async function send({ url, ingestKey, onWait }: Target, agent: string, batch: Batch): Promise<Taken> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask<Taken>(url, `/api/v1/transcripts/${agent}`, {
        method: "POST",
        body: batch,
        headers: { "x-api-key": ingestKey },
        repeatable: true,
        gzip: !isHere(url),
      });
    } catch (error) {
      const seconds = error instanceof Failure ? error.retryAfter : undefined;
      if (seconds === undefined || tries >= TRIES) throw error;
      const wait = Math.min(Math.max(seconds, 1), MOST_WAIT_S);
      if (wait > 1) onWait(wait);
      await sleep(wait * 1_000);
    }
  }
}

/** One import under way. */
export interface Run {
  target: Target;
  positions: Positions;
  report: Report;
  bar: Progress;
  /** Bytes of all files, and of those that were read. */
  size: number;
  read: number;
  stop: AbortSignal;
}

/** Files that are sent side by side: while one waits for its answer, another is read. */
const SIDE_BY_SIDE = 6;

/** Imports files. Each goes on where it was left. @throws Failure when the server takes no more */
export async function importFiles(run: Run, files: readonly Found[]): Promise<void> {
  const queue = files.values();
  const work = async () => {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (const file of queue) if (!run.stop.aborted) await importFile(run, file, chunk);
  };
  try {
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  } finally {
    await run.positions.save();
  }
}

/** A file that was not written for so long is over, as a session without a report is. */
const SILENCE_MS = 30 * 60 * 1_000;
/** A session that is one JSON object is read whole. */
const MOST_JSON = 64 * 1024 * 1024;

async function importFile(run: Run, file: Found, chunk: Buffer): Promise<void> {
  const start = run.positions.of(file);
  const isOver = Date.now() - file.written > SILENCE_MS;
  if (start.offset >= file.size && (start.ended || !isOver)) return tellRead(run, file.size);
  const isJson = file.path.endsWith(".json");
  if (isJson && file.size > MOST_JSON) return run.report.bad(file.path, 1, "is larger than 64 MiB");
  const upload = new Upload(run, file, isJson ? { ...start, offset: 0, line: 0 } : start, await folderOf(file));
  try {
    for await (const line of isJson ? messagesOf(file.path) : linesFrom(file.path, start, chunk)) {
      if (run.stop.aborted) return;
      await upload.add(line);
    }
    await upload.flush(isOver);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    run.report.bad(file.path, 1, "is no JSON object");
  }
  tellRead(run, Math.max(0, file.size - upload.position.offset));
}

function tellRead(run: Run, bytes: number): void {
  run.read += bytes;
  run.bar.at(run.read / (run.size || 1), `${run.report.accepted.toLocaleString("en")} observations`);
}

/** Most of one body: the server takes 1,000 lines and 10 MiB. Of longer lines none is sent. */
const MOST = { lines: 400, bytes: 1024 * 1024, line: 8 * 1024 * 1024 };

/** The lines of one file on their way. */
class Upload {
  private readonly run: Run;
  private readonly file: Found;
  private readonly cwd: string | undefined;
  position: Position;
  private waiting: Line[] = [];
  private bytes = 0;

  constructor(run: Run, file: Found, position: Position, cwd: string | undefined) {
    this.run = run;
    this.file = file;
    this.position = { ...position, inode: file.inode };
    this.cwd = cwd;
  }

  async add(line: Line): Promise<void> {
    const text = line.text === undefined ? undefined : withoutImages(line.text);
    const { path, source } = this.file;
    if (text === undefined || text.length > MOST.line) this.run.report.bad(path, line.number, "is longer than 8 MiB");
    else if (text.trim() !== "" && (!source.wanted || source.wanted.test(text) || !isObject(text))) {
      if (this.waiting.length >= MOST.lines || this.bytes + text.length > MOST.bytes) await this.flush(false);
      this.waiting.push({ ...line, text });
      this.bytes += text.length;
      return;
    }
    // A line that is not wanted is passed as well, once none before it waits.
    if (this.waiting.length === 0) this.moveTo(line);
    else this.waiting.push({ ...line, text: undefined });
  }

  async flush(end: boolean): Promise<void> {
    const [lines, last] = [this.waiting.filter(({ text }) => text !== undefined), this.waiting.at(-1)];
    [this.waiting, this.bytes] = [[], 0];
    if (lines.length > 0 || (end && !this.position.ended)) await this.post(lines, end);
    if (last) this.moveTo(last);
    if (lines.length > 0 || end) this.position.ended = end;
    this.run.positions.set(this.file, this.position);
  }

  private moveTo({ end, number }: Line): void {
    const before = this.position.offset;
    this.position = { ...this.position, offset: Math.max(end, before), line: number };
    tellRead(this.run, this.position.offset - before);
  }

  private async post(lines: readonly Line[], end: boolean): Promise<void> {
    const { state } = this.position;
    const texts = lines.map(({ text }) => text ?? "");
    const batch: Batch = { lines: texts, state, end, cwd: this.cwd, session: sessionOf(this.file) };
    const answer = await this.take(batch, lines, end);
    if (!answer) return;
    const { report } = this.run;
    this.position.state = answer.state;
    report.accepted += answer.accepted;
    if (lines.length > 0) report.touched(this.file.path);
    for (const { line, reason } of answer.bad) report.bad(this.file.path, lines[line]?.number ?? 0, reason);
    for (const { reason } of answer.rejected) report.leftOut(reason);
  }

  /** Lines that tell of too much at once are sent in halves; undefined once that was done. */
  private async take(batch: Batch, lines: readonly Line[], end: boolean): Promise<Taken | undefined> {
    try {
      return await send(this.run.target, this.file.source.name, batch);
    } catch (error) {
      if (!(error instanceof Failure) || error.exit !== EXIT.usage || lines.length < 2) throw error;
      const half = Math.ceil(lines.length / 2);
      await this.post(lines.slice(0, half), false);
      await this.post(lines.slice(half), end);
      return undefined;
    }
  }
}

/** Reports whether a line looks like an object: one that does not is sent, so that the server names it. */
const isObject = (text: string): boolean => /^\s*\{[\s\S]*\}\s*$/.test(text);
