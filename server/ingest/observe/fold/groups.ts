import { createHash } from "node:crypto";
import type { EventKind, Observation } from "../../../agents/observation.ts";
import { COMPACTION } from "../../../agents/observation.ts";
import { isRequestWithoutId, isSourceWithoutIds } from "../correlation.ts";
import { type EventDraft, type EventFacts, mergeFacts, type PlacedObservation } from "./facts.ts";
import { uuid5 } from "./ids.ts";

/**
 * Role of a report: which source sent the report, and at which stage of the event. A source sends at most one report of
 * each role per event.
 */
type Role = "before" | "after" | "log" | "span" | "transcript";

/** Report about an event that has no id. Identical reports are merged into one. */
export interface ReportWithoutId {
  part_id: string;
  role: Role;
  at: number;
  facts: EventFacts;
}

/** Maximum time in ms between two sources' reports of the same start or the same end. */
const NEAR_MS = 10_000;
/**
 * Number of characters of an input that are compared. Only the beginning is compared, because a source may have
 * truncated the rest.
 */
const INPUT_CHARS = 256;

/** Returns true if reports of an event are matched by content, because they have no common id. */
export function isMatchedByContent({ source, kind, name }: Pick<Observation, "source" | "kind" | "name">): boolean {
  if (isSourceWithoutIds(source)) return kind === "tool" || kind === "turn" || kind === "llm";
  return isRequestWithoutId({ source, kind }) || (kind === "other" && name === COMPACTION);
}

/**
 * Normalizes an input, so that the inputs of equal calls compare as equal. Removes white space from JSON, and trims
 * other text.
 */
export function normalizeInput(text: string | undefined): string {
  const input = text ?? "";
  try {
    return JSON.stringify(JSON.parse(input)).slice(0, INPUT_CHARS);
  } catch {
    return input.trim().slice(0, INPUT_CHARS);
  }
}

/** Returns the id of a group. A group contains the reports of all equal calls in a session. */
function groupOf(sessionId: string, facts: EventFacts, input: string | undefined): string {
  const { kind, name, genericName } = facts;
  const known = kind === "llm" ? countsOf(facts) : input;
  return uuid5(sessionId, `${kind}\n${kind === "turn" ? "" : (name ?? genericName)}\n${known}`);
}

/**
 * Returns the values that identify a model call. A successful call is identified by its token counts, because all
 * sources report the same counts. A failed call has no counts, so its id and its error identify the call.
 */
const countsOf = ({ usage, id, error }: EventFacts): string =>
  usage ? `${usage.inputTokens}/${usage.outputTokens}` : `${id}/${error}`;

/** Returns the time of a report. Reports of the same event are matched by this time. */
function timeOf(role: Role, facts: EventFacts): number {
  const isEnd = role !== "before" && facts.kind !== "turn";
  const [start, end] = [facts.startedAt ?? facts.startSeen, facts.endedAt ?? facts.endSeen];
  return (role === "after" || isEnd ? (end ?? start) : (start ?? end)) ?? 0;
}

/** Returns the id of a report within its group. The id is computed from the report's content. */
function partIdOf(groupId: string, role: Role, at: number, facts: EventFacts): string {
  const isTimed = facts.startSeen === undefined && facts.endSeen === undefined;
  // A transcript contains an id for each event. Later lines of the transcript add to the same report.
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

/**
 * Reports that belong to the same event, with the time of the first report and the time of the first report of the end.
 */
interface Cluster<T> {
  parts: T[];
  first: number;
  end?: number;
}

/**
 * Divides the reports of equal calls into one list per event, by time. The result does not depend on the order of the
 * reports.
 */
export function groupReportsByEvent<T extends ReportWithoutId>(parts: readonly T[], kind: EventKind): T[][] {
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

const isBeginning = ({ role }: ReportWithoutId, kind: EventKind): boolean =>
  role === "before" || (kind === "turn" && role !== "after");

function takes({ parts, first, end }: Cluster<ReportWithoutId>, part: ReportWithoutId, begins: boolean): boolean {
  if (parts.some(({ role }) => role === part.role)) return false;
  if (begins) return end === undefined && part.at - first <= NEAR_MS;
  return end === undefined || part.at - end <= NEAR_MS;
}

function add<T extends ReportWithoutId>(cluster: Cluster<T>, part: T, begins: boolean): Cluster<T> {
  cluster.parts.push(part);
  if (!begins) cluster.end ??= part.at;
  return cluster;
}

/**
 * Assigns reports without ids to events. Identical reports are merged. The remaining reports of equal calls are
 * assigned to events by time.
 */
export function matchReportsToEvents(
  all: readonly (PlacedObservation & { facts: EventFacts })[],
): [string, EventDraft][] {
  const groups = new Map<string, Map<string, ReportWithoutId & { kept: PlacedObservation[] }>>();
  for (const each of all) {
    const { observation, facts } = each;
    const id = groupOf(each.session_id, facts, observation.input);
    const group = groups.get(id) ?? new Map<string, ReportWithoutId & { kept: PlacedObservation[] }>();
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
    return groupReportsByEvent(parts, parts[0]?.facts.kind ?? "tool").map((cluster, place): [string, EventDraft] => {
      const kept = cluster.flatMap((part) => part.kept);
      const facts = cluster.map((part) => part.facts).reduce(mergeFacts);
      return [uuid5(id, String(place)), { session_id: kept[0]?.session_id ?? "", facts, kept, isMatched: true }];
    });
  });
}
