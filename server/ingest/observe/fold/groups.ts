import { createHash } from "node:crypto";
import type { EventKind, Observation } from "../../../agents/observation.ts";
import { COMPACTION } from "../../../agents/observation.ts";
import { hasNoIds, isRequestWithoutId } from "../correlation.ts";
import { type EventDraft, type Facts, mergeFacts, type PlacedObservation } from "./facts.ts";
import { uuid5 } from "./ids.ts";

/** Kind of report about an event. Each source sends at most one report of each role per event. */
type Role = "before" | "after" | "log" | "span" | "transcript";

/** Report of one source about an event without an id. */
export interface EventReport {
  part_id: string;
  role: Role;
  at: number;
  facts: Facts;
}

/** Maximum time between reports of two sources about the same moment. */
const NEAR_MS = 10_000;
/** Number of characters of an input that are compared. A source may have truncated the rest. */
const INPUT_CHARS = 256;

/** Returns true if an event is identified by its content instead of an id. */
export function isMatched({ source, kind, name }: Pick<Observation, "source" | "kind" | "name">): boolean {
  if (hasNoIds(source)) return kind === "tool" || kind === "turn" || kind === "llm";
  return isRequestWithoutId({ source, kind }) || (kind === "other" && name === COMPACTION);
}

/** Normalizes the input by which equal calls are matched: JSON without white space; other text trimmed. */
export function normalizeInput(text: string | undefined): string {
  const input = text ?? "";
  try {
    return JSON.stringify(JSON.parse(input)).slice(0, INPUT_CHARS);
  } catch {
    return input.trim().slice(0, INPUT_CHARS);
  }
}

/** Returns the id of a group: equal calls of a session. */
function groupOf(sessionId: string, facts: Facts, input: string | undefined): string {
  const { kind, name, genericName } = facts;
  const known = kind === "llm" ? countsOf(facts) : input;
  return uuid5(sessionId, `${kind}\n${kind === "turn" ? "" : (name ?? genericName)}\n${known}`);
}

/**
 * Returns the identity of a model call. All sources report the same token counts, so the counts identify a successful
 * call. A failed call has no counts; the id and the error identify a failed call.
 */
const countsOf = ({ usage, id, error }: Facts): string =>
  usage ? `${usage.inputTokens}/${usage.outputTokens}` : `${id}/${error}`;

/** Returns the time by which a part is matched with other parts. */
function timeOf(role: Role, facts: Facts): number {
  const isEnd = role !== "before" && facts.kind !== "turn";
  const [start, end] = [facts.startedAt ?? facts.startSeen, facts.endedAt ?? facts.endSeen];
  return (role === "after" || isEnd ? (end ?? start) : (start ?? end)) ?? 0;
}

/** Returns the id of a part in its group, computed from the part's content. */
function partIdOf(groupId: string, role: Role, at: number, facts: Facts): string {
  const isTimed = facts.startSeen === undefined && facts.endSeen === undefined;
  // A transcript names each event, and later lines report more about the same event.
  if (role === "transcript" && facts.id !== undefined) return uuid5(groupId, `transcript ${facts.id}`);
  const known = { role, at: isTimed ? at : 0, id: facts.id, span: facts.span };
  const content = createHash("sha1")
    .update(JSON.stringify([known, facts.result?.text, facts.latency]))
    .digest("hex");
  return uuid5(groupId, content);
}

function roleOf({ isHook, isTranscript, span, ends, result }: Observation): Role {
  if (isTranscript) return "transcript";
  if (!isHook) return span === undefined ? "log" : "span";
  return ends !== undefined || result !== undefined ? "after" : "before";
}

/** Parts of one event, and the times of its start and end reports. */
interface Cluster<T> {
  parts: T[];
  first: number;
  end?: number;
}

/** Groups the parts of a group by event, in order of time. The result does not depend on the order of the parts. */
export function clusterParts<T extends EventReport>(parts: readonly T[], kind: EventKind): T[][] {
  const clusters: Cluster<T>[] = [];
  // At equal times, the start of a call comes before its end. Remaining ties are broken by id, so that the result
  // does not depend on the order of the parts.
  const began = (part: T) => Number(isBeginning(part, kind));
  const order = (a: T, b: T) => a.at - b.at || began(b) - began(a) || (a.part_id < b.part_id ? -1 : 1);
  for (const part of [...parts].sort(order)) {
    const begins = isBeginning(part, kind);
    const found = clusters.findLast((cluster) => takes(cluster, part, begins));
    if (found) add(found, part, begins);
    else clusters.push(add({ parts: [], first: part.at }, part, begins));
  }
  return clusters.map((cluster) => cluster.parts);
}

const isBeginning = ({ role }: EventReport, kind: EventKind): boolean =>
  role === "before" || (kind === "turn" && role !== "after");

function takes({ parts, first, end }: Cluster<EventReport>, part: EventReport, begins: boolean): boolean {
  if (parts.some(({ role }) => role === part.role)) return false;
  if (begins) return end === undefined && part.at - first <= NEAR_MS;
  return end === undefined || part.at - end <= NEAR_MS;
}

function add<T extends EventReport>(cluster: Cluster<T>, part: T, begins: boolean): Cluster<T> {
  cluster.parts.push(part);
  if (!begins) cluster.end ??= part.at;
  return cluster;
}

/** Matches reports without ids to events. Equal reports are one part, and parts of equal calls are matched by time. */
export function matchEvents(all: readonly (PlacedObservation & { facts: Facts })[]): [string, EventDraft][] {
  const groups = new Map<string, Map<string, EventReport & { kept: PlacedObservation[] }>>();
  for (const each of all) {
    const { observation, facts } = each;
    const id = groupOf(each.session_id, facts, observation.input);
    const group = groups.get(id) ?? new Map<string, EventReport & { kept: PlacedObservation[] }>();
    groups.set(id, group);
    const role = roleOf(observation);
    const at = timeOf(role, facts);
    const part_id = partIdOf(id, role, at, facts);
    const known = group.get(part_id);
    if (!known) group.set(part_id, { part_id, role, at, facts, kept: [each] });
    else {
      known.kept.push(each);
      known.facts = mergeFacts(known.facts, facts);
      // Uses the time of all reports of a part. The time of the first report alone would depend on the order of the
      // reports.
      known.at = timeOf(role, known.facts);
    }
  }
  return [...groups].flatMap(([id, group]) => {
    const parts = [...group.values()];
    return clusterParts(parts, parts[0]?.facts.kind ?? "tool").map((cluster, place): [string, EventDraft] => {
      const kept = cluster.flatMap((part) => part.kept);
      const facts = cluster.map((part) => part.facts).reduce(mergeFacts);
      return [uuid5(id, String(place)), { session_id: kept[0]?.session_id ?? "", facts, kept, isMatched: true }];
    });
  });
}
