import { ISSUE_DOCUMENTS } from "./issue.ts";
import { NAME_LOOKUP_DOCUMENTS } from "./names.ts";
import { PLAN_DOCUMENTS, SAVE_DOCUMENTS } from "./plan.ts";
import { FAILURE_DOCUMENTS, INBOX_DOCUMENTS, SESSION_DOCUMENTS, USAGE_DOCUMENTS } from "./recorded.ts";
import { COMPLETION_DOCUMENTS, PROJECT_DOCUMENTS, TEAM_DOCUMENTS } from "./team.ts";
import { WORK_DOCUMENTS } from "./work.ts";

/** All documents that the MCP server sends, for the test that validates documents against the schema. */
export const ALL_GRAPHQL_DOCUMENTS: readonly string[] = [
  COMPLETION_DOCUMENTS,
  FAILURE_DOCUMENTS,
  INBOX_DOCUMENTS,
  ISSUE_DOCUMENTS,
  NAME_LOOKUP_DOCUMENTS,
  PLAN_DOCUMENTS,
  PROJECT_DOCUMENTS,
  ...Object.values(SAVE_DOCUMENTS),
  SESSION_DOCUMENTS,
  TEAM_DOCUMENTS,
  USAGE_DOCUMENTS,
  WORK_DOCUMENTS,
].flatMap((group) => Object.values(group));
