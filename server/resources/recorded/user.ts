import { columnSql } from "../../read/row.ts";
import type { Resource } from "../resource.ts";
import { deletionMutations } from "./deletion/mutations.ts";
import { jsonKeyConditionSql } from "./key.ts";

/** An end user, as recorded by ingestion. */
export const recordedUserResource: Resource = {
  entity: {
    name: "RecordedUser",
    table: "recorded_user",
    exact: ["id"],
    columns: { id: "text", traits: "json", firstSeenAt: "timestamp" },
    names: {
      organizationId: "organization_id",
      id: "user_id",
      firstSeenAt: "first_seen_at",
      createdAt: "first_seen_at",
    },
    filters: { traits: (row, argument) => jsonKeyConditionSql(columnSql(row, "traits"), row, argument) },
    tuning: { few: true, long: { traits: 128 * 1024 } },
    many: { sessions: { entity: "RecordedSession", by: "userId" } },
  },
  many: { recordedUsers: { entity: "RecordedUser" } },
  mutations: deletionMutations.user,
};
