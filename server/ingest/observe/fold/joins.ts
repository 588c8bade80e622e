import { type EventRow, eventEnd } from "./event.ts";
import { type EventDraft, mergeDraft } from "./facts.ts";
import type { FoldedEvent } from "./fold.ts";
import { toCallId } from "./ids.ts";
import { compareByTime, takeNearest } from "./traces.ts";

/** Maximum time between reports of one model call. */
const NEAR_MS = 10_000;

/** Model call or subagent, and its event. */
interface Request {
  id: string;
  draft: EventDraft;
  at: number;
}

/**
 * Joins the model calls of a transcript with those of log records and spans, where a gateway left no id that both
 * contain. Calls match if they share the turn and the token counts; the nearest in time are joined. The transcript's
 * event takes the id of the other event.
 */
export function joinRequests(drafts: Map<string, EventDraft>): void {
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
 * Joins the subagents of a transcript with those of spans that lack the subagent's id. Both must have been started by
 * the same call. Returns the ids of the removed events with the ids of the events that replace them.
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

/** Ends turns whose last report is the end of a call. Some agents report no other end of a turn. */
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
 * Copies the input of an agent's first model call to its prompt, and the response of its last model call to its reply,
 * if the agent's event has none. Agents that send only telemetry report prompts and replies nowhere else.
 */
export function showMessages(
  events: readonly FoldedEvent[],
  drafts: ReadonlyMap<string, EventDraft>,
  isJoined: IsJoined,
): void {
  const [first, last] = [new Map<string, EventRow>(), new Map<string, EventRow>()];
  const isLater = (row: EventRow, than: EventRow) =>
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
