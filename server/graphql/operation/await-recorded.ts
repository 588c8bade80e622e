import { catchUpRecentActions } from "../../resources/recorded/actions/catch-up.ts";
import type { Scope } from "../../scope.ts";
import type { GraphQLRequest } from "../request.ts";

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
