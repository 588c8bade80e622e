import type { Migration } from "./index.ts";

/** When a session last got something that had happened long before: readers of what is new look no further back unless it did. */
export const lateEvents: Migration = {
  id: "0041-late-events",
  statements: [
    // Of what was recorded before this nobody knows: its moment stands for it. A constant, so that no row is written.
    "alter table recorded_session add column if not exists late_at timestamptz(3) default now()",
    "alter table recorded_session alter column late_at drop default",
  ],
};
