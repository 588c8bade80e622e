import { setTimeout as sleep } from "node:timers/promises";
import { replaceImages } from "../../formats/images.ts";
import { isSystemError } from "../../system/places.ts";
import { sendRequest } from "../api/request.ts";
import { CommandFailure, EXIT_CODES } from "../failure.ts";
import type { Progress } from "../import/progress.ts";
import { warnOnFailure } from "../output/print.ts";
import { parseParentSessionId, readSessionWorkingFolder, type SessionFile } from "./find.ts";
import {
  CHUNK_BYTES,
  type FileLine,
  type FilePosition,
  type FilePositions,
  readLines,
  readMessages,
  readPackedLines,
} from "./lines.ts";
import type { SessionImportReport } from "./report.ts";
import { DecompressionError, isZstdFile } from "./zstd.ts";

/** Server of an import. */
interface Target {
  url: string;
  ingestKey: string;
  /** Called before each wait that the server requests. */
  onWait(seconds: number): void;
}

/**
 * Lines of a session file that one request sends. `state` is the state that the server returned for the previous lines
 * of the file.
 */
interface Batch {
  lines: readonly string[];
  state: unknown;
  end: boolean;
  cwd: string | undefined;
  /** Id of the session, for files whose lines do not contain it. */
  session: string | undefined;
}

/** The server's response. */
interface Taken {
  accepted: number;
  /**
   * `bad` lists the lines that the server could not read. `rejected` lists the observations that the server did not
   * store. `line` is the index in the batch.
   */
  bad: { line: number; reason: string }[];
  rejected: { line: number; reason: string }[];
  state: unknown;
}

/** Maximum number of attempts while the server is busy or restarting. */
const TRIES = 30;
const MOST_WAIT_S = 30;

/**
 * Returns true for a server on this machine. Requests to such a server are not compressed, because compression would
 * only cost time.
 */
const isHere = (url: string): boolean => /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(new URL(url).hostname);

/** Posts lines of an agent. Repetitions are safe, because the server stores each observation once. */
async function send({ url, ingestKey, onWait }: Target, agent: string, batch: Batch): Promise<Taken> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await sendRequest<Taken>(url, `/api/v1/transcripts/${agent}`, {
        method: "POST",
        body: batch,
        shape: { bad: "array", rejected: "array" },
        headers: { "x-api-key": ingestKey },
        repeatable: true,
        gzip: !isHere(url),
      });
    } catch (error) {
      const seconds = error instanceof CommandFailure ? error.retryAfter : undefined;
      if (seconds === undefined || tries >= TRIES) throw error;
      const wait = Math.min(Math.max(seconds, 1), MOST_WAIT_S);
      if (wait > 1) onWait(wait);
      await sleep(wait * 1_000);
    }
  }
}

/** State of a running import. */
export interface SessionImportState {
  target: Target;
  positions: FilePositions;
  report: SessionImportReport;
  bar: Progress;
  /** `size` is the number of bytes of all files. `read` is the number of bytes that were read so far. */
  size: number;
  read: number;
  stop: AbortSignal;
}

/**
 * Number of files that are imported at the same time, so that the command can read one file while requests for other
 * files wait for a response.
 */
const SIDE_BY_SIDE = 6;

/** Imports files. Each import continues at the stored position. @throws CommandFailure if the server accepts no more lines */
export async function importSessionFiles(run: SessionImportState, files: readonly SessionFile[]): Promise<void> {
  const queue = files.values();
  const work = async () => {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (const file of queue) if (!run.stop.aborted) await importFile(run, file, chunk);
  };
  try {
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  } finally {
    await warnOnFailure(
      run.positions.save(),
      "The import progress was not saved. The next import reads these files from the beginning, without duplicates.",
    );
  }
}

/**
 * If a file was not written for this long (in milliseconds), the file counts as complete. In the same way, a session
 * counts as ended when no more reports arrive.
 */
const SILENCE_MS = 30 * 60 * 1_000;
/** Maximum size of a file that contains a session as one JSON object, because such a file is read as a whole. */
const MOST_JSON = 64 * 1024 * 1024;

