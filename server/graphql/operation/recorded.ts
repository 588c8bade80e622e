import { queueRecordedReadAudit, type RecordedRead } from "../../accounts/recorded-reads.ts";
import { weakMemoize } from "../../cache.ts";
import { type Selection, selectedArguments } from "../../read/selection.ts";
import { catchUpRecentActions } from "../../resources/recorded/actions/store.ts";
import type { Scope } from "../../scope.ts";
import type { GraphQLRequest, ReadyOperation } from "../request.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Types whose fields show recordings of people and agents. Tool statistics are not included. */
export const RECORDING_TYPE_NAMES: ReadonlySet<string> = new Set([
  ...["RecordedSession", "RecordedBrief", "RecordedOutline", "RecordedEvent", "RecordedCheckpoint"],
  ...[
    "RecordedUser",
    "RecordedUserExport",
    "RecordedSearch",
    "RecordedHit",
    "RecordedFile",
    "RecordedFileChange",
    "RecordedCommit",
  ],
  ...["RecordedFailureGroup", "RecordedFailureExample", "RecordedFailureStep"],
  ...["RecordedFailureComparison", "RecordedFailureDifference", "RecordedToolFailureGroup", "ConcurrentChange"],
]);

/** Fields of other types that show recorded text. */
export const RECORDED_TEXT_FIELD_NAMES: ReadonlySet<string> = new Set(["Issue.handover", "InboxEntry.question"]);

/**
 * Root fields that show one recording or an export. For these fields, the audit entry contains the id or the export.
 * For all other reads, the entry contains the name of the field.
 */
const NAMED: ReadonlyMap<string, (args: Arguments) => RecordedRead> = new Map<
  string,
  (args: Arguments) => RecordedRead
>([
  ["recordedSession", ({ id }) => ({ sessionId: String(id) })],
  ["recordedOutline", ({ sessionId }) => ({ sessionId: String(sessionId) })],
  ["recordedEvent", ({ id }) => ({ eventId: String(id) })],
  ["recordedUserExport", () => ({ exported: true })],
]);

/** A selected field, and its parent type. `parent` is undefined for a root field. */
interface Step {
  parent: string | undefined;
  field: string;
}

const nameOf = ({ parent, field }: Step): string => (parent === undefined ? field : `${parent}.${field}`);

/**
 * Returns the fields through which a root field reaches recordings, such as `recordedSessions` or `Issue.sessions`. A
 * field within a recording is not returned, unless the field links to another session.
 */
export const findRecordingFields = weakMemoize((root: Selection): ReadonlySet<string> => {
  const found = new Set<string>();
  // `entry` is the field through which the selection reached the current recording.
  const walk = (selection: Selection, at: Step, entry: string | undefined, inPage: boolean) => {
    const { type, children, variants, connection } = selection;
    if (selection.constant !== undefined) return;
    const isRecording = RECORDING_TYPE_NAMES.has(type);
    const isAnother = type === "RecordedSession" && at.parent !== "RecordedEvent";
    const own = isRecording ? ((isAnother ? undefined : entry) ?? nameOf(at)) : undefined;
    for (const child of children) {
      if (child.field === "__typename") continue;
      if (own !== undefined) found.add(own);
      const step = { parent: type, field: child.field };
      if (RECORDED_TEXT_FIELD_NAMES.has(nameOf(step))) found.add(nameOf(step));
      // The entries of a page and the possible types of a value belong to the field that returns the page or value. The
      // selection of entries or of a possible type is not a separate step.
      const isPart = variants || connection || (inPage && selection.field === "edges");
      walk(child, isPart ? at : step, isRecording ? own : isPart ? entry : undefined, connection);
    }
  };
  walk(root, { parent: undefined, field: root.field }, undefined, false);
  return found;
});

/** Records in the audit log which recordings an operation returned. */
export function auditRecordedReads(
  request: GraphQLRequest,
  { args }: ReadyOperation,
  roots: readonly Selection[],
): void {
  for (const root of roots) {
    for (const list of findRecordingFields(root)) {
      const read = (list === root.field && NAMED.get(list)?.(selectedArguments(root, args))) || { list };
      queueRecordedReadAudit(request.runtime, request.principal, read);
    }
  }
}

/**
 * Returns true if a table contains recorded data. The content of these tables may depend on observations that are not
 * folded into events yet.
 */
const isRecorded = (table: string): boolean => table.startsWith("recorded_");

/**
 * If the request reads recorded tables, waits until observations received before the request are folded into events. A
 * client that records and then reads therefore sees its own data. If the request reads actions, also waits for actions
 * of the last minutes. After a second, the request reads the existing data, and the response reports `behind`.
 */
export async function awaitFoldedRecordings(
  request: GraphQLRequest,
  { organizationId }: Pick<Scope, "organizationId">,
  tables: readonly string[],
): Promise<void> {
  if (!tables.some(isRecorded)) return;
  const { projector, db } = request.runtime;
  if (!(await projector.catchUp(organizationId))) request.isBehind = true;
  if (!tables.includes("recorded_action")) return;
  if (!(await catchUpRecentActions(db, organizationId))) request.isBehind = true;
}
