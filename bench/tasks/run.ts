import { isDeepStrictEqual } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { type McpClient, mcpFor } from "../../test/support/mcp.ts";
import type { Tenant } from "../../test/support/server.ts";
import { freshScene, recordFailure } from "./scene.ts";
import type { Task } from "./tasks.ts";

/** A caller's work on one task: the calls, the tokens that a model writes and reads for them, and what came of it. */
export interface Outcome {
  task: string;
  calls: number;
  tokens: number;
  /** Says what is wrong; empty where the task is done. */
  fault: string;
}

/** Does a task with some tools; returns the words of its answer. */
export type Caller = (task: Task, client: McpClient) => Promise<unknown>;

/** The scripted caller, which needs the least calls. */
export const leastCalls: Caller = (task, { call }) =>
  task.least(async (tool, args = {}) => {
    const { data, isError, text } = await call(tool, args);
    if (isError) throw new Error(`${tool}: ${text}`);
    return data;
  });

/** Has a caller do a task, in a scene of its own unless one is given, and looks at what came of it. */
export async function runTask(task: Task, caller: Caller, scene?: Tenant): Promise<Outcome> {
  const tenant = scene ?? (await freshScene());
  if (task.recorded) await recordFailure(tenant);
  const headers = { "x-mcp-toolsets": "all", "x-api-key": tenant.ingestKey };
  const { client, call } = await mcpFor(tenant, headers);
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

/** A list of words is the answer itself; a text has to have them. */
const has = (given: unknown, words: readonly string[]): boolean =>
  typeof given === "string" ? words.every((word) => given.includes(word)) : isDeepStrictEqual(given, words);
