import { COMPLETION } from "./completion.ts";
import { FAILURE } from "./failure.ts";
import { INBOX } from "./inbox.ts";
import { ISSUE } from "./issue.ts";
import { NAME } from "./names.ts";
import { PLAN } from "./plan.ts";
import { PROJECT } from "./project.ts";
import { SESSION } from "./session.ts";
import { TEAM } from "./team.ts";
import { USAGE } from "./usage.ts";
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
  SESSION,
  TEAM,
  USAGE,
  WORK,
].flatMap((group) => Object.values(group));
