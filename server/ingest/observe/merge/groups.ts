import type { Batch, Told } from "../batch.ts";
import type { Observation } from "../observation.ts";
import type { GroupedPart } from "../store/part-rows.ts";
import { eventIdInGroup, eventsOf, groupOf, isMatched, partOf } from "./cluster.ts";
import { merge } from "./merge.ts";

/** An event that is found by what it is, and the part of it that was told. */
interface Grouped {
  told: Told;
  part: GroupedPart;
}

/** Those of a batch that have no id to go by. `sent`: what came, before anything was left out of its args. */
export function grouped(told: readonly Told[], sent: readonly Observation[]): Grouped[] {
  return told.flatMap((each) => {
    const { facts, session_id, observation, index } = each;
    if (!facts || !isMatched(facts)) return [];
    const group_id = groupOf(session_id, facts, sent[index]?.args?.text ?? "");
    return [{ told: each, part: { ...partOf(group_id, observation, facts), session_id, group_id } }];
  });
}

/** Matches parts, known and new ones; the states of their events take the place of those that were. */
export function matchGroups(batch: Batch, known: readonly GroupedPart[], fresh: readonly Grouped[]): GroupedPart[] {
  const parts = new Map(known.map((part) => [part.part_id, part]));
  const before = countEvents(known);
  for (const { part } of fresh) {
    const same = parts.get(part.part_id);
    parts.set(part.part_id, same ? { ...same, facts: merge(same.facts, part.facts) } : part);
  }
  const ids = new Map<string, string>();
  for (const [group, members] of byGroup([...parts.values()])) {
    const events = eventsOf(members);
    for (const [place, { facts, parts: own }] of events.entries()) {
      const id = eventIdInGroup(group, place);
      batch.next.set(id, { session_id: members[0]?.session_id ?? "", facts });
      for (const { part_id } of own) ids.set(part_id, id);
    }
    for (let place = events.length; place < (before.get(group) ?? 0); place += 1) {
      batch.gone.set(eventIdInGroup(group, place), null);
    }
  }
  for (const { told, part } of fresh) told.event_id = ids.get(part.part_id) ?? null;
  // Alike to the millisecond, two of a batch are one part, and a statement writes a row once.
  const changed = new Set(fresh.map(({ part }) => part.part_id));
  return [...parts.values()].filter(({ part_id }) => changed.has(part_id));
}

const countEvents = (parts: readonly GroupedPart[]): Map<string, number> =>
  new Map([...byGroup(parts)].map(([group, members]) => [group, eventsOf(members).length]));

function byGroup(parts: readonly GroupedPart[]): Map<string, GroupedPart[]> {
  const groups = new Map<string, GroupedPart[]>();
  for (const part of parts) groups.set(part.group_id, [...(groups.get(part.group_id) ?? []), part]);
  return groups;
}
