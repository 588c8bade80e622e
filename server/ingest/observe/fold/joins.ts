import { type EventRow, endOf } from "./event.ts";
import { type Draft, takeIn } from "./facts.ts";
import type { FoldedEvent } from "./fold.ts";
import { callIdOf } from "./ids.ts";
import { inTime, takeNearest } from "./traces.ts";

/** Reports of one request lie within this time. */
const NEAR_MS = 10_000;

/** A request, or a subagent, and the event that it makes. */
interface Request {
  id: string;
  draft: Draft;
  at: number;
}

/**
 * Joins the requests of a transcript with those of log records and spans, where a gateway gave them no id that both know:
 * they have one turn and the same tokens, and the nearest in time are one. The id of the transcript's event gives way.
 */
export function joinRequests(drafts: Map<string, Draft>): void {
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
    for (const request of filed.sort(inTime)) {
      const nearest = takeNearest(request, live, ({ at }) => Math.abs(at - request.at) <= NEAR_MS);
      if (!nearest) continue;
      drafts.delete(request.id);
      giveWay(request, nearest);
    }
  }
}

/** Reports whether all of an event was read in a transcript, or nothing of it; undefined for one of both. */
function isOfFile({ kept }: Draft): boolean | undefined {
  const filed = kept.filter(({ observation }) => observation.isTranscript).length;
  return filed === 0 || filed === kept.length ? filed > 0 : undefined;
}

/**
 * Joins the subagents of a transcript with those of spans that know no id of theirs: one call began both. Answers the
 * events that gave way, with those that took them in.
 */
export function joinSubagents(
  drafts: Map<string, Draft>,
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
    const call = facts.parentCall === undefined ? "" : callIdOf(session_id, facts.parentCall);
    const span = spans.get(call);
    if (!span) continue;
    spans.delete(call);
    drafts.delete(each.id);
    moved.set(each.id, span.id);
    giveWay(each, span);
  }
  return moved;
}

/** The identity of a request without an id. A failed one has no tokens, and none. */
function keyOf({ session_id, facts, isMatched }: Draft): string | undefined {
  const { kind, source, turn, usage } = facts;
  if (isMatched || kind !== "llm" || turn === undefined || usage?.outputTokens === undefined) return undefined;
  const { inputTokens, outputTokens, cacheReadTokens } = usage;
  return JSON.stringify([session_id, source, turn, inputTokens, outputTokens, cacheReadTokens ?? 0]);
}

/** The event of a file becomes part of the other, whose id stays where it has one. */
function giveWay({ draft }: Request, to: Request): void {
  const { id } = to.draft.facts;
  takeIn(to.draft, to.id, draft);
  if (id !== undefined) to.draft.facts = { ...to.draft.facts, id };
}

/** Reports whether what one part holds may change the events of another. */
type IsJoined = (part: string | undefined, other: string | undefined) => boolean;

/** Ends turns of which a call was the last: an agent may report no other end of them. */
export function endTurns(
  drafts: ReadonlyMap<string, Draft>,
  parents: ReadonlyMap<string, string | null>,
  isJoined: IsJoined,
): void {
  for (const [id, { facts, kept }] of drafts) {
    const end = facts.kind === "turn" ? undefined : endOf(facts);
    if (end === undefined || !kept.some(({ observation }) => observation.ends === "turn")) continue;
    const turn = drafts.get(parents.get(id) ?? "");
    if (turn?.facts.kind !== "turn" || !isJoined(kept[0]?.part, turn.kept[0]?.part)) continue;
    turn.facts = { ...turn.facts, ended: true, endedAt: Math.max(turn.facts.endedAt ?? end, end) };
  }
}

/**
 * Shows the input of an agent's first model call as its prompt, and the answer of its last one as its reply, where it has
 * none of its own: agents that send telemetry alone have them nowhere else.
 */
export function showMessages(
  events: readonly FoldedEvent[],
  drafts: ReadonlyMap<string, Draft>,
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
