import type { Transaction } from "../../../db/open.ts";
import type { NoticeFiring, WatchedNoticeRule } from "./firing.ts";

/**
 * Maximum number of changes that one pass reads. Change numbers have no gaps, so a range of this many numbers contains
 * at most this many changes.
 */
const CHANGES = 1_000;

/** A change of an issue, with the issue's state after the change. */
interface Changed {
  id: string;
  action: string;
  event: string;
  createdAt: Date;
  teamId: string;
  holderId: string | null;
  /** True when the change set the state or created the issue. */
  moved: boolean;
  stateType: string | null;
  stateName: string | null;
}

/** Raw SQL: reads members of JSON. The changes of issues with numbers after $2, up to $3. */
const READ = `select c."entityId" as id, c.action, c.event, c."createdAt", c.data ->> 'teamId' as "teamId", c.data ->> 'holderId' as "holderId",
    (c."updatedFrom" is null or c."updatedFrom" ->> 'stateId' is not null) as moved, w.type as "stateType", w.name as "stateName"
  from change c left join "workflowState" w on w."organizationId" = $1 and w.id = (c.data ->> 'stateId')::uuid
  where c."organizationId" = $1 and c."lastSyncId" > $2 and c."lastSyncId" <= $3 and c.type = 'Issue' order by c."lastSyncId"`;

/** True for rules whose condition depends on the change log. */
const followsLog = ({ condition }: WatchedNoticeRule): boolean =>
  condition === "issueState" || condition === "leaseExpired";

/**
 * The issues (`group`) for which the condition of a rule became true (`fired`) or false (`over`). For each rule and
 * issue, only the last change that affects the rule counts.
 */
export interface ConditionChanges {
  fired: NoticeFiring[];
  over: Pick<NoticeFiring, "ruleId" | "group">[];
  /** Number of the last change read. */
  position: number;
}

/** Reads the log from a position, for the rules that follow the log. */
export async function readConditionChanges(
  trx: Transaction,
  organizationId: string,
  rules: readonly WatchedNoticeRule[],
  { position, last }: { position: number; last: number },
): Promise<ConditionChanges> {
  const until = Math.min(last, position + CHANGES);
  const following = rules.filter(followsLog);
  if (following.length === 0 || until <= position) return { fired: [], over: [], position: Math.max(position, last) };
  const values = [organizationId, position, until];
  const changes = await trx.query<Changed>({ name: "notices-changes", text: READ, values });
  const words = new Map<string, NoticeFiring | Pick<NoticeFiring, "ruleId" | "group">>();
  for (const change of changes) {
    for (const rule of following) {
      const word = change.createdAt >= rule.watchedFrom ? wordOf(rule, change) : undefined;
      if (word) words.set(`${word.ruleId} ${word.group}`, word);
    }
  }
  const all = [...words.values()];
  const isFiring = (word: (typeof all)[number]): word is NoticeFiring => "event" in word;
  return { fired: all.filter(isFiring), over: all.filter((word) => !isFiring(word)), position: until };
}

/**
 * Returns the effect of an issue's change on a rule: the condition became true or false. Undefined if the change has no
 * effect on the rule.
 */
function wordOf(
  rule: WatchedNoticeRule,
  change: Changed,
): NoticeFiring | Pick<NoticeFiring, "ruleId" | "group"> | undefined {
  const { id: group, action, event, holderId, moved, stateType, stateName } = change;
  const over = { ruleId: rule.id, group };
  if (action === "remove" || (rule.teamId !== null && rule.teamId !== change.teamId)) return over;
  const subject = { issueId: group, ...(stateName !== null && { state: stateName }) };
  if (rule.condition === "leaseExpired") {
    if (event === "issue.leaseExpired") return { ...over, event, value: "leaseExpired", subject };
    return holderId !== null || ["completed", "canceled", "duplicate"].includes(stateType ?? "") ? over : undefined;
  }
  if (!moved) return undefined;
  if (!rule.issueStateTypes.includes(stateType ?? "")) return over;
  return { ...over, event: `issue.${stateType}`, value: stateType ?? "", subject };
}
