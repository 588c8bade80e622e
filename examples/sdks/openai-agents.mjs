// npm install @openai/agents zod
import { execSync } from "node:child_process";
import { Agent, BatchTraceProcessor, run, setOpenAIAPI, setTraceProcessors, tool } from "@openai/agents";
import { OpenAITracingExporter } from "@openai/agents-openai";
import { z } from "zod";

const { TRACKER_URL, TRACKER_INGEST_KEY: apiKey, OPENAI_MODEL: model } = process.env;
const endpoint = `${TRACKER_URL}/sdk/openai-agents/v1/traces/ingest`;
const traces = new BatchTraceProcessor(new OpenAITracingExporter({ endpoint, apiKey }));
setTraceProcessors([traces]);
setOpenAIAPI("chat_completions");
const parameters = z.object({ command: z.string() });
const execute = ({ command }) => execSync(command, { encoding: "utf8" });
// By default, the trace contains only that a tool failed. This function adds the error.
const errorFunction = (_context, error) => String(error);
const shell = tool({ name: "shell", description: "Runs a command", parameters, execute, errorFunction });
const agent = new Agent({ name: "assistant", instructions: "Help.", model, tools: [shell] });
console.log((await run(agent, process.argv[2] ?? "Which version is node here?")).finalOutput);
await traces.shutdown();
