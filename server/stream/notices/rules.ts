import { knex, toStatement } from "../../../db/builder.ts";
import type { Transaction } from "../../../db/open.ts";
import type { Condition } from "../../resources/notice-rule/input.ts";

/** A rule as it is watched. */
export interface Rule {
  id: string;
  condition: Condition;
  sessionStates: string[];
  failureKinds: string[];
  issueStateTypes: string[];
  tool: string | null;
  threshold: number | null;
  minimumCalls: number;
  teamId: string | null;
  quietFrom: string | null;
  quietTo: string | null;
  timeZone: string;
  /** Earlier events do not count. */
  watchedFrom: Date;
  /** The moment of its last message. */
  toldAt: Date | null;
}

const COLUMNS = [
  ...["id", "condition", "sessionStates", "failureKinds", "issueStateTypes", "tool", "threshold", "minimumCalls"],
  ...["teamId", "quietFrom", "quietTo", "timeZone", "watchedFrom", "toldAt"],
];

/** The rules of an organization that are watched. They stay as they are until the transaction ends. */
export const rulesOf = (trx: Transaction, organizationId: string): Promise<Rule[]> =>
  trx.query<Rule>(
    toStatement(knex("noticeRule").where({ organizationId, enabled: true }).orderBy("id").forUpdate().select(COLUMNS)),
  );

/** True at a moment in the quiet hours of a rule. */
export function isQuiet({ quietFrom: from, quietTo: to, timeZone }: Rule, at: Date): boolean {
  if (from === null || to === null) return false;
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" }).format(at);
  return from < to ? time >= from && time < to : time >= from || time < to;
}
