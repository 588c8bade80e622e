import { count } from "../../parts/texts/format.ts";
import { isOwner } from "../settings/parts.tsx";
import { change, FIGURES, SHOW, sumOf, type Taken, type TakenBefore } from "./figures.ts";

/** The sums of a time, each with its change against the time before. */
export function Sums({
  groups,
  before,
  span,
}: {
  groups: readonly Taken[];
  before: readonly TakenBefore[] | undefined;
  span: number;
}) {
  const input = groups.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const cached = groups.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
  const isKnown = groups.some(({ cost }) => cost !== null);
  return (
    <dl class="figs">
      {FIGURES.slice(0, 2).map(([figure, name]) => {
        const sum = sumOf(groups, figure);
        return (
          <div key={figure}>
            <dt>{name}</dt>
            <dd>
              {figure === "cost" && !isKnown ? "unknown" : SHOW[figure](sum)}{" "}
              <small>{before && change(sum, sumOf(before, figure))}</small>
            </dd>
          </div>
        );
      })}
      <div>
        <dt>Read from a cache</dt>
        <dd>
          {count(cached)} <small>tokens, beside {count(input)} of input</small>
        </dd>
      </div>
      <div>
        <dt>Compared with</dt>
        <dd>
          {span} days <small>before</small>
        </dd>
      </div>
    </dl>
  );
}

/** Tokens that nobody knows the price of. */
export function Missing({ groups }: { groups: readonly Taken[] }) {
  const names = groups.filter(({ missingCosts }) => missingCosts > 0).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <p class="hint">
      The sums leave out events with tokens and no cost, of <bdi>{names.slice(0, 5).join(", ")}</bdi>
      {names.length > 5 && ` and ${names.length - 5} more`}.{" "}
      {isOwner() ? (
        <a href="/settings/prices">Set prices for their models</a>
      ) : (
        "An owner can set prices for their models"
      )}
      .
    </p>
  );
}
