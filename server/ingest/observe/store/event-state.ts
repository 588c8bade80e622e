import type { Facts } from "../facts.ts";
import type { EventRow } from "../project.ts";
import type { StoredEvent } from "./event-rows.ts";

/** A text that stands in its own column, whole or cut. */
type Text = true | { truncated?: boolean };

/**
 * The facts about an event that its row does not show. `shown` has a letter for each fact that the row shows as it was sent,
 * so that a state is short: the database parses each. `true` says the same, in states of old for all of those; `kind`,
 * `model` and `startedAt` are always shown, and stand only in the states of old.
 */
export interface State extends Omit<Partial<Facts>, "args" | "result" | "name" | "metadata"> {
  shown?: string;
  name?: string | true;
  metadata?: Record<string, unknown> | true;
  args?: Text;
  result?: Text | Facts["result"];
  above?: string;
}

/** The letters of what a row shows. */
const SHOWN = { name: "n", args: "a", metadata: "m", success: "s", endedAt: "e" } as const;

type Written = Exclude<keyof State, "kind" | "model" | "startedAt">;

/** The state as JSON, which leaves out what is undefined. Written out: taking an object apart costs more than all the rest of a row. */
export function stateOf({ facts, row, above }: StoredEvent): string {
  const { args, result, name, metadata, success, endedAt } = facts;
  const isNameShown = name === row.primitive_name;
  const isMetadataShown = metadata !== undefined && !args?.truncated && !result?.truncated;
  const isEndShown = endedAt !== undefined && endedAt === endIn(row);
  const shown =
    (isNameShown ? SHOWN.name : "") +
    (args && !args.truncated ? SHOWN.args : "") +
    (isMetadataShown ? SHOWN.metadata : "") +
    (success === row.success ? SHOWN.success : "") +
    (isEndShown ? SHOWN.endedAt : "");
  const state: { [Key in Written]-?: State[Key] | undefined } = {
    source: facts.source,
    shown: shown || undefined,
    id: facts.id,
    turn: facts.turn,
    parentCall: facts.parentCall,
    trace: facts.trace,
    span: facts.span,
    parentSpan: facts.parentSpan,
    startSeen: facts.startSeen,
    endedAt: isEndShown ? undefined : endedAt,
    endSeen: facts.endSeen,
    latency: facts.latency,
    name: isNameShown ? undefined : name,
    genericName: facts.genericName,
    success: success === row.success ? undefined : success,
    error: facts.error,
    usage: facts.usage,
    metadata: isMetadataShown ? undefined : metadata,
    ended: facts.ended,
    refused: facts.refused,
    silent: facts.silent,
    alone: facts.alone,
    above: above ?? undefined,
    args: args?.truncated ? { truncated: true } : undefined,
    result: result && (result.text === row.result ? (result.truncated ? { truncated: true } : true) : result),
  };
  return JSON.stringify(state);
}

/** When a row says that its event ended. */
const endIn = ({ timestamp, latency }: EventRow): number | undefined =>
  latency === null ? undefined : timestamp + latency;

/** The facts about a stored event. */
export function factsIn({ above: _above, shown = "", ...observed }: State, row: EventRow): Facts {
  const { args, result, name, metadata, ...state } = { ...shownIn(shown, row), ...observed };
  const text = (sent: Text, whole: string) =>
    sent !== true && sent.truncated ? { text: whole, truncated: true } : { text: whole };
  return {
    // An agent without a parent is shown as a turn.
    kind: observed.alone ? "subagent" : row.kind,
    ...(row.model !== null && { model: row.model }),
    ...(row.timestamp_sent && { startedAt: row.timestamp }),
    ...(state as Omit<Facts, "kind">),
    ...(name !== undefined && { name: name === true ? row.primitive_name : name }),
    ...(metadata && { metadata: metadata === true ? JSON.parse(row.metadata ?? "{}") : metadata }),
    ...(args && { args: text(args, row.args) }),
    ...(result && { result: text(result, result !== true && "text" in result ? result.text : row.result) }),
  };
}

/** The members that letters stand for. */
function shownIn(letters: string, row: EventRow): Partial<State> {
  const isShown = (fact: keyof typeof SHOWN) => letters.includes(SHOWN[fact]);
  const end = isShown("endedAt") ? endIn(row) : undefined;
  return {
    ...(isShown("name") && { name: true }),
    ...(isShown("args") && { args: true }),
    ...(isShown("metadata") && { metadata: true }),
    ...(isShown("success") && { success: row.success }),
    ...(end !== undefined && { endedAt: end }),
  };
}
