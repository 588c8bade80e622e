import type { PartialObservation } from "../agent-hooks.ts";
import { isFailedExit, type Payload, readNumber, readObject, readString, toObservedText, toText } from "../fields.ts";
import { callOutcome, readText, type State } from "../transcript.ts";
import { readStartedSubagent } from "./hooks.ts";

/** Returns the result of a command. The output of the call contains the result only as text. */
export function readCommandEnd(
  item: Payload,
  id: string | undefined,
  { turn }: State,
  endedAt: number | undefined,
): PartialObservation {
  const { secs, nanos } = readObject(item, "duration");
  const latency = typeof secs === "number" && typeof nanos === "number" ? secs * 1_000 + nanos / 1e6 : undefined;
  const code = readNumber(item, "exit_code") ?? 0;
  const error = readString(item, "aggregated_output") ?? `Process exited with code ${code}`;
  return { kind: "tool", id, turn, latency, endedAt, ends: "event", ...(code !== 0 && callOutcome(true, error)) };
}

export function readCallBegin(item: Payload, state: State, startedAt: number | undefined): PartialObservation[] {
  state["said"] = startedAt;
  const call = { kind: "tool", id: readString(item, "call_id"), turn: state.turn } as const;
  const args = toObservedText(item["arguments"] ?? item["input"] ?? item["action"]);
  return [{ ...call, name: readString(item, "name") ?? "shell", nameIsGeneric: true, args, startedAt }];
}

export function readCallEnd(item: Payload, { turn }: State, endedAt: number | undefined): PartialObservation[] {
  const [id, text] = [readString(item, "call_id"), outputOf(item["output"])];
  const failure = isFailedExit(text) && callOutcome(true, text);
  return [
    { ...{ kind: "tool", id, turn, result: toObservedText(text), endedAt, ends: "event" }, ...failure },
    ...readStartedSubagent(id, text).map((each) => ({ ...each, turn })),
  ];
}

/** Returns an output: text, a list of blocks, or in old versions JSON around the text. */
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
