import { ISSUE } from "./issue.ts";
import { NAME } from "./names.ts";
import { PLAN, SAVE } from "./plan.ts";
import { FAILURE, INBOX, SESSION, USAGE } from "./recorded.ts";
import { COMPLETION, PROJECT, TEAM } from "./team.ts";
import { WORK } from "./work.ts";

/** Every document this package sends, for the test that holds them against the schema. */
export const DOCUMENTS: readonly string[] = [
  COMPLETION,
  FAILURE,
  INBOX,
  ISSUE,
  NAME,
  PLAN,
  PROJECT,
  ...Object.values(SAVE),
  SESSION,
  TEAM,
  USAGE,
  WORK,
].flatMap((group) => Object.values(group));
