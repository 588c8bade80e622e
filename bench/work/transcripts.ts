import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loggedIn, type Person } from "../../test/support/cli/cli.ts";
import { freshOrganization, type Tenant } from "../../test/support/server.ts";
import { startFleet } from "../servers/fleet.ts";
import { cpuOf } from "../support/cpu.ts";
import { type Captured, capturedSessions } from "./captured.ts";

const FILES = Number(process.env["BENCH_FILES"] ?? 500);
/** Bytes of a file, and characters that the result of a failed call has more than the captured one. */
const BYTES = Number(process.env["BENCH_BYTES"] ?? 200_000);
const RESULT = Number(process.env["BENCH_RESULT"] ?? 2_000);
/** Events a second that the embedded engine is to take. */
const LEAST_PER_SECOND = 2_000;
/** The command is killed once it has read this part of the files. */
const KILLED_AT = 0.25;
/** The server is given up when it makes no more events of what it has. */
const STILL_MS = 60_000;

/**
 * Imports transcripts in the forms of all agents, as their programs left them, with the command line into the embedded engine. The command
 * is killed at a quarter and started again. Prints the events a second until all are folded, the CPU of server and command,
 * the most memory of the command in each quarter of its time, and how long it takes to find nothing new. It fails below 2,000
 * events a second, and where an event is missing or doubled. `BENCH_FILES=10000` are 2 GB.
 */
export async function benchTranscripts(): Promise<void> {
  const fleet = await startFleet(1, {
    DATA_DIR: join(mkdtempSync(join(tmpdir(), "trackway-transcripts-")), "data"),
    TRACKWAY_BOOTSTRAP: "off",
  });
  try {
    const captured = capturedSessions(BYTES, RESULT);
    const wanted = await eventsWanted(captured, fleet.urls[0]);
    const tenant = await freshOrganization({ url: fleet.urls[0] });
    const person = await loggedIn(tenant);
    const bytes = leave(person, captured, FILES);
    const [begun, before] = [performance.now(), cpuOf(process.pid)];
    const killed = await timed(person, bytes * KILLED_AT);
    const resumed = await timed(person);
    const events = await folded(tenant, wanted);
    const seconds = (performance.now() - begun) / 1_000;
    const cpu = (cpuOf(process.pid) - before) / 1e6;
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

/** The events that all files must become: of each form one is imported alone, and the others are like it. */
async function eventsWanted(captured: readonly Captured[], url: string | undefined): Promise<number> {
  let sum = 0;
  for (const [at, each] of captured.entries()) {
    const tenant = await freshOrganization({ url });
    const person = await loggedIn(tenant);
    leave(person, [each], 1);
    await timed(person);
    const events = await folded(tenant, Number.POSITIVE_INFINITY, 3_000);
    if (events === 0) throw new Error(`${each.path(0)} became no event`);
    sum += events * Math.ceil((FILES - at) / captured.length);
  }
  return sum;
}

/** The events once there are as many as wanted, or no more come. */
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

/** Seconds of an import, and the most memory of its process in each quarter of them, MB. It is killed once it has read so many bytes. */
async function timed(person: Person, killedAt = Number.POSITIVE_INFINITY) {
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

/** A figure that the kernel keeps of a process; 0 once it has ended. */
function ownFigure({ pid }: ChildProcess, file: string, pattern: RegExp): number {
  try {
    return Number(pattern.exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** When the files were written last: their sessions are over. */
const DAY_AGO = Date.now() - 86_400_000;

/** Writes so many sessions of the forms in turn into a home folder; answers their bytes. */
function leave({ write, path }: Person, captured: readonly Captured[], files: number): number {
  let bytes = 0;
  for (let n = 0; n < files; n += 1) {
    const form = captured[n % captured.length] as Captured;
    const text = form.text(n);
    bytes += text.length;
    write(form.path(n), text);
    utimesSync(path(form.path(n)), DAY_AGO / 1_000, DAY_AGO / 1_000);
  }
  return bytes;
}
