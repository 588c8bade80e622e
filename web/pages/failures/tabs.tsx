import type { FailureSummaryQuery } from "../../data/documents.ts";
import { PathIcon } from "../../parts/icon.tsx";
import { appLocation, setSearchParameters } from "../../shell/router.ts";
import { FAILURE_STATE_STYLES, type FailureGroupState } from "./marks.tsx";

const TO_LOOK_AT: readonly FailureGroupState[] = ["new", "back", "ongoing"];

type Summary = FailureSummaryQuery["recordedFailureSummary"];

/** Returns the states that the address selects. */
export function readFailureStatesFromUrl(): readonly FailureGroupState[] {
  const given = appLocation.value.search.get("state") ?? "";
  if (given === "all") return Object.keys(FAILURE_STATE_STYLES) as FailureGroupState[];
  return Object.hasOwn(FAILURE_STATE_STYLES, given) ? [given as FailureGroupState] : TO_LOOK_AT;
}

/** Tabs for the states, each with the number of groups. */
export function FailureStateTabs({ summary }: { summary: Summary | undefined }) {
  const here = appLocation.value.search.get("state") ?? "";
  const sum = (states: readonly FailureGroupState[]) =>
    summary && `${states.reduce((total, state) => total + summary[state], 0)}${summary.truncated ? "+" : ""}`;
  const tabs: [value: string, name: string, states: readonly FailureGroupState[], drawing?: string, tint?: string][] = [
    ["", "To review", TO_LOOK_AT],
    ...Object.entries(FAILURE_STATE_STYLES).map(([state, [name, drawing, tint]]): (typeof tabs)[number] => [
      state,
      name,
      [state as FailureGroupState],
      drawing,
      tint,
    ]),
    ["all", "All", Object.keys(FAILURE_STATE_STYLES) as FailureGroupState[]],
  ];
  return (
    <div class="tab-row">
      <div class="tabs" role="group" aria-label="Failures shown">
        {tabs.map(([value, name, states, drawing, tint = ""]) => (
          <button
            key={value}
            type="button"
            aria-current={here === value ? "true" : undefined}
            onClick={() => setSearchParameters({ state: value }, false)}
          >
            {drawing && <PathIcon d={drawing} class={`i-14 ${tint}`} />}
            {name} <span class="dim count">{sum(states)}</span>
          </button>
        ))}
      </div>
    </div>
  );
}
