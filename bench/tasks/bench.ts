import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { TOOLS } from "../../mcp/registry/tools.ts";
import { closeMcp } from "../../test/support/mcp.ts";
import { closeServers } from "../../test/support/server.ts";
import { modelCaller } from "./model.ts";
import { type Caller, leastCalls, type Outcome, runTask } from "./run.ts";
import { TASKS } from "./tasks.ts";

/**
 * Performs forty tasks in plain words with the MCP tools: by a scripted caller that needs the fewest calls, and by a
 * model if the environment configures a model. Prints calls and tokens of each, and a line of JSON. Fails when a task
 * did not reach its state.
 */
export async function benchTasks(): Promise<void> {
  const tools = [...TOOLS.values()].map(({ definition: { name, description, inputSchema } }) => ({
    ...{ name, description, inputSchema },
  }));
  console.log(`the list of all ${tools.length} tools: ${countTokens(JSON.stringify(tools))} tokens`);
  await benchCaller("least calls", leastCalls);
  const model = modelCaller(process.env);
  if (model) await benchCaller(String(process.env["TASKS_MODEL"]), model);
  await closeMcp();
  await closeServers();
}

async function benchCaller(caller: string, run: Caller): Promise<void> {
  const all: Outcome[] = [];
  const rows: Sums[] = [];
  for (const [kind, tasks] of Object.entries(TASKS)) {
    const outcomes: Outcome[] = [];
    for (const task of tasks) outcomes.push(await runTask(task, run));
    all.push(...outcomes);
    rows.push({ kind, ...sumsOf(outcomes) });
  }
  console.table(all);
  console.table([...rows, { kind: "all", ...sumsOf(all) }]);
  console.log(JSON.stringify({ bench: "tasks", caller, ...sumsOf(all) }));
  if (all.some(({ fault }) => fault !== "")) process.exitCode = 1;
}

interface Sums {
  kind?: string;
  tasks: number;
  done: number;
  calls: number;
  tokens: number;
}

function sumsOf(outcomes: readonly Outcome[]): Sums {
  const sum = (of: "calls" | "tokens") => outcomes.reduce((all, outcome) => all + outcome[of], 0);
  const done = outcomes.filter(({ fault }) => fault === "").length;
  return { tasks: outcomes.length, done, calls: sum("calls"), tokens: sum("tokens") };
}
