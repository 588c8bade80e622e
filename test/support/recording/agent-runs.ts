import { readdirSync, readFileSync } from "node:fs";
import { createOrganization, type Tenant } from "../server.ts";
import { postHook, readSession, type ShownEvent, toEventTree } from "./observed-sessions.ts";
import { postOtlp } from "./otlp.ts";

/** Interfaces through which an agent reports. */
export const REPORT_INTERFACES = ["hooks", "logs", "spans"] as const;
type Way = (typeof REPORT_INTERFACES)[number];

/** All captured bodies of one run of an agent, by interface. */
export interface AgentRun {
  agent: string;
  bodies: Record<Way, readonly string[]>;
  /** Sums of all reports. */
  totals: Record<string, number>;
  /**
   * Returns the milliseconds to add to the times of telemetry. Hooks report no time and count as received now, so the
   * telemetry must be dated just before.
   */
  later(): number;
}

const TOTALS = { events: 5, failures: 1, turns: 1, toolCalls: 2, inputTokens: 2401, outputTokens: 101 };
/** Time between the end of a run and the report, in ms. */
const AGO_MS = 2_000;

/** Nanoseconds since 1970. Everything else in a body stays as captured. */
const MOMENT = /"(\d{13})(\d{6})"/g;

/** A turn of each agent with two calls; one call fails. */
export const AGENT_RUNS: readonly AgentRun[] = [
  createAgentRun(
    "claude-code",
    { ...TOTALS, cost: 0.02228 },
    {
      hooks: listCapturedBodies("agents/claude", "01 02 04 05 06 07 08 09 13"),
      logs: listCapturedBodies("otlp/claude", "11"),
      spans: listCapturedBodies("otlp/claude", "10"),
    },
  ),
  // GPT-5, of which 800 tokens are cached: 1,601 at 1.25 per million, 800 at 0.125 and 101 at 10.
  createAgentRun(
    "codex",
    { ...TOTALS, cost: 0.00311125 },
    {
      hooks: listCapturedBodies("agents/codex", "01 02 03 04 05 06 07 08"),
      logs: listCapturedBodies("otlp/codex", "09 10"),
      spans: listCapturedBodies("otlp/codex", "11 12"),
    },
  ),
  {
    // Gemini 2.5 Flash: 1,601 at 0.30, 800 at 0.03, and with 14 of thought 115 at 2.50.
    ...createAgentRun(
      "gemini-cli",
      { ...TOTALS, cost: 0.0007918 },
      {
        hooks: listCapturedBodies("agents/gemini", "01 02 07 08 09 10 11 12"),
        logs: listCapturedBodies("otlp/gemini", "14"),
        spans: listCapturedBodies("otlp/gemini", "13"),
      },
    ),
    // The hooks of this agent report times, too.
    later: () => 0,
  },
];

/** Builds a run of an agent from captured bodies. */
export function createAgentRun(agent: string, totals: AgentRun["totals"], bodies: AgentRun["bodies"]): AgentRun {
  const times = [...bodies.logs, ...bodies.spans].flatMap((path) => [...textOf(path).matchAll(MOMENT)]);
  const last = Math.max(...times.map(([, ms]) => Number(ms)));
  return { agent, totals, bodies, later: () => Date.now() - AGO_MS - last };
}

/** Lists the captured bodies whose names begin with some numbers. */
export function listCapturedBodies(folder: string, starts: string): string[] {
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

/** Posts bodies one after the other in a fresh organization. Returns the stored events. */
export async function replayRun({ agent, later }: AgentRun, paths: readonly string[]) {
  const tenant = await createOrganization();
  const ms = later();
  for (const path of paths) await post(tenant, { agent, path, later: ms });
  const { recordedSessions } = await tenant.gql("{ recordedSessions { nodes { id } } }");
  if (recordedSessions.nodes.length === 0)
    return { tree: [] as ShownEvent[], totals: {} as Record<string, number>, session: undefined };
  const session = await readSession(tenant);
  return { tree: toEventTree(session), totals: session.totals as Record<string, number>, session };
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
