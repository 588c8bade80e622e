import type { NoticeRuleRowFragment } from "../../../data/documents.ts";
import { CHANNEL_LABELS } from "./words.ts";

type Counts = Pick<NoticeRuleRowFragment, "deliveredCount" | "failedCount">;

/**
 * Maximum number of messages that the server counts per rule. If a rule sent more messages, the server counts only the
 * newest.
 */
const MOST = 1_000;

const isPart = ({ deliveredCount, failedCount }: Counts): boolean => deliveredCount + failedCount >= MOST;

/** Numbers of sent and failed messages of a rule; a dash for none. */
export function SentMessageCounts(counts: Counts) {
  const { deliveredCount, failedCount } = counts;
  if (deliveredCount + failedCount === 0) return <span class="dim">–</span>;
  return (
    <span class="dim">
      {deliveredCount.toLocaleString()} sent
      {failedCount > 0 && (
        <>
          , <span class="c-fail">{failedCount.toLocaleString()} failed</span>
        </>
      )}
      {isPart(counts) && ` of the latest ${MOST.toLocaleString()}`}
    </span>
  );
}

/** Numbers of messages of all rules, by channel. */
export function SentMessagesByChannel({ rules }: { rules: readonly NoticeRuleRowFragment[] }) {
  const channels = (Object.keys(CHANNEL_LABELS) as (keyof typeof CHANNEL_LABELS)[]).flatMap((channel) => {
    const own = rules.filter((rule) => rule.channel === channel);
    const sum = (count: keyof Counts) => own.reduce((total, rule) => total + rule[count], 0);
    const counts = { deliveredCount: sum("deliveredCount"), failedCount: sum("failedCount") };
    return counts.deliveredCount + counts.failedCount > 0 ? [{ channel, counts, more: own.some(isPart) }] : [];
  });
  if (channels.length === 0) return null;
  return (
    <ul class="sent-by-channel hint" aria-label="Notices of the last 30 days by channel">
      <li>Last 30 days:</li>
      {channels.map(({ channel, counts: { deliveredCount, failedCount }, more }) => (
        <li key={channel}>
          <b>{CHANNEL_LABELS[channel]}</b> {deliveredCount.toLocaleString()}
          {more && "+"} sent
          {failedCount > 0 && <span class="c-fail">, {failedCount.toLocaleString()} failed</span>}
        </li>
      ))}
    </ul>
  );
}
