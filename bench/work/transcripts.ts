import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { type CliUser, createSignedInUser } from "../../test/support/cli/cli.ts";
import { createOrganization, type Tenant } from "../../test/support/server.ts";
import { startFleet } from "../servers/fleet.ts";
import { readCpuTime } from "../support/cpu.ts";
import { buildCapturedSessions, type TranscriptTemplate } from "./captured.ts";

const FILES = Number(process.env["BENCH_FILES"] ?? 500);
/** Bytes per file, and characters added to the captured result of a failed call. */
const BYTES = Number(process.env["BENCH_BYTES"] ?? 200_000);
const RESULT = Number(process.env["BENCH_RESULT"] ?? 2_000);
/** Minimum events per second on the embedded engine. */
const LEAST_PER_SECOND = 2_000;
/** The share of the files after which the command is killed. */
const KILLED_AT = 0.25;
/** The bench gives up when the server builds no more events for this time, in ms. */
const STILL_MS = 60_000;

/**
 * Imports transcripts in the formats of all agents, as their programs write them, with the command line into the
 * embedded engine. The command is killed after a quarter of the files and started again. Prints the events per second
 * until all are folded, the CPU of server and command, the command's peak memory in each quarter of its time, and the
 * duration of an import without new files. Fails below 2,000 events per second, and when an event is missing or
 * doubled. `BENCH_FILES=10000` are 2 GB.
 */
export async function benchTranscripts(): Promise<void> {
  const fleet = await startFleet(1, {
    DATA_DIR: join(mkdtempSync(join(tmpdir(), "trackway-transcripts-")), "data"),
    TRACKWAY_BOOTSTRAP: "off",
  });
  try {
    const captured = buildCapturedSessions(BYTES, RESULT);
    const wanted = await eventsWanted(captured, fleet.urls[0]);
    const tenant = await createOrganization({ url: fleet.urls[0] });
    const person = await createSignedInUser(tenant);
    const bytes = leave(person, captured, FILES);
    const [begun, before] = [performance.now(), readCpuTime(process.pid)];
    const killed = await timed(person, bytes * KILLED_AT);
    const resumed = await timed(person);
    const events = await folded(tenant, wanted);
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = (readCpuTime(process.pid) - before) / 1e6;
    const again = (await timed(person)).seconds;
    const wrong = (await eventsOf(tenant)) - wanted;
    const [megabytes, perSecond] = [Math.round(bytes / 1e6), Math.round(events / seconds)];
    console.table([{ files: FILES, megabytes, events, wrong, seconds, cpu, perSecond, again }]);
    console.table({ killed, resumed });
    const figures = { FILES, megabytes, events, wrong, seconds, cpu, perSecond, LEAST_PER_SECOND, killed, resumed };
    console.log(JSON.stringify({ bench: "transcripts", ...figures, again }));
    if (perSecond < LEAST_PER_SECOND || wrong !== 0) process.exitCode = 1;
  } finally {
    await fleet.stop();
  }
}

/**
 * The number of events expected from all files. Imports one file of each format; the other files have equal numbers.
 */
async function eventsWanted(captured: readonly TranscriptTemplate[], url: string | undefined): Promise<number> {
  let sum = 0;
  for (const [at, each] of captured.entries()) {
    const tenant = await createOrganization({ url });
    const person = await createSignedInUser(tenant);
    leave(person, [each], 1);
    await timed(person);
    const events = await folded(tenant, Number.POSITIVE_INFINITY, 3_000);
    if (events === 0) throw new Error(`${each.path(0)} became no event`);
    sum += events * Math.ceil((FILES - at) / captured.length);
  }
  return sum;
}

/** The number of events, once `wanted` is reached or no more events arrive. */
async function folded(tenant: Tenant, wanted: number, still = STILL_MS): Promise<number> {
  let [events, since] = [0, performance.now()];
  while (events < wanted && performance.now() - since < still) {
    const now = await eventsOf(tenant);
    if (now > events) [events, since] = [now, performance.now()];
    else await new Promise((done) => setTimeout(done, 100));
  }
  return events;
}

const SESSIONS =
  "query ($after: String) { recordedSessions(first: 250, after: $after) { nodes { totals { events } } pageInfo { endCursor hasNextPage } } }";

interface Page {
  nodes: { totals: { events: number } }[];
  pageInfo: { endCursor: string; hasNextPage: boolean };
}

async function eventsOf({ gql }: Tenant): Promise<number> {
  let sum = 0;
  for (let after: string | null = null; ; ) {
    const { nodes, pageInfo }: Page = (await gql(SESSIONS, { after })).recordedSessions;
    for (const { totals } of nodes) sum += totals.events;
    if (!pageInfo.hasNextPage) return sum;
    after = pageInfo.endCursor;
  }
}

/**
 * The seconds of an import, and its process's peak memory in MB in each quarter. The process is killed after
 * reading `killedAt` bytes.
 */
async function timed(person: CliUser, killedAt = Number.POSITIVE_INFINITY) {
  const begun = performance.now();
  const child = spawn(process.execPath, [resolve("cli/bin.js"), "import", "sessions"], {
    env: { HOME: person.home, PATH: process.env["PATH"] },
    stdio: ["ignore", 1, 2],
  });
  const samples: number[] = [];
  const timer = setInterval(() => {
    samples.push(Math.round(ownFigure(child, "status", /VmRSS:\s+(\d+)/) / 1_024));
    if (ownFigure(child, "io", /rchar: (\d+)/) > killedAt) child.kill("SIGKILL");
  }, 100);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== (killedAt < Number.POSITIVE_INFINITY ? null : 0)) throw new Error(`the import ended with ${code}`);
  const most = (quarter: number) =>
    Math.max(0, ...samples.slice((quarter * samples.length) / 4, Math.ceil(((quarter + 1) * samples.length) / 4)));
  return { seconds: Math.round((performance.now() - begun) / 100) / 10, megabytes: [0, 1, 2, 3].map(most).join(", ") };
}

/** A figure of a process from /proc; 0 after the process has ended. */
function ownFigure({ pid }: ChildProcess, file: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Last write time of the files, so that their sessions count as ended. */
const DAY_AGO = Date.now() - 86_400_000;

/** Writes session files in the formats in turn into a home folder. Returns their total bytes. */
function leave({ write, path }: CliUser, captured: readonly TranscriptTemplate[], files: number): number {
  let bytes = 0;
  for (let n = 0; n < files; n += 1) {
    const form = captured[n % captured.length] as TranscriptTemplate;
    const text = form.text(n);
    bytes += text.length;
    write(form.path(n), text);
    utimesSync(path(form.path(n)), DAY_AGO / 1_000, DAY_AGO / 1_000);
  }
  return bytes;
}
