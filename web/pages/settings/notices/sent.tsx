import type { NoticeRuleRowFragment } from "../../../data/documents.ts";
import { CHANNELS } from "./words.ts";

type Counts = Pick<NoticeRuleRowFragment, "deliveredCount" | "failedCount">;

/** Messages of a rule that the server counts: of more it counts the newest. */
const MOST = 1_000;

const isPart = ({ deliveredCount, failedCount }: Counts): boolean => deliveredCount + failedCount >= MOST;

/** The messages of a rule that were sent and that failed; a dash for none. */
export function Sent(counts: Counts) {
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
      {isPart(counts) && ` of the newest ${MOST.toLocaleString()}`}
    </span>
  );
}

/** The messages of all rules, summed up by channel. */
export function SentByChannel({ rules }: { rules: readonly NoticeRuleRowFragment[] }) {
  const channels = (Object.keys(CHANNELS) as (keyof typeof CHANNELS)[]).flatMap((channel) => {
    const own = rules.filter((rule) => rule.channel === channel);
    const sum = (count: keyof Counts) => own.reduce((total, rule) => total + rule[count], 0);
    const counts = { deliveredCount: sum("deliveredCount"), failedCount: sum("failedCount") };
    return counts.deliveredCount + counts.failedCount > 0 ? [{ channel, counts, more: own.some(isPart) }] : [];
  });
  if (channels.length === 0) return null;
  return (
    <ul class="sent-by-channel hint" aria-label="Messages of 30 days by channel">
      <li>30 days:</li>
      {channels.map(({ channel, counts: { deliveredCount, failedCount }, more }) => (
        <li key={channel}>
          <b>{CHANNELS[channel]}</b> {deliveredCount.toLocaleString()}
          {more && "+"} sent
          {failedCount > 0 && <span class="c-fail">, {failedCount.toLocaleString()} failed</span>}
        </li>
      ))}
    </ul>
  );
}
