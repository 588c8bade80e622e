import { isObject } from "../../../../formats/json.ts";
import { getOwnProperty } from "../../../../formats/own.ts";
import { findAgent } from "../../../agents/index.ts";
import type { EventKind } from "../../../agents/observation.ts";
import { HOUR_WRITE, THOUGHTS } from "../../../agents/observation.ts";
import type { CostCalculator } from "../../../prices/prices.ts";
import { extractMessage } from "../../../resources/recorded/failures/message.ts";
import { MAX_NAME_CHARS } from "../../rules/bounds.ts";
import type { CapturedEventRow as CapturedRow } from "../../rules/event.ts";
import { isFlat } from "../../rules/rules.ts";
import { isSubagentCall } from "../correlation.ts";
import type { EventFacts } from "./facts.ts";
import type { SessionProgress } from "./progress.ts";

/**
 * Event that a fold creates, as stored in the events table. In addition to the columns of a captured event, the event
 * has the kind, `open`, and the usage (model, token counts and cost).
 */
export interface FoldedEventRow extends Omit<CapturedRow, "external_id" | "redacted" | "sanitized" | "measured"> {
  kind: EventKind;
  open: boolean;
  model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  cache_read_tokens: number | null;
  cache_write_tokens: number | null;
  cost: string | null;
}

/** Position of an event in its session, and the context that the event's columns are computed from. */
export interface EventPosition {
  event_id: string;
  session_id: string;
  parent_id: string | null;
  /** Epoch ms, like `now`. */
  received_at: number;
  now: number;
  progress: SessionProgress;
  prices: CostCalculator;
}

/**
 * Time for which an agent's span without a known surrounding event waits for that event. Afterwards the span becomes
 * a turn.
 */
const ALONE_MS = 30 * 1000;

const UNANSWERED = "The agent reported no end of this call.";
const INTERRUPTED = "Interrupted: the session ended before this turn did.";

/**
 * Creates the row of an event from its facts. `due` is the time, in epoch ms, at which the row changes without new
 * reports.
 */
export function buildEventRow(facts: EventFacts, place: EventPosition): { row: FoldedEventRow; due: number | null } {
  const timestamp = eventStart(facts) ?? place.received_at;
  const { progress } = place;
  const isSilent = progress.silentAt !== undefined && place.received_at <= progress.silentAt;
  const mayBeAlone =
    facts.kind === "subagent" && facts.span !== undefined && facts.parentSpan !== undefined && place.parent_id === null;
  const isAlone = mayBeAlone && place.now - place.received_at >= ALONE_MS;
  const waits = mayBeAlone && !isAlone && !isSilent;
  const open = waits || (!isSilent && isOpen(facts, place.event_id, timestamp, progress));
  const kind = isAlone ? "turn" : isSubagentCall(facts) ? "subagent" : facts.kind;
  const lost = !open && !facts.ended && (facts.kind === "tool" || facts.kind === "subagent");
  const cut = open || facts.ended ? undefined : progress.last?.find(({ id }) => id === place.event_id);
  const success = facts.success ?? !(lost || facts.refused || cut);
  const words = lost ? UNANSWERED : cut ? INTERRUPTED : undefined;
  const error = success ? undefined : (facts.error ?? facts.result?.text ?? words);
  const { usage = {} } = facts;
  const row: FoldedEventRow = {
    event_id: place.event_id,
    session_id: place.session_id,
    parent_id: place.parent_id,
    received_at: place.received_at,
    timestamp,
    timestamp_sent: facts.startedAt !== undefined,
    latency: latencyOf(facts, timestamp) ?? (cut ? Math.max(0, cut.at - timestamp) : null),
    success,
    primitive_name: nameOf(facts, kind),
    primitive_type: kind === "turn" ? null : kind,
    args: facts.args?.text ?? "",
    result: error ?? facts.result?.text ?? "",
    metadata: metadataOf(facts),
    kind,
    open,
    model: facts.model ?? null,
    input_tokens: usage.inputTokens ?? null,
    output_tokens: usage.outputTokens ?? null,
    cache_read_tokens: usage.cacheReadTokens ?? null,
    cache_write_tokens: usage.cacheWriteTokens ?? null,
    cost: usage.cost === undefined ? null : usage.cost.toFixed(9),
    computed_cost: computedCost(facts, timestamp, place.prices),
    message: success ? null : extractMessage(error ?? ""),
  };
  return { row, due: waits ? place.received_at + ALONE_MS : null };
}

