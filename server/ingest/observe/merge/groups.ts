import type { Redactor } from "../../../redaction/index.ts";
import { MAX_PARTS } from "../../rules/bounds.ts";
import type { Batch, KeptObservation } from "../batch.ts";
import type { Observation } from "../observation.ts";
import type { GroupedPart, GroupedTelling } from "../store/part-rows.ts";
import { clustersOf, eventIdInGroup, groupOf, isMatched, partOf } from "./cluster.ts";
import { merge } from "./merge.ts";

/** An event that is found by its content, and the part of it that was reported. */
export interface Grouped {
  kept: KeptObservation;
  part: GroupedPart;
}

/** An event of a group whose parts are others than they were, or know more. */
interface Changed {
  event_id: string;
  parts: readonly GroupedTelling[];
}

/** The result of matching new parts with those that are known. */
export interface Matched {
  fresh: readonly Grouped[];
  changed: readonly Changed[];
  /** Known parts of those events. */
  needed: readonly GroupedTelling[];
}

/** Those of a batch that have no id to go by. `sent`: what came, before anything was left out of its args. */
export function grouped(
  kept: readonly KeptObservation[],
  sent: readonly Observation[],
  { digest }: Pick<Redactor, "digest">,
): Grouped[] {
  return kept.flatMap((each) => {
    const { facts, session_id, observation, index } = each;
    if (!facts || !isMatched(facts)) return [];
    const group_id = groupOf(session_id, facts, sent[index]?.args?.text, digest);
    return [{ kept: each, part: { ...partOf(group_id, observation, facts), session_id, group_id } }];
  });
}

const FULL = `is one of more than ${MAX_PARTS} parts of equal calls without an id, which are all that a session tells apart`;

/** Leaves out what is new in groups that are full, with the reason why by its place in what was sent. */
export function withinBounds(
  known: readonly GroupedTelling[],
  fresh: readonly Grouped[],
  rejected: Map<number, string>,
): Grouped[] {
  const members = new Map(
    [...byGroup(known)].map(([group, parts]) => [group, new Set(parts.map(({ part_id }) => part_id))]),
  );
  return fresh.filter(({ kept, part: { group_id, part_id } }) => {
    const ids = members.get(group_id) ?? new Set();
    members.set(group_id, ids);
    if (ids.has(part_id) || ids.size < MAX_PARTS) return ids.add(part_id);
    rejected.set(kept.index, FULL);
    kept.facts = null;
    return false;
  });
}

/** Matches parts, known and new ones, to events. Events whose parts now all belong to others are removed. */
export function matchGroups(batch: Batch, known: readonly GroupedTelling[], fresh: readonly Grouped[]): Matched {
  const kept = new Map(fresh.map(({ part }) => [part.part_id, part]));
  const stored = byGroup(known);
  const isStored = new Set(known.map(({ part_id }) => part_id));
  const changed: Changed[] = [];
  for (const [group, parts] of byGroup([...kept.values()])) {
    const before = stored.get(group) ?? [];
    const { kind } = (parts[0] as GroupedPart).facts;
    const was = clustersOf(before, kind);
    const is = clustersOf([...before, ...parts.filter(({ part_id }) => !isStored.has(part_id))], kind);
    for (const [place, cluster] of is.entries()) {
      if (idsOf(cluster) === idsOf(was[place] ?? []) && !cluster.some(({ part_id }) => kept.has(part_id))) continue;
      changed.push({ event_id: eventIdInGroup(group, place), parts: cluster });
    }
    for (let place = is.length; place < was.length; place += 1) batch.gone.set(eventIdInGroup(group, place), null);
  }
  const needed = changed.flatMap(({ parts }) => parts.filter(({ part_id }) => isStored.has(part_id)));
  return { fresh, changed, needed };
}

/** The states of changed events take the place of those that were. Answers the parts that are new or know more. */
export function applyGroups(batch: Batch, { fresh, changed }: Matched, known: readonly GroupedPart[]): GroupedPart[] {
  const parts = new Map(known.map((part) => [part.part_id, part]));
  for (const { part } of fresh) {
    const same = parts.get(part.part_id);
    parts.set(part.part_id, same ? { ...same, facts: merge(same.facts, part.facts) } : part);
  }
  const events = new Map<string, string>();
  for (const { event_id, parts: own } of changed) {
    const whole = own.flatMap(({ part_id }) => parts.get(part_id) ?? []);
    for (const { part_id } of whole) events.set(part_id, event_id);
    batch.next.set(event_id, {
      session_id: whole[0]?.session_id ?? "",
      facts: whole.map(({ facts }) => facts).reduce(merge),
    });
  }
  for (const { kept, part } of fresh) kept.event_id = events.get(part.part_id) ?? null;
  // Alike to the millisecond, two of a batch are one part, and a statement writes a row once.
  const kept = new Set(fresh.map(({ part }) => part.part_id));
  return [...parts.values()].filter(({ part_id }) => kept.has(part_id));
}

const idsOf = (parts: readonly GroupedTelling[]): string => parts.map(({ part_id }) => part_id).join();

function byGroup<T extends GroupedTelling>(parts: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const part of parts) {
    const members = groups.get(part.group_id) ?? [];
    members.push(part);
    groups.set(part.group_id, members);
  }
  return groups;
}
