import { nullable } from "../../read/entity.ts";
import type { ColumnValues } from "../../write/rows.ts";
import { BASE_COLUMNS } from "../fields.ts";

/** Columns of an issue that clients may read. */
export const columns = {
  ...BASE_COLUMNS,
  teamId: "uuid",
  number: "integer",
  title: "text",
  description: nullable("text"),
  priority: "integer",
  estimate: nullable("integer"),
  sortOrder: "float",
  stateId: "uuid",
  assigneeId: nullable("uuid"),
  delegateId: nullable("uuid"),
  creatorId: nullable("uuid"),
  externalUserCreatorId: nullable("uuid"),
  externalUserAssigneeId: nullable("uuid"),
  parentId: nullable("uuid"),
  projectId: nullable("uuid"),
  projectMilestoneId: nullable("uuid"),
  cycleId: nullable("uuid"),
  dueDate: nullable("date"),
  previousIdentifiers: "text[]",
  startedAt: nullable("timestamp"),
  completedAt: nullable("timestamp"),
  canceledAt: nullable("timestamp"),
  trashed: nullable("boolean"),
} as const;

/** Columns that only the server reads. */
export const internal = {
  stateType: "text",
  openBlockers: "integer",
  unblocks: "integer",
  leased: "boolean",
  fence: "integer",
  labelSet: "text",
} as const;

declare module "../../write/rows.ts" {
  interface Rows {
    Issue: {
      stored: ColumnValues<typeof columns & typeof internal>;
      loaded: { identifier: string; labelIds: string[]; holderId: string | null; trippedBy: string | null };
    };
  }
}
