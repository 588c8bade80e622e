import { ISSUE } from "./issue.ts";
import { NAME_DOCUMENTS } from "./names.ts";
import { PLAN, SAVE_DOCUMENTS } from "./plan.ts";
import { FAILURE, INBOX, SESSION, USAGE } from "./recorded.ts";
import { COMPLETION, PROJECT, TEAM } from "./team.ts";
import { WORK } from "./work.ts";

/** All documents that the MCP server sends, for the test that validates documents against the schema. */
export const DOCUMENTS: readonly string[] = [
  COMPLETION,
  FAILURE,
  INBOX,
  ISSUE,
  NAME_DOCUMENTS,
  PLAN,
  PROJECT,
  ...Object.values(SAVE_DOCUMENTS),
  SESSION,
  TEAM,
  USAGE,
  WORK,
].flatMap((group) => Object.values(group));
