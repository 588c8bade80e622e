import { isDeepStrictEqual } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { connectSharedClient, type McpClient } from "../../test/support/mcp.ts";
import type { Tenant } from "../../test/support/server.ts";
import { freshScene, recordFailure } from "./scene.ts";
import type { Task } from "./tasks.ts";

/**
 * A caller's work on one task: the calls, the tokens that a model would write and read for the calls, and the result.
 */
export interface Outcome {
  task: string;
  calls: number;
  tokens: number;
  /** The fault of the result; empty when the task is done. */
  fault: string;
}

/** Performs a task with the tools. Returns the words of the answer. */
export type Caller = (task: Task, client: McpClient) => Promise<unknown>;

/** The scripted caller, which needs the fewest calls. */
export const leastCalls: Caller = (task, { call }) =>
  task.least(async (tool, args = {}) => {
    const { data, isError, text } = await call(tool, args);
    if (isError) throw new Error(`${tool}: ${text}`);
    return data;
  });

/** Lets a caller perform a task, in a new scene unless a scene is given, and checks the result. */
export async function runTask(task: Task, caller: Caller, scene?: Tenant): Promise<Outcome> {
  const tenant = scene ?? (await freshScene());
  if (task.recorded) await recordFailure(tenant);
  const headers = { "x-mcp-toolsets": "all", "x-api-key": tenant.ingestKey };
  const { client, call } = await connectSharedClient(tenant, headers);
  const spent = { calls: 0, tokens: 0 };
  const counted: McpClient["call"] = async (tool, args = {}) => {
    const answer = await call(tool, args);
    spent.calls += 1;
    spent.tokens += countTokens(JSON.stringify({ tool, args })) + countTokens(answer.text);
    return answer;
  };
  const answer = await caller(task, { client, call: counted }).catch((error: Error) => error);
  const fault = answer instanceof Error ? answer.message : await faultOf(task, answer, tenant.gql);
  await client.close();
  return { task: task.say, ...spent, fault };
}

async function faultOf({ answer, state }: Task, given: unknown, gql: (query: string) => Promise<unknown>) {
  if (answer && !has(given, answer)) return `answered ${JSON.stringify(given)} and not ${answer.join(", ")}`;
  if (!state) return "";
  const [query, is] = state;
  const found = JSON.parse(JSON.stringify(await gql(query)));
  return isDeepStrictEqual(found, is) ? "" : `left ${JSON.stringify(found)}`;
}

/** An array must equal the expected words. A text must contain the words. */
const has = (given: unknown, words: readonly string[]): boolean =>
  typeof given === "string" ? words.every((word) => given.includes(word)) : isDeepStrictEqual(given, words);