async function importFile(run: SessionImportState, file: SessionFile, chunk: Buffer): Promise<void> {
  const start = run.positions.of(file);
  const isOver = Date.now() - file.written > SILENCE_MS;
  if (start.offset >= file.size && (start.ended || !isOver)) return tellRead(run, file.size);
  const isJson = file.path.endsWith(".json");
  if (isJson && file.size > MOST_JSON) return run.report.bad(file.path, 1, "is larger than 64 MiB");
  const isWhole = isJson || isZstdFile(file.path);
  const upload = new Upload(
    run,
    file,
    isWhole ? { ...start, offset: 0, line: 0 } : start,
    await readSessionWorkingFolder(file),
  );
  const lines = isJson
    ? readMessages(file.path)
    : isZstdFile(file.path)
      ? readPackedLines(file.path, file.size)
      : readLines(file.path, start, chunk);
  try {
    for await (const line of lines) {
      if (run.stop.aborted) return;
      await upload.add(line);
    }
    await upload.flush(isOver);
  } catch (error) {
    if (isSystemError(error)) run.report.bad(file.path, upload.position.line + 1, `cannot be read (${error.code})`);
    else if (error instanceof SyntaxError) run.report.bad(file.path, 1, "is not a JSON object");
    else if (error instanceof DecompressionError) run.report.bad(file.path, upload.position.line + 1, error.message);
    else if (error instanceof CommandFailure && error.exit === EXIT_CODES.usage)
      run.report.bad(file.path, upload.position.line + 1, `is rejected by the server (${error.message})`);
    else throw error;
  }
  tellRead(run, Math.max(0, file.size - upload.position.offset));
}

function tellRead(run: SessionImportState, bytes: number): void {
  run.read += bytes;
  run.bar.at(run.read / (run.size || 1), `${run.report.accepted.toLocaleString("en")} observations`);
}

/**
 * Limits of one request, which are below the server's limits of 1,000 lines and 10 MiB. A single line that is larger
 * than `line` is reported and not sent.
 */
const MOST = { lines: 400, bytes: 1024 * 1024, line: 8 * 1024 * 1024 };

/** Collects lines of a file and sends the lines in batches. */
class Upload {
  private readonly run: SessionImportState;
  private readonly file: SessionFile;
  private readonly cwd: string | undefined;
  position: FilePosition;
  private waiting: FileLine[] = [];
  private bytes = 0;

  constructor(run: SessionImportState, file: SessionFile, position: FilePosition, cwd: string | undefined) {
    this.run = run;
    this.file = file;
    this.position = { ...position, inode: file.inode };
    this.cwd = cwd;
  }

  async add(line: FileLine): Promise<void> {
    const text = line.text === undefined ? undefined : replaceImages(line.text);
    const { path, source } = this.file;
    if (text === undefined || text.length > MOST.line) this.run.report.bad(path, line.number, "is longer than 8 MiB");
    else if (text.trim() !== "" && (!source.wanted || source.wanted.test(text) || !isObject(text))) {
      if (this.waiting.length >= MOST.lines || this.bytes + text.length > MOST.bytes) await this.flush(false);
      this.waiting.push({ ...line, text });
      this.bytes += text.length;
      return;
    }
    // The line is not sent, so the position moves past the line. If earlier lines still wait to be sent, the position
    // must not move yet, and the line waits with them.
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

  private moveTo({ end, number }: FileLine): void {
    const before = this.position.offset;
    this.position = { ...this.position, offset: Math.max(end, before), line: number };
    tellRead(this.run, this.position.offset - before);
  }

  private async post(lines: readonly FileLine[], end: boolean): Promise<void> {
    const { state } = this.position;
    const texts = lines.map(({ text }) => text ?? "");
    const batch: Batch = { lines: texts, state, end, cwd: this.cwd, session: parseParentSessionId(this.file) };
    const answer = await this.take(batch, lines, end);
    if (!answer) return;
    const { report } = this.run;
    this.position.state = answer.state;
    report.accepted += answer.accepted;
    if (lines.length > 0) report.touched(this.file.path);
    for (const { line, reason } of answer.bad) report.bad(this.file.path, lines[line]?.number ?? 0, reason);
    for (const { reason } of answer.rejected) report.leftOut(reason);
  }

  /** Sends lines. If the server rejects the request as too large, sends the lines in halves and returns undefined. */
  private async take(batch: Batch, lines: readonly FileLine[], end: boolean): Promise<Taken | undefined> {
    try {
      return await send(this.run.target, this.file.source.name, batch);
    } catch (error) {
      if (!(error instanceof CommandFailure) || error.exit !== EXIT_CODES.usage || lines.length < 2) throw error;
      const half = Math.ceil(lines.length / 2);
      await this.post(lines.slice(0, half), false);
      await this.post(lines.slice(half), end);
      return undefined;
    }
  }
}

/**
 * Returns true if a line looks like a JSON object. The program sends other lines too,
 * because the server reports the fault of each line.
 */
const isObject = (text: string): boolean => /^\s*\{[\s\S]*\}\s*$/.test(text);
