import { createHash } from "node:crypto";
import type { Facts } from "../facts.ts";
import { uuid5 } from "../ids.ts";
import type { EventKind, Observation } from "../observation.ts";

/** Agents that give a call or a turn no id in one of their ways: their parts meet by name, input and time. */
const WITHOUT_IDS: ReadonlySet<string> = new Set(["gemini-cli"]);

/** The source of a part of an event. Each source reports a part of it at most once. */
type Role = "before" | "after" | "log" | "span";

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

/** Reports whether an event is found by its content instead of by its id. */
export const isMatched = ({ source, kind }: Pick<Facts, "source" | "kind">): boolean =>
  WITHOUT_IDS.has(source) && (kind === "tool" || kind === "turn" || kind === "llm");

/** Reports whether a turn is found by its time. */
export const isPlacedByTime = ({ source }: Pick<Facts, "source">): boolean => WITHOUT_IDS.has(source);

/** The group that a part belongs to: equal calls of a session. `input` is what was sent, before anything is left out. */
export const groupOf = (
  sessionId: string,
  facts: Facts,
  input: string | undefined,
  digest: (text: string) => string,
): string => {
  const { kind, name, genericName } = facts;
  const known = kind === "llm" ? countsOf(facts) : digest(compact(input ?? "").slice(0, INPUT_CHARS));
  return uuid5(sessionId, `${kind}\n${kind === "turn" ? "" : (name ?? genericName)}\n${known}`);
};

/** The identity of a model's request: its tokens, which all sources count alike. A failed request has none. */
const countsOf = ({ usage, id, error }: Facts): string =>
  usage ? `${usage.inputTokens}/${usage.outputTokens}` : `${id}/${error}`;

/** JSON without its white space; other text as it is. */
function compact(input: string): string {
  try {
    return JSON.stringify(JSON.parse(input));
  } catch {
    return input.trim();
  }
}

/** The part that an observation reports. */
export function partOf(groupId: string, observation: Observation, facts: Facts): Part {
  const role = roleOf(observation);
  const isEnd = role !== "before" && facts.kind !== "turn";
  const [start, end] = [facts.startedAt ?? facts.startSeen, facts.endedAt ?? facts.endSeen];
  const at = (role === "after" || isEnd ? (end ?? start) : (start ?? end)) ?? 0;
  return { part_id: partIdOf(groupId, { role, at, facts }), role, at, facts };
}

/** The id of a part in its group: that of its content. */
export function partIdOf(groupId: string, { role, at, facts }: Omit<Part, "part_id">): string {
  const isTimed = facts.startSeen === undefined && facts.endSeen === undefined;
  const known = { role, at: isTimed ? at : 0, id: facts.id, span: facts.span };
  const content = createHash("sha1")
    .update(JSON.stringify([known, facts.result?.text, facts.latency]))
    .digest("hex");
  return uuid5(groupId, content);
}

function roleOf({ isHook, span, ends, result }: Observation): Role {
  if (!isHook) return span === undefined ? "log" : "span";
  return ends !== undefined || result !== undefined ? "after" : "before";
}

/** A part, without its content. */
export type Telling = Pick<Part, "part_id" | "role" | "at">;

/** The parts of one event, and the times of the reports of its beginning and its end. */
interface Cluster<T> {
  parts: T[];
  first: number;
  end?: number;
}

/** The parts of a group by the events that they make, in order of time; the same for parts in any order. */
export function clustersOf<T extends Telling>(parts: readonly T[], kind: EventKind): T[][] {
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

const isBeginning = ({ role }: Telling, kind: EventKind): boolean =>
  role === "before" || (kind === "turn" && role !== "after");

function takes({ parts, first, end }: Cluster<Telling>, part: Telling, begins: boolean): boolean {
  if (parts.some(({ role }) => role === part.role)) return false;
  if (begins) return end === undefined && part.at - first <= NEAR_MS;
  return end === undefined || part.at - end <= NEAR_MS;
}

function add<T extends Telling>(cluster: Cluster<T>, part: T, begins: boolean): Cluster<T> {
  cluster.parts.push(part);
  if (!begins) cluster.end ??= part.at;
  return cluster;
}

/** The id of the event that is so many-th of its group. */
export const eventIdInGroup = (groupId: string, place: number): string => uuid5(groupId, String(place));
