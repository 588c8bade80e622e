import { readOwn } from "../../../formats/own.ts";
import { noteRead, type RecordedRead } from "../../accounts/recorded-reads.ts";
import { argsOf, type Selection } from "../../read/selection.ts";
import { catchUpRecentActions } from "../../resources/recorded/actions/store.ts";
import type { Scope } from "../../scope.ts";
import type { GraphQLRequest, Ready } from "../request.ts";

type Arguments = Readonly<Record<string, unknown>>;

const list = (field: string) => (): RecordedRead => ({ list: field });

/** The root fields that show recordings. Counts of tools say nothing of a person, and are left out. */
export const READS: Readonly<Record<string, (args: Arguments) => RecordedRead>> = {
  recordedSession: ({ id }) => ({ sessionId: String(id) }),
  recordedOutline: ({ sessionId }) => ({ sessionId: String(sessionId) }),
  recordedEvent: ({ id }) => ({ eventId: String(id) }),
  recordedUserExport: () => ({ exported: true }),
  ...Object.fromEntries(
    [
      ...["recordedSessions", "recordedSessionsExpiring", "recordedUsers", "recordedSearch"],
      ...[
        "recordedFailureGroup",
        "recordedFailureGroups",
        "recordedFailureComparison",
        "recordedFiles",
        "recordedCommits",
      ],
    ].map((field) => [field, list(field)]),
  ),
};

/** Notes for the audit log which recordings a query that was answered has shown. */
export function noteReads(request: GraphQLRequest, { args }: Ready, roots: readonly Selection[]): void {
  for (const root of roots) {
    const read = readOwn(READS, root.field)?.(argsOf(root, args));
    if (read) noteRead(request.runtime, request.principal, read);
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
