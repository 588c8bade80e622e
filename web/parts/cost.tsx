import { formatCost } from "./texts/format.ts";

/** Cost and cost source, as in the API. */
interface Costs {
  cost: number | null;
  costSource: string;
}

const COMPUTED = "Computed from tokens and prices, because the agent reported no cost";

/** Shows a cost, with the sign ≈ if the cost is computed. Renders nothing if the cost is unknown. */
export function CostText({ cost, costSource }: Costs) {
  if (cost === null) return null;
  if (costSource !== "computed") return <>{formatCost(cost)}</>;
  return (
    <span title={COMPUTED}>
      <small class="dim" role="img" aria-label="computed">
        ≈
      </small>
      {formatCost(cost)}
    </span>
  );
}
