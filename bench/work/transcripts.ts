import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loggedIn } from "../../test/support/cli.ts";
import { freshOrganization } from "../../test/support/server.ts";
import { startFleet } from "../servers/fleet.ts";
import { cpuOf } from "../support/cpu.ts";

const FILES = Number(process.env["BENCH_FILES"] ?? 100);
const TURNS = Number(process.env["BENCH_TURNS"] ?? 20);
/** Characters of the result of each call. */
const RESULT = Number(process.env["BENCH_RESULT"] ?? 2_200);
const CALLS = 5;
/** A turn, its calls, and a request before each of them and for the reply. */
const EVENTS = FILES * TURNS * (1 + CALLS + CALLS + 1);
/** Events a second that the embedded engine is to take. */
const LEAST_PER_SECOND = 2_000;

/**
 * Imports transcripts with the command line into the embedded engine. Prints the events a second until the command ends and until
 * all are folded, the CPU of server and command, the most memory of the command in each quarter of its time, and how long it
 * takes to find nothing new. `BENCH_FILES=10000 BENCH_TURNS=2 BENCH_RESULT=18000` are
 * ten thousand files and 2 GB.
 */
export async function benchTranscripts(): Promise<void> {
  const fleet = await startFleet(1, {
    DATA_DIR: join(mkdtempSync(join(tmpdir(), "trackway-transcripts-")), "data"),
    TRACKWAY_BOOTSTRAP: "off",
  });
  try {
    const tenant = await freshOrganization({ url: fleet.urls[0] });
    const person = await loggedIn(tenant);
    const megabytes = leave(person.path(".claude/projects/-srv-parcels"));
    const [begun, before] = [performance.now(), cpuOf(process.pid)];
    const first = await timed(person.home);
    while ((await eventsOf(tenant)) < EVENTS) await new Promise((done) => setTimeout(done, 100));
    const folded = (performance.now() - begun) / 1_000;
    const cpu = (cpuOf(process.pid) - before) / 1e6;
    const again = await timed(person.home);
    const perSecond = Math.round(EVENTS / folded);
    console.table([{ files: FILES, megabytes, EVENTS, ...first, folded, cpu, perSecond, again: again.seconds }]);
    console.log(
      JSON.stringify({ bench: "transcripts", EVENTS, megabytes, first, folded, cpu, perSecond, LEAST_PER_SECOND }),
    );
    if (perSecond < LEAST_PER_SECOND) process.exitCode = 1;
  } finally {
    await fleet.stop();
  }
}

async function eventsOf({ gql }: Awaited<ReturnType<typeof freshOrganization>>): Promise<number> {
  let sum = 0;
  for (let after: string | null = null; ; ) {
    const query =
      "query ($after: String) { recordedSessions(first: 250, after: $after) { nodes { totals { events } } pageInfo { endCursor hasNextPage } } }";
    const page = await gql(query, { after });
    const {
      nodes,
      pageInfo,
    }: { nodes: { totals: { events: number } }[]; pageInfo: { endCursor: string; hasNextPage: boolean } } =
      page.recordedSessions;
    for (const { totals } of nodes) sum += totals.events;
    if (!pageInfo.hasNextPage) return sum;
    after = pageInfo.endCursor;
  }
}

/** Seconds of an import, and the most memory of its process, MB: in all, and in each quarter of its time. */
async function timed(home: string): Promise<{ seconds: number; rssMb: number; quarters: number[] }> {
  const begun = performance.now();
  const env = { HOME: home, PATH: process.env["PATH"] };
  const child = spawn(process.execPath, [resolve("cli/bin.js"), "import", "sessions"], {
    env,
    stdio: ["ignore", 1, 2],
  });
  const samples: number[] = [];
  const timer = setInterval(() => {
    const [, kilobytes = "0"] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
    samples.push(Math.round(Number(kilobytes) / 1_024));
  }, 100);
  const [code] = await once(child, "exit");
  clearInterval(timer);
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const most = (from: number, to: number) =>
    samples
      .slice(Math.floor(from * samples.length), Math.ceil(to * samples.length))
      .reduce((a, b) => Math.max(a, b), 0);
  const quarters = [0, 1, 2, 3].map((quarter) => most(quarter / 4, (quarter + 1) / 4));
  return { seconds: Math.round((performance.now() - begun) / 100) / 10, rssMb: most(0, 1), quarters };
}

/** When the sessions were: they are over. */
const DAY_AGO = Date.now() - 86_400_000;

/** Writes the files into a folder; answers their megabytes. */
function leave(folder: string): number {
  mkdirSync(folder, { recursive: true });
  let bytes = 0;
  for (let file = 0; file < FILES; file += 1) {
    const sessionId = randomUUID();
    const lines = Array.from({ length: TURNS }, (_, turn) => turnOf(sessionId, DAY_AGO + turn * 60_000));
    const text = `${lines
      .flat()
      .map((line) => JSON.stringify(line))
      .join("\n")}\n`;
    bytes += text.length;
    const path = join(folder, `${sessionId}.jsonl`);
    writeFileSync(path, text);
    utimesSync(path, DAY_AGO / 1_000, DAY_AGO / 1_000);
  }
  return Math.round(bytes / 1e6);
}

/** The lines of a turn, as long as real ones are on average. */
function turnOf(sessionId: string, from: number): object[] {
  const promptId = randomUUID();
  let at = from;
  const next = () => {
    at += 1_000;
    return at;
  };
  const line = (type: string, message: object, more: object = {}) => ({
    ...{ type, message, uuid: randomUUID(), parentUuid: randomUUID(), isSidechain: false, sessionId, ...more },
    ...{ timestamp: new Date(next()).toISOString(), cwd: "/srv/parcels", version: "2.1.330", gitBranch: "main" },
  });
  const said = (content: object[], stop_reason: string) => {
    const usage = {
      input_tokens: 1200,
      output_tokens: 50,
      cache_read_input_tokens: 4000,
      cache_creation_input_tokens: 300,
    };
    const message = { id: randomUUID(), role: "assistant", model: "claude-opus-5-5", content, stop_reason, usage };
    return line("assistant", message, { requestId: `req_${randomUUID()}` });
  };
  const calls = Array.from({ length: CALLS }, (_, call) => {
    const id = `toolu_${randomUUID()}`;
    const input = { command: `npm test -- parcels/${call}`, description: "Run the tests of the parcels" };
    const content = `The parcel ${call} rattles.\n${"It is weighed, measured and sent on. ".repeat(RESULT / 37)}`;
    return [
      said(
        [
          { type: "text", text: "I run the tests." },
          { type: "tool_use", id, name: "Bash", input },
        ],
        "tool_use",
      ),
      line("user", { role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] }, { promptId }),
    ];
  });
  const prompt = line("user", { role: "user", content: "Mend the parcels that rattle. ".repeat(10) }, { promptId });
  return [prompt, ...calls.flat(), said([{ type: "text", text: "Mended. ".repeat(40) }], "end_turn")];
}
