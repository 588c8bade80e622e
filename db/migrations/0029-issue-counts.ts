import type { Migration } from "./index.ts";

/**
 * How many issues there are of each team, project, cycle and creator, kept with every change of an issue. What there is
 * already is counted by a job, in pieces: `upTo` is the last issue by id that is.
 */
export const issueCounts: Migration = {
  id: "0029-issue-counts",
  statements: [
    // Room in each page, so that a row that changes often stays in its own.
    `create table if not exists "issueCount" (
      "organizationId" uuid not null references organization (id), kind text not null, id uuid not null, "teamId" uuid not null,
      issues integer not null, shown integer not null, completed integer not null,
      primary key ("organizationId", kind, id, "teamId")
    ) with (fillfactor = 50)`,
    `create table if not exists "issueCounted" (
      "organizationId" uuid primary key references organization (id), "upTo" uuid not null
    )`,
  ],
};
