import { eventEnd, type FoldedEventRow } from "./event.ts";
import { type EventDraft, mergeDraft } from "./facts.ts";
import type { FoldedEvent } from "./fold.ts";
import { toCallId } from "./ids.ts";
import { compareByTime, takeNearest } from "./traces.ts";

/** Maximum time between reports of one model call. */
const NEAR_MS = 10_000;

/** Event of a model call or subagent, with its id and time. */
interface Request {
  id: string;
  draft: EventDraft;
  at: number;
}

/**
 * Merges model calls of a transcript with the same calls from log records and spans. Usually a common id identifies a
 * call, but a gateway may remove the id. Two calls match if the turn and the token counts are equal; if several match,
 * the nearest in time is taken. The transcript's event is removed, and the merged event has the id of the other event.
 */
export function joinTranscriptModelCalls(drafts: Map<string, EventDraft>): void {
  const groups = new Map<string, { filed: Request[]; live: Request[] }>();
  for (const [id, draft] of drafts) {
    const key = keyOf(draft);
    const isFiled = isOfFile(draft);
    if (key === undefined || isFiled === undefined) continue;
    const group = groups.get(key) ?? { filed: [], live: [] };
    groups.set(key, group);
    group[isFiled ? "filed" : "live"].push({ id, draft, at: draft.facts.endedAt ?? draft.facts.startedAt ?? 0 });
  }
  for (const { filed, live } of groups.values()) {
    for (const request of filed.sort(compareByTime)) {
      const nearest = takeNearest(request, live, ({ at }) => Math.abs(at - request.at) <= NEAR_MS);
      if (!nearest) continue;
      drafts.delete(request.id);
      giveWay(request, nearest);
    }
  }
}

/** Returns true if all reports of an event come from a transcript, false if none do, and undefined for a mixture. */
function isOfFile({ kept }: EventDraft): boolean | undefined {
  const filed = kept.filter(({ observation }) => observation.isTranscript).length;
  return filed === 0 || filed === kept.length ? filed > 0 : undefined;
}

/**
 * Merges subagents of a transcript with the same subagents from spans that lack the subagent's id. Two subagents match
 * if the same call started both. Returns a map from the id of each removed event to the id of the event that replaces
 * the removed one.
 */
export function joinSubagents(
  drafts: Map<string, EventDraft>,
  around: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  const spans = new Map<string, Request>();
  const filed: Request[] = [];
  const subagents = [...drafts].filter(([, { facts }]) => facts.kind === "subagent");
  for (const [id, draft] of subagents.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const call = around.get(id);
    if (isOfFile(draft)) filed.push({ id, draft, at: 0 });
    else if (draft.facts.id === undefined && call !== undefined && !spans.has(call))
      spans.set(call, { id, draft, at: 0 });
  }
  const moved = new Map<string, string>();
  for (const each of filed) {
    const { session_id, facts } = each.draft;
    const call = facts.parentCall === undefined ? "" : toCallId(session_id, facts.parentCall);
    const span = spans.get(call);
    if (!span) continue;
    spans.delete(call);
    drafts.delete(each.id);
    moved.set(each.id, span.id);
    giveWay(each, span);
  }
  return moved;
}

/** Returns the identity of a model call without an id. A failed call has no token counts and therefore no identity. */
function keyOf({ session_id, facts, isMatched }: EventDraft): string | undefined {
  const { kind, source, turn, usage } = facts;
  if (isMatched || kind !== "llm" || turn === undefined || usage?.outputTokens === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  return JSON.stringify([session_id, source, turn, inputTokens, outputTokens, cacheReadTokens ?? 0]);
}

/** Merges the transcript's event into the other event. The other event keeps its own id if there is one. */
function giveWay({ draft }: Request, to: Request): void {
  const { id } = to.draft.facts;
  mergeDraft(to.draft, to.id, draft);
  if (id !== undefined) to.draft.facts = { ...to.draft.facts, id };
}

/** Returns true if the content of one part may change the events of another. */
type IsJoined = (part: string | undefined, other: string | undefined) => boolean;

/**
 * Ends each turn in which a call reports the end of the turn. Some agents report the end of a turn only on the last
 * call.
 */
export function endTurns(
  drafts: ReadonlyMap<string, EventDraft>,
  parents: ReadonlyMap<string, string | null>,
  isJoined: IsJoined,
): void {
  for (const [id, { facts, kept }] of drafts) {
    const end = facts.kind === "turn" ? undefined : eventEnd(facts);
    if (end === undefined || !kept.some(({ observation }) => observation.ends === "turn")) continue;
    const turn = drafts.get(parents.get(id) ?? "");
    if (turn?.facts.kind !== "turn" || !isJoined(kept[0]?.part, turn.kept[0]?.part)) continue;
    turn.facts = { ...turn.facts, ended: true, endedAt: Math.max(turn.facts.endedAt ?? end, end) };
  }
}

/**
 * Fills an empty prompt and an empty reply of a turn or subagent from its model calls: the prompt from the input of the
 * first call, the reply from the last successful response. Agents that send only telemetry report prompts and replies
 * only in model calls.
 */
export function copyMessagesToAgentEvents(
  events: readonly FoldedEvent[],
  drafts: ReadonlyMap<string, EventDraft>,
  isJoined: IsJoined,
): void {
  const [first, last] = [new Map<string, FoldedEventRow>(), new Map<string, FoldedEventRow>()];
  const isLater = (row: FoldedEventRow, than: FoldedEventRow) =>
    row.timestamp > than.timestamp || (row.timestamp === than.timestamp && row.event_id > than.event_id);
  for (const { row, part } of events) {
    if (row.kind !== "llm" || row.parent_id === null) continue;
    if (!isJoined(part, drafts.get(row.parent_id)?.kept[0]?.part)) continue;
    const [earliest, latest] = [first.get(row.parent_id), last.get(row.parent_id)];
    if (!earliest || isLater(earliest, row)) first.set(row.parent_id, row);
    if (row.success && row.result !== "" && (!latest || isLater(row, latest))) last.set(row.parent_id, row);
  }
  for (const { row } of events) {
    if (row.kind !== "turn" && row.kind !== "subagent") continue;
    const { args, result } = drafts.get(row.event_id)?.facts ?? {};
    if (!args) row.args = first.get(row.event_id)?.args ?? row.args;
    if (!result && row.success) row.result = last.get(row.event_id)?.result ?? row.result;
  }
}
