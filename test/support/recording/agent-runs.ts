import { readdirSync, readFileSync } from "node:fs";
import { freshOrganization, type Tenant } from "../server.ts";
import { postHook, readSession, type Shown, treeOf } from "./observed-sessions.ts";
import { postOtlp } from "./otlp.ts";

/** The ways in which an agent reports. */
export const WAYS = ["hooks", "logs", "spans"] as const;
type Way = (typeof WAYS)[number];

/** Everything that was captured of one run of an agent, by the way it came. */
export interface Run {
  agent: string;
  bodies: Record<Way, readonly string[]>;
  /** The sums of all reports. */
  totals: Record<string, number>;
  /**
   * The ms that are added to the times of telemetry: hooks report no time and count as now, so telemetry was just
   * before.
   */
  later(): number;
}

const TOTALS = { events: 5, failures: 1, turns: 1, toolCalls: 2, inputTokens: 2401, outputTokens: 101 };
/** The ms between the end of a run and its report. */
const AGO_MS = 2_000;

/** Nanoseconds since 1970, apart from which a body stays as it was captured. */
const MOMENT = /"(\d{13})(\d{6})"/g;

/** A turn of each agent with two calls, one of which fails. */
export const RUNS: readonly Run[] = [
  runOf(
    "claude-code",
    { ...TOTALS, cost: 0.02228 },
    {
      hooks: files("agents/claude", "01 02 04 05 06 07 08 09 13"),
      logs: files("otlp/claude", "11"),
      spans: files("otlp/claude", "10"),
    },
  ),
  // GPT-5, of which 800 tokens are cached: 1,601 at 1.25 a million, 800 at 0.125 and 101 at 10.
  runOf(
    "codex",
    { ...TOTALS, cost: 0.00311125 },
    {
      hooks: files("agents/codex", "01 02 03 04 05 06 07 08"),
      logs: files("otlp/codex", "09 10"),
      spans: files("otlp/codex", "11 12"),
    },
  ),
  {
    // Gemini 2.5 Flash: 1,601 at 0.30, 800 at 0.03, and with 14 of thought 115 at 2.50.
    ...runOf(
      "gemini-cli",
      { ...TOTALS, cost: 0.0007918 },
      {
        hooks: files("agents/gemini", "01 02 07 08 09 10 11 12"),
        logs: files("otlp/gemini", "14"),
        spans: files("otlp/gemini", "13"),
      },
    ),
    // Its hooks tell their times as well.
    later: () => 0,
  },
];

/** The run of an agent whose bodies these are. */
export function runOf(agent: string, totals: Run["totals"], bodies: Run["bodies"]): Run {
  const times = [...bodies.logs, ...bodies.spans].flatMap((path) => [...textOf(path).matchAll(MOMENT)]);
  const last = Math.max(...times.map(([, ms]) => Number(ms)));
  return { agent, totals, bodies, later: () => Date.now() - AGO_MS - last };
}

/** Captured bodies, by the numbers that their names begin with. */
export function files(folder: string, starts: string): string[] {
  const names = readdirSync(new URL(`../../fixtures/${folder}/`, import.meta.url));
  return starts.split(" ").map((start) => {
    const name = names.find((each) => each.startsWith(`${start}-`) && each.endsWith(".json"));
    if (!name) throw new Error(`no fixture ${start} in ${folder}`);
    return `${folder}/${name}`;
  });
}

function textOf(path: string): string {
  return readFileSync(new URL(`../../fixtures/${path}`, import.meta.url), "utf8");
}

/** The stored events of bodies that are posted one after the other, in an organization of their own. */
export async function played({ agent, later }: Run, paths: readonly string[]) {
  const tenant = await freshOrganization();
  const ms = later();
  for (const path of paths) await post(tenant, { agent, path, later: ms });
  const { recordedSessions } = await tenant.gql("{ recordedSessions { nodes { id } } }");
  if (recordedSessions.nodes.length === 0)
    return { tree: [] as Shown[], totals: {} as Record<string, number>, session: undefined };
  const session = await readSession(tenant);
  return { tree: treeOf(session), totals: session.totals as Record<string, number>, session };
}

async function post(
  { url, ingestKey }: Tenant,
  { agent, path, later }: { agent: string; path: string; later: number },
) {
  const body = textOf(path);
  if (path.startsWith("agents/")) {
    const { status } = await postHook({ url, ingestKey }, agent, body);
    if (status !== 204) throw new Error(`${path}: ${status}`);
    return;
  }
  const shifted = body.replace(MOMENT, (_, ms: string, nanos: string) => `"${Number(ms) + later}${nanos}"`);
  const door = `/v1/${path.includes("logs") ? "logs" : "traces"}`;
  const { status, bytes } = await postOtlp({ url, key: ingestKey }, door, Buffer.from(shifted));
  if (status !== 200 || bytes.toString() !== "{}") throw new Error(`${path}: ${status} ${bytes}`);
}
