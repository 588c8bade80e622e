import { builtConcurrently } from "./concurrently.ts";
import type { Migration } from "./index.ts";

/** Links that lead nowhere in most rows: an index of the others is all that is asked for. */
const SPARSE = ["assigneeId", "creatorId", "parentId", "projectId", "cycleId"].flatMap((by) =>
  ["createdAt", "updatedAt"].map((order) => ({
    name: `issue_${by.toLowerCase()}_${order.slice(0, 7)}`,
    table: "issue",
    by,
    order,
  })),
);
const COMMENTS = ["projectId", "parentId"].map((by) => ({
  name: `comment_${by.toLowerCase()}`,
  table: "comment",
  by,
  order: "createdAt",
}));

/** Indexes without the rows that have no value, and those from which the progress of projects and cycles is counted. */
export const lean: Migration = {
  id: "0025-lean",
  statements: [
    ...[...SPARSE, ...COMMENTS].flatMap(({ name, table, by, order }) => [
      ...builtConcurrently(
        `${name}_set`,
        `${table} ("organizationId", "${by}", "${order}", id) where "${by}" is not null`,
      ),
      `drop index concurrently if exists ${name}`,
    ]),
    ...["projectId", "cycleId"].flatMap((by) =>
      builtConcurrently(
        `issue_${by.toLowerCase()}_progress`,
        `issue ("organizationId", "${by}", "stateType", "teamId")
          where "${by}" is not null and "archivedAt" is null and trashed is not true`,
      ),
    ),
  ],
};
