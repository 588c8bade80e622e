import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { OptionPicker } from "../../../parts/choose/picker.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { formatPlural } from "../../../parts/texts/format.ts";
import { setSearchParameters } from "../../../shell/router.ts";
import type { EventTree } from "../events.ts";
import { SessionSearchField } from "../timeline/find.tsx";
import type { SearchResult } from "../timeline/search.ts";
import { buildKindParameter, countToolCalls, EVENT_KIND_LABELS, type LogFilter } from "./filter.ts";

interface BarProps {
  field: RefObject<HTMLInputElement | null>;
  tree: EventTree;
  filter: LogFilter;
  found: SearchResult | undefined;
  /** Position of the chosen event among the matches, from 1; 0 if the event does not match. */
  position: number;
  /** Number of matches that pass the filter. */
  matches: number;
  step: (by: 1 | -1) => void;
}

/** Bar above a log: the search field, buttons for the next and the previous match, and the filters. */
export const LogBar = ({ field, tree, filter, found, position, matches, step }: BarProps) => (
  <div class="bar log-bar" role="search" aria-label="Find and filter">
    <SessionSearchField
      field={field}
      text={filter.text}
      setText={(q) => setSearchParameters({ q, ...(!q && { matches: undefined }) })}
      found={found}
      step={step}
    />
    {found && (
      <span class="row steps">
        <span class="num dim" role="status">
          {position} of {matches}
        </span>
        <button
          class="btn quiet sq"
          type="button"
          aria-label="Previous match"
          disabled={!matches}
          onClick={() => step(-1)}
        >
          <Icon name="up" class="i-14" />
        </button>
        <button class="btn quiet sq" type="button" aria-label="Next match" disabled={!matches} onClick={() => step(1)}>
          <Icon name="dn" class="i-14" />
        </button>
        <button
          class="btn quiet"
          type="button"
          aria-pressed={filter.matches}
          onClick={() => setSearchParameters({ matches: filter.matches ? undefined : "1" })}
        >
          Only matches
        </button>
      </span>
    )}
    <span class="seg" role="group" aria-label="Kinds shown">
      {EVENT_KIND_LABELS.map(([kind, name]) => (
        <button
          key={kind}
          type="button"
          aria-pressed={filter.kinds.has(kind)}
          onClick={() => setSearchParameters({ kind: buildKindParameter(filter, kind) })}
        >
          {name}
        </button>
      ))}
    </span>
    <ToolPicker tree={tree} tool={filter.tool} />
    <button class="btn quiet" type="button" aria-pressed={filter.failed} onClick={createFailedFilterToggle(filter)}>
      <Icon name="fail" class="i-14" />
      {formatPlural(tree.failures.length, "failure")}
    </button>
  </div>
);

/** Returns a handler that switches between failed events and all events. */
export const createFailedFilterToggle = (filter: LogFilter) => () =>
  setSearchParameters({ failed: filter.failed ? undefined : "1" });

/** Picker of the tool whose calls are shown. */
function ToolPicker({ tree, tool }: { tree: EventTree; tool: string }) {
  const options = useMemo(
    () => [
      { id: "", name: "All tools" },
      ...countToolCalls(tree).map(([name, calls]) => ({ id: name, name, detail: String(calls) })),
    ],
    [tree],
  );
  return (
    <OptionPicker
      label="Tool"
      class="btn quiet"
      value={tool || "All tools"}
      options={options}
      chosen={[tool]}
      choose={(name) => setSearchParameters({ tool: name })}
    >
      <Icon name="tools" class="i-14" />
      <bdi class="cut">{tool || "All tools"}</bdi>
      <Icon name="down" class="i-14" />
    </OptionPicker>
  );
}
