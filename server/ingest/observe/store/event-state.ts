import type { Facts } from "../facts.ts";
import type { EventRow } from "../project.ts";
import type { StoredEvent } from "./event-rows.ts";

/** A text that stands in its own column, whole or cut. */
type Shown = true | { truncated?: boolean };

/**
 * What is known of an event and not shown in its row. `true` stands for what the row shows; `kind`, `model` and
 * `startedAt` are always shown, and stand only in the states of old.
 */
export interface State extends Omit<Partial<Facts>, "args" | "result" | "name" | "metadata"> {
  name?: string | true;
  metadata?: Record<string, unknown> | true;
  args?: Shown;
  result?: Shown | Facts["result"];
  above?: string;
}

/** The state as JSON, which leaves out what is undefined. Written out: taking an object apart costs more than all the rest of a row. */
export function stateOf({ facts, row, above }: StoredEvent): string {
  const { args, result, name, metadata } = facts;
  const isCut = args?.truncated || result?.truncated;
  const state: { [Key in Exclude<keyof State, "kind" | "model" | "startedAt">]-?: State[Key] | undefined } = {
    source: facts.source,
    id: facts.id,
    turn: facts.turn,
    parentCall: facts.parentCall,
    trace: facts.trace,
    span: facts.span,
    parentSpan: facts.parentSpan,
    startSeen: facts.startSeen,
    endedAt: facts.endedAt,
    endSeen: facts.endSeen,
    latency: facts.latency,
    name: name === row.primitive_name ? true : name,
    genericName: facts.genericName,
    success: facts.success,
    error: facts.error,
    usage: facts.usage,
    metadata: metadata && !isCut ? true : metadata,
    ended: facts.ended,
    refused: facts.refused,
    silent: facts.silent,
    above: above ?? undefined,
    args: args && (args.truncated ? { truncated: true } : true),
    result: result && (result.text === row.result ? (result.truncated ? { truncated: true } : true) : result),
  };
  return JSON.stringify(state);
}

/** What is known of a stored event. */
export function factsIn({ above: _above, ...observed }: State, row: EventRow): Facts {
  const { args, result, name, metadata, ...state } = observed;
  const text = (shown: Shown, whole: string) =>
    shown !== true && shown.truncated ? { text: whole, truncated: true } : { text: whole };
  return {
    kind: row.kind,
    ...(row.model !== null && { model: row.model }),
    ...(row.timestamp_sent && { startedAt: row.timestamp }),
    ...(state as Omit<Facts, "kind">),
    ...(name !== undefined && { name: name === true ? row.primitive_name : name }),
    ...(metadata && { metadata: metadata === true ? JSON.parse(row.metadata ?? "{}") : metadata }),
    ...(args && { args: text(args, row.args) }),
    ...(result && { result: text(result, result !== true && "text" in result ? result.text : row.result) }),
  };
}
