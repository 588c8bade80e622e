import { money } from "./texts/format.ts";

/** A cost and its source, as the API tells them. */
interface Costs {
  cost: number | null;
  costSource: string;
}

const COMPUTED = "Computed from tokens and prices: the agent reported no cost";

/** A cost, with a quiet mark where it was computed; nothing where none is known. */
export function Cost({ cost, costSource }: Costs) {
  if (cost === null) return null;
  if (costSource !== "computed") return <>{money(cost)}</>;
  return (
    <span title={COMPUTED}>
      <small class="dim" role="img" aria-label="computed">
        ≈
      </small>
      {money(cost)}
    </span>
  );
}