function computedCost(
  { source, model, usage, metadata }: EventFacts,
  at: number,
  prices: CostCalculator,
): string | null {
  if (!usage || usage.cost !== undefined || model === undefined) return null;
  const { inputTokens: input, outputTokens: output, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = usage;
  const [thoughts, hourWrite] = [THOUGHTS, HOUR_WRITE].map((name) =>
    Number((metadata && getOwnProperty(metadata, name)) ?? 0),
  );
  const cost = prices.costOf({ source, model, at, input, output, cacheRead, cacheWrite, thoughts, hourWrite });
  return cost === undefined ? null : cost.toFixed(9);
}

/** Returns the metadata, with the names of the fields that the agent truncated. */
function metadataOf({ metadata, args, result }: EventFacts): string | null {
  const truncated = [...(args?.truncated ? ["args"] : []), ...(result?.truncated ? ["result"] : [])];
  if (truncated.length === 0 && !metadata) return null;
  const shown = truncated.length === 0 ? { ...metadata } : { ...metadata, truncated };
  // Fast path: most metadata contains no nested object, and `JSON.stringify` is faster with a list of names than with a
  // function.
  return isFlat(shown) ? JSON.stringify(shown, Object.keys(shown).sort()) : JSON.stringify(shown, inOrder);
}

/** Sorts members, so that the order in which they arrived does not matter. */
const inOrder = (_key: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

/** Returns the start of an event: by the agent's clock, otherwise the arrival of its first report. */
export function eventStart({ startedAt, endedAt, startSeen, endSeen, latency = 0 }: EventFacts): number | undefined {
  if (startedAt !== undefined) return startedAt;
  if (endedAt !== undefined) return endedAt - latency;
  if (endSeen === undefined) return startSeen;
  // Hook requests can overtake each other. If the start arrived after the end, the start's arrival time is not used.
  return startSeen !== undefined && startSeen <= endSeen ? startSeen : endSeen - latency;
}

/** Returns the end of an event; undefined until the end is reported. */
export const eventEnd = ({ endedAt, endSeen }: EventFacts): number | undefined => endedAt ?? endSeen;

function latencyOf(facts: EventFacts, start: number): number | null {
  if (facts.latency !== undefined) return Math.max(0, Math.round(facts.latency));
  const end = eventEnd(facts);
  const isTimed = facts.startedAt !== undefined || facts.startSeen !== undefined;
  return end !== undefined && isTimed && facts.ended ? Math.max(0, Math.round(end - start)) : null;
}

/**
 * Returns the displayed name. A turn without a name has its agent's name; a precise name takes precedence over a
 * generic name.
 */
function nameOf(facts: EventFacts, kind: EventKind): string {
  const { source, name, genericName } = facts;
  const agent = isSubagentCall(facts)
    ? findAgent(source)?.delegates?.subagent.exec(facts.args?.text ?? "")?.[1]
    : undefined;
  const shown = agent ?? name ?? (kind === "turn" ? source : (genericName ?? kind));
  return (shown.length <= MAX_NAME_CHARS ? shown : [...shown].slice(0, MAX_NAME_CHARS).join("")) || kind;
}

function isOpen(facts: EventFacts, id: string, start: number, { turns, turnEnd, end }: SessionProgress): boolean {
  if (facts.ended) return false;
  if (end !== undefined && start <= end) return false;
  const newest = turns?.at(-1);
  if (newest && newest.id !== id && start < newest.at) return false;
  return facts.kind === "turn" || turnEnd === undefined || start > turnEnd;
}
