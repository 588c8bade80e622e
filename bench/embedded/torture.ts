import { fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const KILLS_WRITING = 30;
const KILLS_FIRST_START = 20;
const CONTROL_KILLS = 5;
const CONTROL_FIRST_STARTS = 2;
const OPEN_LIMIT_MS = 60_000;

interface Row {
  torture: string;
  kills: number;
  /** The number of kills after which the database opened again. */
  opened: number;
  acknowledged: number;
  lost: number;
  torn: number;
}

/**
 * Kills the embedded engine during writes and during its first start, then checks that every acknowledged row is
 * stored. Two controls contain faults that the checks must find: rows acknowledged before the write, and an
 * initialization in place. Prints a table and a line of JSON.
 */
export async function tortureEmbedded(): Promise<boolean> {
  const rows = [
    await killWhileWriting("while writing", KILLS_WRITING),
    await killFirstStarts("during the first start"),
    await killWhileWriting("control: acknowledged early", CONTROL_KILLS, "early"),
    await killInPlace("control: initialised in place"),
  ];
  const [writing, starting, early, inPlace] = rows as [Row, Row, Row, Row];
  const held = [writing, starting].every(({ kills, opened, lost, torn }) => opened === kills && lost + torn === 0);
  const controlled = early.lost > 0 && inPlace.opened < inPlace.kills;
  console.table(rows);
  console.log(JSON.stringify({ torture: "embedded", held, controlled, rows }));
  return held && controlled;
}

async function killWhileWriting(torture: string, kills: number, early = ""): Promise<Row> {
  const dataDir = mkdtempSync(join(tmpdir(), "trackway-torture-"));
  const acknowledged = new Set<number>();
  const lost = new Set<number>();
  const row: Row = { torture, kills, opened: 0, acknowledged: 0, lost: 0, torn: 0 };
  for (let kill = 0; kill <= kills; kill += 1) {
    const writer = startWriter(dataDir, early);
    const stored = await writer.stored;
    if (!stored) break;
    if (kill > 0) row.opened += 1;
    const ids = new Set(stored.ids);
    for (const id of acknowledged) if (!ids.has(id)) lost.add(id);
    row.torn += stored.torn;
    if (kill < kills) await sleep(100 + Math.random() * 900);
    writer.kill();
    for (const id of await writer.acknowledged) acknowledged.add(id);
  }
  rmSync(dataDir, { recursive: true });
  return { ...row, acknowledged: acknowledged.size, lost: lost.size };
}

async function killFirstStarts(torture: string): Promise<Row> {
  const row: Row = { torture, kills: KILLS_FIRST_START, opened: 0, acknowledged: 0, lost: 0, torn: 0 };
  let wholeMs = 0;
  // The first round measures the duration. The kills are spread over the whole start and the first writes.
  for (let kill = 0; kill < KILLS_FIRST_START; kill += 1) {
    const dataDir = mkdtempSync(join(tmpdir(), "trackway-torture-"));
    const began = performance.now();
    const first = startWriter(dataDir);
    if (kill === 0) await first.stored;
    else await sleep(((kill + Math.random()) / KILLS_FIRST_START) * wholeMs * 1.3);
    if (kill === 0) wholeMs = performance.now() - began;
    first.kill();
    const acknowledged = await first.acknowledged;
    const second = startWriter(dataDir);
    const stored = await second.stored;
    if (stored) row.opened += 1;
    row.acknowledged += acknowledged.length;
    row.lost += acknowledged.filter((id) => !stored?.ids.includes(id)).length;
    second.kill();
    await second.acknowledged;
    rmSync(dataDir, { recursive: true });
  }
  return row;
}

/** Runs the same initialization in place, directly in the folder of the data. */
async function killInPlace(torture: string): Promise<Row> {
  const row: Row = { torture, kills: CONTROL_FIRST_STARTS, opened: 0, acknowledged: 0, lost: 0, torn: 0 };
  const program = fileURLToPath(new URL("../../db/embedded/initialize.js", import.meta.url));
  for (let kill = 0; kill < row.kills; kill += 1) {
    const dataDir = mkdtempSync(join(tmpdir(), "trackway-torture-"));
    const child = fork(program, [join(dataDir, "database")], { execArgv: [] });
    while (countFiles(dataDir) < 300) await sleep(5);
    child.kill("SIGKILL");
    await once(child, "exit");
    const writer = startWriter(dataDir);
    if (await writer.stored) row.opened += 1;
    writer.kill();
    await writer.acknowledged;
    rmSync(dataDir, { recursive: true });
  }
  return row;
}

function countFiles(directory: string): number {
  try {
    return readdirSync(directory, { recursive: true }).length;
  } catch {
    return 0; // The folder does not exist yet, or changes during the count.
  }
}

interface Writer {
  /** The content of the database when opened. Undefined when the database did not open within a minute. */
  stored: Promise<{ ids: number[]; torn: number } | undefined>;
  /** The ids of acknowledged rows. Resolves when the process is dead. */
  acknowledged: Promise<number[]>;
  kill(): void;
}

function startWriter(dataDir: string, early = ""): Writer {
  const program = fileURLToPath(new URL("./writer.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx/esm", program, dataDir, early], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const acknowledged: number[] = [];
  const lines = createInterface(child.stdout);
  const closed = new Promise<void>((resolve) => lines.once("close", resolve));
  const stored = new Promise<{ ids: number[]; torn: number } | undefined>((resolve) => {
    lines.on("line", (line) => {
      if (line.startsWith("stored ")) resolve(JSON.parse(line.slice(7)));
      else if (/^\d+$/.test(line)) acknowledged.push(Number(line));
    });
    void closed.then(() => resolve(undefined));
    setTimeout(() => resolve(undefined), OPEN_LIMIT_MS).unref();
  });
  return { stored, acknowledged: closed.then(() => acknowledged), kill: () => void child.kill("SIGKILL") };
}
