import type { PartialObservation } from "../agent-hooks.ts";
import {
  hasFailedExitCode,
  type Payload,
  readNumber,
  readObject,
  readString,
  toObservedText,
  toText,
} from "../fields.ts";
import { callOutcome, readText, type TranscriptReaderState } from "../transcript.ts";
import { readStartedSubagent } from "./hooks.ts";

/**
 * Returns the end of a command, with duration and exit code. The output of the tool call contains the duration and the
 * exit code only as text.
 */
export function readCommandEnd(
  item: Payload,
  id: string | undefined,
  { turn }: TranscriptReaderState,
  endedAt: number | undefined,
): PartialObservation {
  const { secs, nanos } = readObject(item, "duration");
  const latency = typeof secs === "number" && typeof nanos === "number" ? secs * 1_000 + nanos / 1e6 : undefined;
  const code = readNumber(item, "exit_code") ?? 0;
  const error = readString(item, "aggregated_output") ?? `Process exited with code ${code}`;
  return { kind: "tool", id, turn, latency, endedAt, ends: "event", ...(code !== 0 && callOutcome(true, error)) };
}

export function readCallBegin(
  item: Payload,
  state: TranscriptReaderState,
  startedAt: number | undefined,
): PartialObservation[] {
  state["said"] = startedAt;
  const call = { kind: "tool", id: readString(item, "call_id"), turn: state.turn } as const;
  const args = toObservedText(item["arguments"] ?? item["input"] ?? item["action"]);
  return [{ ...call, name: readString(item, "name") ?? "shell", nameIsGeneric: true, args, startedAt }];
}

export function readCallEnd(
  item: Payload,
  { turn }: TranscriptReaderState,
  endedAt: number | undefined,
): PartialObservation[] {
  const [id, text] = [readString(item, "call_id"), outputOf(item["output"])];
  const failure = hasFailedExitCode(text) && callOutcome(true, text);
  return [
    { ...{ kind: "tool", id, turn, result: toObservedText(text), endedAt, ends: "event" }, ...failure },
    ...readStartedSubagent(id, text).map((each) => ({ ...each, turn })),
  ];
}

/**
 * Returns the text of a tool call's output. The output is a text or a list of blocks; old versions write JSON that
 * contains the text.
 */
function outputOf(output: unknown): string | undefined {
  if (Array.isArray(output)) return readText({ content: output });
  const text = typeof output === "object" ? readText(output as Payload) : toText(output);
  if (!text?.startsWith('{"output":')) return text;
  try {
    const { output: inner, metadata } = JSON.parse(text) as { output?: unknown; metadata?: { exit_code?: unknown } };
    const code = metadata?.exit_code;
    return `${typeof code === "number" && code !== 0 ? `Exit code: ${code}\n` : ""}${toText(inner) ?? ""}`;
  } catch {
    return text;
  }
}
