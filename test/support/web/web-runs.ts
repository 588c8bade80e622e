import { randomUUID } from "node:crypto";
import { countRecorded } from "../../../server/jobs/analytics.ts";
import { call, sharedServer, type Tenant } from "../server.ts";

const DAY_MS = 86_400_000;

/** A call of a tool within a run. */
export interface Call {
  tool: string;
  args: object;
  result?: string;
  fails?: true;
  /** Ms that it took; 200 unless given. */
  took?: number;
  /** US dollars that it reports. */
  cost?: number;
}

/** A run of an agent: a prompt, calls, and what a model took. */
export interface Run {
  prompt: string;
  agent?: string;
  model?: string;
  /** US dollars as the agent reports them; left out, none is reported. */
  cost?: number;
  tokens?: [input: number, output: number];
  calls: readonly Call[];
  /** Days ago. */
  age?: number;
}

/** Records runs, and counts them. Answers the ids of their sessions. */
export async function recordRuns({ url, ingestKey }: Tenant, runs: readonly Run[]): Promise<string[]> {
  const made = runs.map((run) => ({ session_id: randomUUID(), run }));
  const events = made.flatMap(({ session_id, run }, n) => eventsOf(session_id, run, n));
  for (let at = 0; at < events.length; at += 500) {
    const body = { events: events.slice(at, at + 500) };
    const { status } = await call(url, "POST", "/api/v1/capture-events", { body, headers: { "x-api-key": ingestKey } });
    if (status !== 202) throw new Error(`capture-events answered ${status}`);
  }
  await countRecorded((await sharedServer()).runtime);
  return made.map(({ session_id }) => session_id);
}

function eventsOf(
  session_id: string,
  { prompt, agent, model, cost, tokens, calls, age = 0 }: Run,
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
