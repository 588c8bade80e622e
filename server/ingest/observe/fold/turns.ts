import { type EventRow, endOf } from "./event.ts";
import type { Draft } from "./facts.ts";
import type { FoldedEvent } from "./fold.ts";

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
