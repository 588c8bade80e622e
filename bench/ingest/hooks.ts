import { setTimeout as sleep } from "node:timers/promises";
import { uuidv7 } from "uuidv7";
import { startOwnCluster } from "../../test/support/db/postgres.ts";
import { postAll } from "../support/post.ts";
import { prepareDatabase, startOwnServer } from "./contestants.ts";
import { buildBatches } from "./rows.ts";

/** Hooks per second, duration in seconds, and the limit in ms for 99 % of the hooks. */
const RATE = 50;
const SECONDS = 12;
const GOAL_MS = 30;
const SIZE = 500;
const BYTES = 600;

/**
 * Measures hooks beside batches at half the machine's maximum rate, on a separate PostgreSQL cluster. Hooks are sent
 * on schedule, even when earlier hooks still wait. A wait counts from the scheduled time.
 */
export async function benchHooks(): Promise<void> {
  const cluster = await startOwnCluster();
  await prepareDatabase(cluster.url);
  const place = await startOwnServer(cluster.url);
  const target = { url: place.url, headers: { "Content-Type": "application/json", "x-api-key": place.key } };
  try {
    const alone = await hooks(target, 3); // Also warms up the server.
    const rate = await fullRate(target);
    const loaded = buildBatches(Math.ceil((rate / 2 / SIZE) * (SECONDS + 1)), SIZE, BYTES);
    const load = paced(target, loaded, rate / 2);
    await sleep(1_000);
    const beside = await hooks(target, SECONDS);
    const reached = await load;
    const figures = {
      "events/s": Math.round(rate),
      "load events/s": Math.round(reached),
      alone,
      beside,
      goal: GOAL_MS,
    };
    console.log(JSON.stringify({ bench: "hooks", rate: RATE, ...figures }));
  } finally {
    place.stop();
    cluster.remove();
  }
}

interface Target {
  url: string;
  headers: Record<string, string>;
}

/** Measures the events per second that two connections reach. */
async function fullRate({ url, headers }: Target): Promise<number> {
  const path = `${url}/api/v1/capture-events`;
  await postAll(path, buildBatches(20, SIZE, BYTES), 2, headers);
  const bodies = buildBatches(80, SIZE, BYTES);
  return (bodies.length * SIZE) / (await postAll(path, bodies, 2, headers));
}

/** Connections of the load. The reported rate shows whether the load fell behind. */
const CONNECTIONS = 4;

/**
 * Posts each body at its scheduled time, or as soon as a connection is
 * free. Resolves to the events per second reached.
 */
async function paced({ url, headers }: Target, bodies: readonly Buffer[], rate: number): Promise<number> {
  const begun = performance.now();
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < bodies.length; at = next++) {
      await sleep(begun + (at * SIZE * 1_000) / rate - performance.now());
      await postAll(`${url}/api/v1/capture-events`, bodies.slice(at, at + 1), 1, headers);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  return (bodies.length * SIZE * 1_000) / (performance.now() - begun);
}

/** Sends hooks at their scheduled times. Resolves to their durations in ms. */
async function hooks({ url, headers }: Target, seconds: number) {
  const payloads = Array.from({ length: Math.ceil((RATE * seconds) / TURN.length) }, turnOf).flat();
  let refused = 0;
  const waits = await Promise.all(
    payloads.map(async (payload, at) => {
      await sleep((at * 1_000) / RATE);
      const begun = performance.now();
      const response = await fetch(`${url}/api/v1/hooks/claude-code`, {
        method: "POST",
        headers,
        body: JSON.stringify(payload),
      });
      await response.arrayBuffer();
      if (response.status !== 204) refused += 1;
      return performance.now() - begun;
    }),
  );
  waits.sort((a, b) => a - b);
  const part = (share: number) => Math.round(10 * (waits[Math.floor(share * (waits.length - 1))] ?? Number.NaN)) / 10;
  return { hooks: waits.length, refused, p50: part(0.5), p95: part(0.95), p99: part(0.99), most: part(1) };
}

const TURN = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PreToolUse", "PostToolUseFailure", "Stop"];

/** Builds the hooks of a turn with two calls, in a new session. */
function turnOf(): object[] {
  const [session_id, prompt_id] = [uuidv7(), uuidv7()];
  return TURN.map((hook_event_name, at) => ({
    hook_event_name,
    session_id,
    prompt_id,
    cwd: "/work",
    ...(hook_event_name === "UserPromptSubmit" && { prompt: "Find out why the build fails." }),
    ...(hook_event_name === "Stop" && { last_assistant_message: "An import was missing." }),
    ...(hook_event_name.includes("Tool") && {
      tool_name: "Bash",
      tool_use_id: `${session_id}-${Math.ceil(at / 2)}`,
      tool_input: { command: "npm test" },
      ...(hook_event_name === "PostToolUse" && { tool_response: { stdout: "ok ".repeat(200) } }),
      ...(hook_event_name === "PostToolUseFailure" && { error: "exit code 2" }),
    }),
  }));
}
