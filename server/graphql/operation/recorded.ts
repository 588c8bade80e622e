import { noteRead, type RecordedRead } from "../../accounts/recorded-reads.ts";
import { weakMemoize } from "../../cache.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { catchUpRecentActions } from "../../resources/recorded/actions/store.ts";
import type { Scope } from "../../scope.ts";
import type { GraphQLRequest, Ready } from "../request.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Types that show what was recorded of people and agents, whichever of their fields is read. Counts of tools do not. */
export const RECORDINGS: ReadonlySet<string> = new Set([
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
export const RECORDED_FIELDS: ReadonlySet<string> = new Set(["Issue.handover", "InboxEntry.question"]);

/** Root fields that show one recording, or are an export: the entry names it. All others are named by the field. */
const NAMED: ReadonlyMap<string, (args: Arguments) => RecordedRead> = new Map<
  string,
  (args: Arguments) => RecordedRead
>([
  ["recordedSession", ({ id }) => ({ sessionId: String(id) })],
  ["recordedOutline", ({ sessionId }) => ({ sessionId: String(sessionId) })],
  ["recordedEvent", ({ id }) => ({ eventId: String(id) })],
  ["recordedUserExport", () => ({ exported: true })],
]);

/** A field, and the type that it is selected on; undefined for a root field. */
interface Step {
  parent: string | undefined;
  field: string;
}

const nameOf = ({ parent, field }: Step): string => (parent === undefined ? field : `${parent}.${field}`);

/**
 * Finds the fields by which a root field reaches recordings: `recordedSessions`, `Issue.sessions`. What is read of one
 * recording is not named again, but another session that it leads to is.
 */
export const recordedFields = weakMemoize((root: Selection): ReadonlySet<string> => {
  const found = new Set<string>();
  // `entry` is the field by which a recording was reached, as long as what is read belongs to it.
  const walk = (selection: Selection, at: Step, entry: string | undefined, inPage: boolean) => {
    const { type, children, variants, connection } = selection;
    if (selection.constant !== undefined) return;
    const isRecording = RECORDINGS.has(type);
    const isAnother = type === "RecordedSession" && at.parent !== "RecordedEvent";
    const own = isRecording ? ((isAnother ? undefined : entry) ?? nameOf(at)) : undefined;
    for (const child of children) {
      if (child.field === "__typename") continue;
      if (own !== undefined) found.add(own);
      const step = { parent: type, field: child.field };
      if (RECORDED_FIELDS.has(nameOf(step))) found.add(nameOf(step));
      // Entries of a page, and the types that a value may have, are reached by the field that they belong to.
      const isPart = variants || connection || (inPage && selection.field === "edges");
      walk(child, isPart ? at : step, isRecording ? own : isPart ? entry : undefined, connection);
    }
  };
  walk(root, { parent: undefined, field: root.field }, undefined, false);
  return found;
});

/** Notes for the audit log which recordings an operation that was answered has shown. */
export function noteReads(request: GraphQLRequest, { args }: Ready, roots: readonly Selection[]): void {
  for (const root of roots) {
    for (const list of recordedFields(root)) {
      const read = (list === root.field && NAMED.get(list)?.(argsOf(root, args))) || { list };
      noteRead(request.runtime, request.principal, read);
    }
  }
}

/** Tells whether a table holds what is made of observations of hooks and telemetry. */
const isRecorded = (table: string): boolean => table.startsWith("recorded_");

/**
 * Has what was recorded before a request made into events before it reads some tables: whoever records and then reads
 * sees it. Actions of the last minutes are derived too. After a second the request reads what there is, and its answer says so.
 */
export async function awaitRecorded(
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
