import type { FailureSummaryQuery } from "../../data/documents.ts";
import { Drawing } from "../../parts/icon.tsx";
import { place, setSearch } from "../../shell/router.ts";
import { type GroupState, STATES } from "./marks.tsx";

const TO_LOOK_AT: readonly GroupState[] = ["new", "back", "ongoing"];

type Summary = FailureSummaryQuery["recordedFailureSummary"];

/** The states that the address asks for. */
export function statesOfPlace(): readonly GroupState[] {
  const given = place.value.search.get("state") ?? "";
  if (given === "all") return Object.keys(STATES) as GroupState[];
  return Object.hasOwn(STATES, given) ? [given as GroupState] : TO_LOOK_AT;
}

/** The states to choose from, each with the number of its groups. */
export function Tabs({ summary }: { summary: Summary | undefined }) {
  const here = place.value.search.get("state") ?? "";
  const sum = (states: readonly GroupState[]) =>
    summary && `${states.reduce((total, state) => total + summary[state], 0)}${summary.truncated ? "+" : ""}`;
  const tabs: [value: string, name: string, states: readonly GroupState[], drawing?: string, tint?: string][] = [
    ["", "To look at", TO_LOOK_AT],
    ...Object.entries(STATES).map(([state, [name, drawing, tint]]): (typeof tabs)[number] => [
      state,
      name,
      [state as GroupState],
      drawing,
      tint,
    ]),
    ["all", "All", Object.keys(STATES) as GroupState[]],
  ];
  return (
    <div class="tab-row">
      <div class="tabs" role="group" aria-label="Failures shown">
        {tabs.map(([value, name, states, drawing, tint = ""]) => (
          <button
            key={value}
            type="button"
            aria-current={here === value ? "true" : undefined}
            onClick={() => setSearch({ state: value }, false)}
          >
            {drawing && <Drawing d={drawing} class={`i-14 ${tint}`} />}
            {name} <span class="dim count">{sum(states)}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
