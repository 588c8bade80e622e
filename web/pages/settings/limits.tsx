import { Limits, type LimitsQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { count, duration } from "../../parts/texts/format.ts";
import { Intro } from "./parts.tsx";

/** The rest of the request budgets. */
export function LimitsPart() {
  const { data, error, reload } = useQuery(Limits, {});
  return (
    <>
      <Intro title="Limits">
        What GraphQL requests of this login may still take. Agents that send events have budgets of their own.
      </Intro>
      <Loaded data={data?.rateLimitStatus.limits} error={error} retry={reload} lines={2}>
        {(limits) =>
          limits.length === 0 ? (
            <p class="note">Requests are not limited here.</p>
          ) : (
            limits.map((limit) => <Budget key={limit.type} {...limit} />)
          )
        }
      </Loaded>
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
          {count(Math.round(used))} of {count(allowedAmount)} used in {duration(period)}
        </span>
      </span>
    </section>
  );
}
