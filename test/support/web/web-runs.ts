import { randomUUID } from "node:crypto";
import { updateHourAndGroupCounts } from "../../../server/jobs/analytics.ts";
import { callRestApi, startSharedServer, type Tenant } from "../server.ts";

const DAY_MS = 86_400_000;

/** Tool call within a run. */
export interface RunCall {
  tool: string;
  args: object;
  result?: string;
  fails?: true;
  /** Duration in ms; 200 by default. */
  took?: number;
  /** Reported cost in US dollars. */
  cost?: number;
}

/** Run of an agent: a prompt, tool calls, and the tokens of a model. */
export interface WebRun {
  prompt: string;
  agent?: string;
  model?: string;
  /** Cost in US dollars as reported by the agent; absent if the agent reports none. */
  cost?: number;
  tokens?: [input: number, output: number];
  calls: readonly RunCall[];
  /** Age of the run in days. */
  age?: number;
}

/** Records runs and computes the usage counts. Returns the ids of the sessions. */
export async function recordRuns({ url, ingestKey }: Tenant, runs: readonly WebRun[]): Promise<string[]> {
  const made = runs.map((run) => ({ session_id: randomUUID(), run }));
  const events = made.flatMap(({ session_id, run }, n) => eventsOf(session_id, run, n));
  for (let at = 0; at < events.length; at += 500) {
    const body = { events: events.slice(at, at + 500) };
    const { status } = await callRestApi(url, "POST", "/api/v1/capture-events", {
      body,
      headers: { "x-api-key": ingestKey },
    });
    if (status !== 202) throw new Error(`capture-events answered ${status}`);
  }
  await updateHourAndGroupCounts((await startSharedServer()).runtime);
  return made.map(({ session_id }) => session_id);
}

function eventsOf(
  session_id: string,
  { prompt, agent, model, cost, tokens, calls, age = 0 }: WebRun,
  n: number,
): object[] {
  const at = Date.now() - age * DAY_MS - 600_000 - n * 1_000;
  const parent_id = randomUUID();
  const turn = {
    event_id: parent_id,
    session_id,
    primitive_name: agent ?? "claude-code",
    primitive_type: "agent",
    args: prompt,
    result: "Done.",
    latency: 1_000 * calls.length,
    timestamp: at,
  };
  const asked = model && {
    event_id: randomUUID(),
    session_id,
    parent_id,
    primitive_name: model,
    primitive_type: "llm",
    args: "",
    result: "",
    timestamp: at + 10,
    metadata: {
      "gen_ai.request.model": model,
      "gen_ai.usage.input_tokens": tokens?.[0] ?? 1_000,
      "gen_ai.usage.output_tokens": tokens?.[1] ?? 100,
      ...(cost !== undefined && { "gen_ai.usage.cost": cost }),
    },
  };
  const tools = calls.map(({ tool, args, result = "ok", fails, took = 200, cost }, step) => ({
    event_id: randomUUID(),
    session_id,
    parent_id,
    primitive_name: tool,
    primitive_type: "tool",
    args: JSON.stringify(args),
    result,
    success: !fails,
    latency: took,
    timestamp: at + 1_000 * (step + 1),
    ...(cost !== undefined && { metadata: { "gen_ai.usage.cost": cost } }),
  }));
  return [turn, ...(asked ? [asked] : []), ...tools];
}
