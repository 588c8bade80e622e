import { Limits, type LimitsQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { formatCount, formatDuration } from "../../parts/texts/format.ts";
import { SettingsPageHeader } from "./parts.tsx";

/** Remaining request budgets. */
export function RequestLimitsSettings() {
  const { data, error, reload } = useQuery(Limits, {});
  return (
    <>
      <SettingsPageHeader title="Limits">
        The remaining budget of your GraphQL requests. Agents that send events have separate budgets.
      </SettingsPageHeader>
      <LoadedContent data={data?.rateLimitStatus.limits} error={error} retry={reload} lines={2}>
        {(limits) =>
          limits.length === 0 ? (
            <p class="note">This server does not limit requests.</p>
          ) : (
            limits.map((limit) => <Budget key={limit.type} {...limit} />)
          )
        }
      </LoadedContent>
    </>
  );
}

type Limit = LimitsQuery["rateLimitStatus"]["limits"][number];

function Budget({ type, allowedAmount, remainingAmount, period }: Limit) {
  const used = allowedAmount - remainingAmount;
  return (
    <section class="stack" aria-label={type}>
      <h2>{type}</h2>
      <span class="row">
        <span
          class="meter long"
          role="meter"
          aria-label={`${type} used`}
          aria-valuemin={0}
          aria-valuemax={allowedAmount}
          aria-valuenow={used}
          style={{ "--v": allowedAmount > 0 ? (100 * used) / allowedAmount : 0 }}
        >
          <i />
        </span>
        <span>
          {formatCount(Math.round(used))} of {formatCount(allowedAmount)} used in {formatDuration(period)}
        </span>
      </span>
    </section>
  );
}
