import type { ComponentChildren } from "preact";
import type { IssuesDoneQuery } from "../../data/documents.ts";
import { formatCost, formatCount } from "../../parts/texts/format.ts";
import { isCurrentUserOwner } from "../settings/parts.tsx";
import {
  computeCostPerItem,
  formatPercentChange,
  type GroupUsage,
  type TotalUsage,
  USAGE_FIGURE_READERS,
  type UsageMeasures,
} from "./figures.ts";

interface SumsProps {
  all: TotalUsage;
  /** Usage in the previous period; undefined until the usage is read. */
  before: UsageMeasures | undefined;
  /**
   * Numbers of completed issues. Undefined until the numbers are read, or if the organization has too many issues to
   * count.
   */
  done: IssuesDoneQuery | undefined;
  span: number;
}

/** Totals of a period, with the change against the previous period. */
export function UsageTotals({ all, before, done, span }: SumsProps) {
  const [tokens, cached] = [USAGE_FIGURE_READERS.tokens(all) ?? 0, formatCount(all.cacheReadTokens)];
  const each = computeCostPerItem(all, all.sessions);
  const eachDone = done && computeCostPerItem(all, done.now.count);
  const since = before && {
    cost: formatPercentChange(all.cost ?? 0, before.cost ?? 0),
    tokens: formatPercentChange(tokens, USAGE_FIGURE_READERS.tokens(before) ?? 0),
    sessions: formatPercentChange(all.sessions, before.sessions),
    each: formatPercentChange(each ?? 0, computeCostPerItem(before, before.sessions) ?? 0),
    eachDone: done && formatPercentChange(eachDone ?? 0, computeCostPerItem(before, done.before.count) ?? 0),
  };
  return (
    <dl class="figs">
      <Sum name="Cost" value={all.cost === null ? "unknown" : formatCost(all.cost)}>
        {since?.cost && `${since.cost} vs. previous ${span} days`}
      </Sum>
      <Sum name="Tokens" value={formatCount(tokens)}>
        {[`${cached} from cache`, since?.tokens].filter(Boolean).join(", ")}
      </Sum>
      <Sum name="Sessions" value={all.sessions.toLocaleString()}>
        {since?.sessions}
      </Sum>
      <Sum name="Per session" value={each === null ? "–" : formatCost(each)}>
        {since?.each}
      </Sum>
      <Sum name="Per completed issue" value={eachDone ? formatCost(eachDone) : "–"}>
        {done && [`${done.now.count.toLocaleString()} completed`, since?.eachDone].filter(Boolean).join(", ")}
      </Sum>
    </dl>
  );
}

/** Figure with a label and a second line. The second line keeps its height if the line is empty. */
const Sum = ({ name, value, children }: { name: string; value: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd class="sub">{children || "\u00a0"}</dd>
  </div>
);

/** Note about models without a price. */
export function MissingPricesNote({ groups }: { groups: readonly GroupUsage[] }) {
  const names = groups.filter(({ missingCosts }) => missingCosts > 0).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <p class="hint">
      The sums exclude events with tokens but no known cost, of <bdi>{names.slice(0, 5).join(", ")}</bdi>
      {names.length > 5 && ` and ${names.length - 5} more`}.{" "}
      {isCurrentUserOwner() ? (
        <a href="/settings/prices">Set prices for the models</a>
      ) : (
        "An owner can set prices for the models"
      )}
      .
    </p>
  );
}
