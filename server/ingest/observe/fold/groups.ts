import { createHash } from "node:crypto";
import { hasNoIds, isRequestWithoutId } from "../correlation.ts";
import type { EventKind, Observation } from "../observation.ts";
import { type Draft, type Facts, type Kept, merge } from "./facts.ts";
import { uuid5 } from "./ids.ts";

/** The source of a part of an event. Each source reports a part of it at most once. */
type Role = "before" | "after" | "log" | "span" | "transcript";

/** The report of one source about an event that has no id. */
export interface Part {
  part_id: string;
  role: Role;
  at: number;
  facts: Facts;
}

/** Reports of two sources about the same moment lie within this time. */
const NEAR_MS = 10_000;
/** Characters of an input that are compared: a source may have cut the rest. */
const INPUT_CHARS = 256;

/** The name of a compaction, which has no id in any report. */
export const COMPACTION = "compaction";

/** Reports whether an event is found by its content instead of by its id. */
export function isMatched({ source, kind, name }: Pick<Observation, "source" | "kind" | "name">): boolean {
  if (hasNoIds(source)) return kind === "tool" || kind === "turn" || kind === "llm";
  return isRequestWithoutId({ source, kind }) || (kind === "other" && name === COMPACTION);
}

/** The input by which equal calls are known, as it was sent: JSON without its white space, other text as it is. */
export function inputOf(text: string | undefined): string {
  const input = text ?? "";
  try {
    return JSON.stringify(JSON.parse(input)).slice(0, INPUT_CHARS);
  } catch {
    return input.trim().slice(0, INPUT_CHARS);
  }
}

/** The group that a part belongs to: equal calls of a session. */
function groupOf(sessionId: string, facts: Facts, input: string | undefined): string {
  const { kind, name, genericName } = facts;
  const known = kind === "llm" ? countsOf(facts) : input;
  return uuid5(sessionId, `${kind}\n${kind === "turn" ? "" : (name ?? genericName)}\n${known}`);
}

/** The identity of a model's request: its tokens, which all sources count alike. A failed request has none. */
const countsOf = ({ usage, id, error }: Facts): string =>
  usage ? `${usage.inputTokens}/${usage.outputTokens}` : `${id}/${error}`;

/** The moment by which a part meets others. */
function timeOf(role: Role, facts: Facts): number {
  const isEnd = role !== "before" && facts.kind !== "turn";
  const [start, end] = [facts.startedAt ?? facts.startSeen, facts.endedAt ?? facts.endSeen];
  return (role === "after" || isEnd ? (end ?? start) : (start ?? end)) ?? 0;
}

/** The id of a part in its group: that of its content. */
function partIdOf(groupId: string, role: Role, at: number, facts: Facts): string {
  const isTimed = facts.startSeen === undefined && facts.endSeen === undefined;
  // A transcript names each event, and tells more of it the further it goes.
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

/** The parts of one event, and the times of the reports of its beginning and its end. */
interface Cluster<T> {
  parts: T[];
  first: number;
  end?: number;
}

/** The parts of a group by the events that they make, in order of time; the same for parts in any order. */
export function clustersOf<T extends Part>(parts: readonly T[], kind: EventKind): T[][] {
  const clusters: Cluster<T>[] = [];
  // Within one millisecond a call begins before it ends; what is left goes by the id, so that any order gives the same.
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

const isBeginning = ({ role }: Part, kind: EventKind): boolean =>
  role === "before" || (kind === "turn" && role !== "after");

function takes({ parts, first, end }: Cluster<Part>, part: Part, begins: boolean): boolean {
  if (parts.some(({ role }) => role === part.role)) return false;
  if (begins) return end === undefined && part.at - first <= NEAR_MS;
  return end === undefined || part.at - end <= NEAR_MS;
}

function add<T extends Part>(cluster: Cluster<T>, part: T, begins: boolean): Cluster<T> {
  cluster.parts.push(part);
  if (!begins) cluster.end ??= part.at;
  return cluster;
}

/** Matches reports that have no id to events: equal ones are one part, and parts of equal calls meet by their time. */
export function matchedEvents(all: readonly (Kept & { facts: Facts })[]): [string, Draft][] {
  const groups = new Map<string, Map<string, Part & { kept: Kept[] }>>();
  for (const each of all) {
    const { observation, facts } = each;
    const id = groupOf(each.session_id, facts, observation.input);
    const group = groups.get(id) ?? new Map<string, Part & { kept: Kept[] }>();
    groups.set(id, group);
    const role = roleOf(observation);
    const at = timeOf(role, facts);
    const part_id = partIdOf(id, role, at, facts);
    const known = group.get(part_id);
    if (!known) group.set(part_id, { part_id, role, at, facts, kept: [each] });
    else {
      known.kept.push(each);
      known.facts = merge(known.facts, facts);
      // The time of all reports of a part: that of the first would depend on their order.
      known.at = timeOf(role, known.facts);
    }
  }
  return [...groups].flatMap(([id, group]) => {
    const parts = [...group.values()];
    return clustersOf(parts, parts[0]?.facts.kind ?? "tool").map((cluster, place): [string, Draft] => {
      const kept = cluster.flatMap((part) => part.kept);
      const facts = cluster.map((part) => part.facts).reduce(merge);
      return [uuid5(id, String(place)), { session_id: kept[0]?.session_id ?? "", facts, kept, isMatched: true }];
    });
  });
}
