import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import {
  createRedactor,
  DEFAULT_OPTIONS,
  findSecrets,
  mayContainTrigger,
  type RedactionOptions,
} from "../redaction/index.ts";
import { corpus, isGone } from "../test/redaction/corpus/index.ts";
import { personalCorpus } from "../test/redaction/corpus/personal.ts";
import { buildBatches } from "./ingest/rows.ts";

const MIB = 1024 * 1024;
const CLEAN_BYTES = 50 * MIB;
const SOURCES = /\.(?:[cm]?[jt]sx?|json|md|ya?ml|css|html|txt|log|lock)$/;
const PASSES = 400;
/** Number and length of source pieces. A piece is as long as the content of an event. */
const [PIECES, PIECE] = [2_000, 1_900];

/**
 * Measures redaction: recall on the corpus, false positives in other projects' sources, and the duration of a scan.
 * Prints the findings.
 */
export async function benchRedaction(): Promise<void> {
  const recall = recallByKind();
  console.table(recall.kinds);
  const clean = falseHits();
  console.table(clean.hits);
  console.table(switched(clean.pieces));
  const cost = costs(clean.pieces);
  console.log(JSON.stringify({ bench: "redaction", ...recall.total, ...clean.total, ...cost }));
}

function recallByKind() {
  const redactor = createRedactor(new Uint8Array(32), "bench");
  const kinds: Record<string, { planted: number; gone: number; heldOut: boolean }> = {};
  for (const sample of corpus()) {
    const row = kinds[sample.kind] ?? { planted: 0, gone: 0, heldOut: sample.isHeldOut };
    kinds[sample.kind] = row;
    row.planted += 1;
    if (isGone(sample, redactor.text(sample.text))) row.gone += 1;
  }
  const sum = (of: "planted" | "gone", heldOut?: boolean) =>
    Object.values(kinds)
      .filter((row) => heldOut === undefined || row.heldOut === heldOut)
      .reduce((total, row) => total + row[of], 0);
  const share = (heldOut?: boolean) => sum("gone", heldOut) / sum("planted", heldOut);
  return { kinds, total: { planted: sum("planted"), recall: share(), recallHeldOut: share(true) } };
}

/** Lists every match in the packages of this project. A person must judge the list. */
function falseHits() {
  let bytes = 0;
  let time = 0;
  const hits: { kind: string; file: string; text: string }[] = [];
  const pieces: string[] = [];
  for (const file of sources("node_modules")) {
    if (bytes >= CLEAN_BYTES) break;
    const text = readFileSync(file, "utf8").slice(0, MIB);
    bytes += text.length;
    const begun = process.cpuUsage();
    const { found } = findSecrets(text);
    time += process.cpuUsage(begun).user;
    if (pieces.length < PIECES) pieces.push(text.slice(0, PIECE));
    for (const { start, end, kind } of found) {
      hits.push({ kind, file: file.slice(-60), text: text.slice(Math.max(0, start - 24), Math.min(end, start + 60)) });
    }
  }
  const rate = bytes / MIB / (time / 1e6);
  return {
    hits,
    pieces,
    total: { cleanMB: bytes / 1e6, hits: hits.length, hitsPerMB: hits.length / (bytes / 1e6), cleanMiBPerSecond: rate },
  };
}

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (SOURCES.test(entry.name) && statSync(path).size > 0) yield path;
  }
}

/**
 * CPU time of the check for triggers in an event of 1.9 KB, and of scans
 * of source pieces and of text full of triggers.
 */
function costs(pieces: readonly string[]) {
  const [body] = buildBatches(1, 500, 1_900);
  if (!body) throw new Error("no batch");
  const words = new Int32Array(body.buffer, body.byteOffset, body.length >> 2);
  const chatty =
    `$ curl https://example.com/a -H "Accept: */*"\nconst token = await getToken(); // authorization\n`.repeat(18);
  const pass = timed(PASSES, () => mayContainTrigger({ bytes: body, words, from: 0, to: body.length }));
  const text = timed(PASSES * 50, () => findSecrets(chatty));
  const dense = "A_TOKEN=x1y2\n".repeat(MIB / 13);
  const redactor = createRedactor(new Uint8Array(32), "bench");
  const secrets = timed(8, () => redactor.text(dense));
  const code = timed(PASSES / 20, () => pieces.map((piece) => findSecrets(piece))) / pieces.length;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0) / pieces.length;
  return {
    nsAnEventOf1900Bytes: (pass / 500) * 1e3,
    passMiBPerSecond: body.length / MIB / (pass / 1e6),
    nsAPieceOfCode: code * 1e3,
    charactersOfAPiece: Math.round(length),
    nsATextFullOfTriggers: text * 1e3,
    bytesOfThatText: chatty.length,
    msAMiBOfSecretsAlone: secrets / 1e3,
    secretsInIt: Math.floor(MIB / 13),
  };
}

const SWITCHES: Readonly<Record<string, Partial<RedactionOptions>>> = {
  none: {},
  entropy: { entropy: true },
  "personal data": { personalData: true },
  "a pattern with a literal": { patterns: [{ name: "own", pattern: "acme_[A-Za-z0-9]{12,}" }] },
  "a pattern without one": { patterns: [{ name: "own", pattern: "\\b[A-Z]\\d{6}\\b" }] },
};

/**
 * Measures an organization's redaction settings: marks in source pieces, personal data found, and CPU time per event
 * and per piece.
 */
function switched(pieces: readonly string[]) {
  const [body] = buildBatches(1, 500, 1_900);
  if (!body) throw new Error("no batch");
  const words = new Int32Array(body.buffer, body.byteOffset, body.length >> 2);
  const text = body.toString("utf8");
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  const marksOf = (redacted: string) => redacted.match(/\[redacted:/g)?.length ?? 0;
  const rows = Object.entries(SWITCHES).map(([name, more]) => {
    const redactor = createRedactor(new Uint8Array(32), "bench", { ...DEFAULT_OPTIONS, ...more });
    const range = { bytes: body, words, from: 0, to: body.length };
    const scan = () => (mayContainTrigger(range) || redactor.mayHoldMore(range)) && redactor.text(text);
    const personal = personalCorpus();
    const gone = personal.filter((sample) => !redactor.text(sample.text).includes(sample.value));
    const hits = pieces.reduce((sum, piece) => sum + marksOf(redactor.text(piece)) - marksOf(piece), 0);
    const nsAPiece = (timed(4, () => pieces.map((piece) => redactor.text(piece))) / pieces.length) * 1e3;
    const recall = gone.length / personal.length;
    return [name, { nsAnEvent: (timed(12, scan) / 500) * 1e3, nsAPiece, hitsPerMB: hits / (length / 1e6), recall }];
  });
  return Object.fromEntries(rows);
}

/** CPU time of one call, in µs. */
function timed(times: number, work: () => unknown): number {
  for (let index = 0; index < times / 4; index += 1) work();
  const begun = process.cpuUsage();
  for (let index = 0; index < times; index += 1) work();
  return process.cpuUsage(begun).user / times;
}
