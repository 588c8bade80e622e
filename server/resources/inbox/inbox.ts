import type { SqlRow } from "../../read/entity.ts";
import { comparison } from "../../read/filter/compare.ts";
import { bind, column } from "../../read/row.ts";
import { mutation, type Resource } from "../resource.ts";
import { entries } from "./entries.ts";
import { InboxEntryUpdateInput, inboxEntryUpdate } from "./update.ts";

/** A link to the row whose id the entry holds. */
const link = (entity: string, id: string) => ({
  entity,
  where: (target: SqlRow, row: SqlRow | null) => (row ? `${column(target, "id")} = ${column(row, id)}` : "false"),
});

const now = (row: SqlRow): string => bind(row.build, "inbox.now", "timestamptz", ({ scope }) => scope.at.toISOString());

/** Something that waits for a person. It is computed from where it stands; what a user did about it is stored. */
export const inboxEntry: Resource = {
  entity: {
    name: "InboxEntry",
    table: "",
    columns: {
      id: "uuid",
      type: "text",
      createdAt: "timestamp",
      updatedAt: "timestamp",
      question: "text",
      readAt: "timestamp",
      doneAt: "timestamp",
      snoozedUntilAt: "timestamp",
    },
    internal: {
      sessionId: "uuid",
      eventId: "uuid",
      issueId: "uuid",
      failureGroupId: "uuid",
      commentId: "uuid",
      holderId: "uuid",
    },
    hidden: (row) =>
      `(${column(row, "doneAt")} is not null or coalesce(${column(row, "snoozedUntilAt")} > ${now(row)}, false))`,
    one: {
      session: link("RecordedSession", "sessionId"),
      event: link("RecordedEvent", "eventId"),
      issue: link("Issue", "issueId"),
      failureGroup: link("RecordedFailureGroup", "failureGroupId"),
      comment: link("Comment", "commentId"),
      holder: link("User", "holderId"),
    },
    filters: {
      type: (row, argument) => comparison(row.build, { sql: column(row, "type"), type: "text" }, argument),
    },
  },
  many: { inbox: { entity: "InboxEntry", rows: entries, oldestFirst: true } },
  mutations: {
    inboxEntryUpdate: mutation("member", InboxEntryUpdateInput, inboxEntryUpdate),
  },
};
