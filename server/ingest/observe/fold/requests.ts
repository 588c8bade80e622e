import type { Draft } from "./facts.ts";
import { callIdOf } from "./ids.ts";
import { merge } from "./merge.ts";
import { inTime, takeNearest } from "./nearest.ts";

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
      takeIn(nearest, request);
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
    takeIn(span, each);
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

function takeIn({ id, draft }: Request, { draft: other }: Request): void {
  for (const each of other.kept) {
    each.event_id = id;
    draft.kept.push(each);
  }
  const facts = merge(draft.facts, other.facts);
  draft.facts = draft.facts.id === undefined ? facts : { ...facts, id: draft.facts.id };
}
