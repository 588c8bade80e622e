import type { Migration } from "./index.ts";

/** Budgets of /graphql: a row a principal and kind, refilled whenever it is taken from. */
export const budget: Migration = {
  id: "0006-budget",
  statements: [
    // level: what is left. The other numbers are of the last taking; the statement that takes computes with them.
    `create table if not exists budget (
      "organizationId" uuid not null, "userId" uuid not null, kind text not null, level double precision not null,
      hourly double precision not null, need double precision not null, returned double precision not null,
      granted double precision not null, at timestamptz(3) not null,
      primary key ("organizationId", "userId", kind)
    )`,
  ],
};
