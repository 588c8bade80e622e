import { type Payload, readObject, readObjects, readString } from "../fields.ts";
import type { TranscriptReaderState } from "../transcript.ts";

/**
 * Claude Code 1 writes the lines of subagents into the session's file and gives the subagents no ids. The first line of
 * a subagent is the prompt of the Task call that started the subagent. Each further line names the line before.
 */

/** Maximum number of Task calls and subagents that the state carries. */
const MOST = 32;
/** Number of a prompt's first characters that are compared with another prompt. */
const PROMPT_CHARS = 256;

const TASKS = "tasks";
const CHAINS = "chains";

/** Remembers a Task call, because the lines of its subagent may follow. */
export function rememberTaskCall(state: TranscriptReaderState, call: Payload): void {
  const id = readString(call, "id");
  if (call["name"] !== "Task" || id === undefined) return;
  const prompt = readString(readObject(call, "input"), "prompt")?.slice(0, PROMPT_CHARS);
  state[TASKS] = [...readObjects(state, TASKS), { id, prompt }].slice(-MOST);
}

/** A subagent that began, and the call that started the subagent. */
export interface InlineSubagent {
  id: string;
  call: string | undefined;
}

/** Begins a subagent at the subagent's prompt. Returns undefined if the line has no id. */
export function beginInlineSubagent(
  state: TranscriptReaderState,
  line: Payload,
  prompt: string,
): InlineSubagent | undefined {
  const id = readString(line, "uuid");
  if (id === undefined) return undefined;
  const taken = new Set(readObjects(state, CHAINS).map((chain) => readString(chain, "call")));
  const open = readObjects(state, TASKS).filter((task) => !taken.has(readString(task, "id")));
  const task = open.find((each) => readString(each, "prompt") === prompt.slice(0, PROMPT_CHARS)) ?? open[0];
  const call = task && readString(task, "id");
  state[CHAINS] = [...readObjects(state, CHAINS), { id, call, last: id }].slice(-MOST);
  return { id, call };
}

/**
 * Returns the id of the subagent that a line belongs to: the subagent of the line before, otherwise the subagent that
 * began last.
 */
export function findInlineSubagentId(state: TranscriptReaderState, line: Payload): string | undefined {
  if (line["isSidechain"] !== true || readString(line, "agentId") !== undefined) return readString(line, "agentId");
  const chains = readObjects(state, CHAINS);
  const [before, own] = [readString(line, "parentUuid"), readString(line, "uuid")];
  const chain = chains.find((each) => before !== undefined && readString(each, "last") === before) ?? chains.at(-1);
  if (!chain) return undefined;
  state[CHAINS] = chains.map((each) => (each === chain ? { ...each, last: own ?? each["last"] } : each));
  return readString(chain, "id");
}

/** Ends the subagent that a call started. Returns the subagent's id. */
export function endInlineSubagent(state: TranscriptReaderState, call: unknown): string | undefined {
  const chain = readObjects(state, CHAINS).find((each) => each["call"] === call);
  if (typeof call !== "string" || !chain) return undefined;
  state[CHAINS] = readObjects(state, CHAINS).filter((each) => each["call"] !== call);
  state[TASKS] = readObjects(state, TASKS).filter((each) => each["id"] !== call);
  return readString(chain, "id");
}
