import type { Migration } from "./index.ts";

/** What the lists of the web app are found by: entries of the audit by what they are about and who they are of. */
export const webLists: Migration = {
  id: "0022-web-lists",
  statements: [
    `create index if not exists audit_noun on audit ("organizationId", (split_part(event, '.', 1)), id)`,
    `create index if not exists audit_account on audit ("organizationId", "accountId", id)`,
  ],
};
