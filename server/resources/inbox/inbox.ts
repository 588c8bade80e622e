import type { SqlRow } from "../../read/entity.ts";
import { comparison } from "../../read/filter/compare.ts";
import { bind, column } from "../../read/row.ts";
import { linkTo } from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";
import { entries } from "./entries.ts";
import { InboxEntryUpdateInput, inboxEntryUpdate } from "./update.ts";

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
      session: linkTo("RecordedSession", "sessionId"),
      event: linkTo("RecordedEvent", "eventId"),
      issue: linkTo("Issue", "issueId"),
      failureGroup: linkTo("RecordedFailureGroup", "failureGroupId"),
      comment: linkTo("Comment", "commentId"),
      holder: linkTo("User", "holderId"),
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
