import type { Migration } from "./index.ts";

const SORTED: Record<string, string> = {
  duration: `((extract(epoch from (coalesce(ended_at, "timestamp") - "timestamp")) * 1000)::float8)`,
  cost: "(coalesce(cost, 0)::float8)",
  failures: "(coalesce(failures, 0))",
};

/**
 * What the lists of the web app are found by: entries of the audit by what they are about and whose they are, sessions by
 * how long they took, what they cost and how often something failed. The expressions are those of the sort, to the letter.
 */
export const webLists: Migration = {
  id: "0022-web-lists",
  statements: [
    `create index if not exists audit_noun on audit ("organizationId", (split_part(event, '.', 1)), id)`,
    `create index if not exists audit_account on audit ("organizationId", "accountId", id)`,
    // When the last event of a session ended, as far as it is rolled up. Empty where it is new: no table is written anew.
    "alter table recorded_session add column if not exists ended_at timestamptz(3)",
    "alter table recorded_delta add column if not exists ended_at timestamptz(3)",
    ...["duration", "cost", "failures"].map(
      (name) => `create index if not exists recorded_session_${name}
        on recorded_session (organization_id, ${SORTED[name]}, session_id)`,
    ),
  ],
};
