import type { Migration } from "./index.ts";

/** Milestones of projects. */
export const milestones: Migration = {
  id: "0049-milestones",
  statements: [
    `create table if not exists "projectMilestone" (
      "organizationId" uuid not null references organization (id), id uuid not null,
      "projectId" uuid not null, name text not null, "targetDate" date,
      "createdAt" timestamptz(3) not null, "updatedAt" timestamptz(3) not null, "archivedAt" timestamptz(3),
      primary key ("organizationId", id),
      foreign key ("organizationId", "projectId") references project ("organizationId", id)
    )`,
    `create index if not exists milestone_created on "projectMilestone" ("organizationId", "createdAt", id)`,
    `create index if not exists milestone_project on "projectMilestone" ("organizationId", "projectId", "createdAt", id)`,
  ],
};
