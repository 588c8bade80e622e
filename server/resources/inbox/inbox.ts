import type { Computed } from "../../read/entity.ts";
import { comparison } from "../../read/filter/compare.ts";
import { column } from "../../read/row.ts";
import { linkTo } from "../fields.ts";
import { mutation, type Resource } from "../resource.ts";
import { entriesSql, isPutAway, markOf } from "./entries.ts";
import { questionOf } from "./question.ts";
import { InboxEntryUpdateInput, inboxEntryUpdate } from "./update.ts";

const mark = (name: string): Computed => ({ type: "timestamp", sql: (row) => markOf(row, name) });

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
    },
    internal: {
      sessionId: "uuid",
      eventId: "uuid",
      issueId: "uuid",
      failureGroupId: "uuid",
      commentId: "uuid",
      holderId: "uuid",
    },
    computed: {
      question: { type: "text", sql: questionOf },
      readAt: mark("readAt"),
      doneAt: mark("doneAt"),
      snoozedUntilAt: mark("snoozedUntilAt"),
    },
    hidden: isPutAway,
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
  many: { inbox: { entity: "InboxEntry", rows: ({ build }) => entriesSql(build), oldestFirst: true } },
  mutations: {
    inboxEntryUpdate: mutation("member", InboxEntryUpdateInput, inboxEntryUpdate),
  },
};
