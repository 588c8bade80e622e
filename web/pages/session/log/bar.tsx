import type { RefObject } from "preact";
import { useMemo } from "preact/hooks";
import { Picker } from "../../../parts/choose/picker.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { plural } from "../../../parts/texts/format.ts";
import { setSearch } from "../../../shell/router.ts";
import type { EventTree } from "../events.ts";
import { Find } from "../timeline/find.tsx";
import type { Found } from "../timeline/search.ts";
import { KINDS, kindsWith, type LogFilter, toolsOf } from "./filter.ts";

interface BarProps {
  field: RefObject<HTMLInputElement | null>;
  tree: EventTree;
  filter: LogFilter;
  found: Found | undefined;
  /** The place of the chosen event among the matches, from 1; 0 where it is none. */
  position: number;
  /** The number of matches that pass the filter. */
  matches: number;
  step: (by: 1 | -1) => void;
}

/** Finds in a log, steps through what was found, and filters. */
export const Bar = ({ field, tree, filter, found, position, matches, step }: BarProps) => (
  <div class="bar log-bar" role="search" aria-label="Find and filter">
    <Find
      field={field}
      text={filter.text}
      setText={(q) => setSearch({ q, ...(!q && { matches: undefined }) })}
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
          onClick={() => setSearch({ matches: filter.matches ? undefined : "1" })}
        >
          Only matches
        </button>
      </span>
    )}
    <span class="seg" role="group" aria-label="Kinds shown">
      {KINDS.map(([kind, name]) => (
        <button
          key={kind}
          type="button"
          aria-pressed={filter.kinds.has(kind)}
          onClick={() => setSearch({ kind: kindsWith(filter, kind) })}
        >
          {name}
        </button>
      ))}
    </span>
    <ToolPicker tree={tree} tool={filter.tool} />
    <button class="btn quiet" type="button" aria-pressed={filter.failed} onClick={toggleFailed(filter)}>
      <Icon name="fail" class="i-14" />
      {plural(tree.failures.length, "failure")}
    </button>
  </div>
);

/** Shows only what failed, or all again. */
export const toggleFailed = (filter: LogFilter) => () => setSearch({ failed: filter.failed ? undefined : "1" });

/** Chooses the tool whose calls alone are shown. */
function ToolPicker({ tree, tool }: { tree: EventTree; tool: string }) {
  const options = useMemo(
    () => [
      { id: "", name: "All tools" },
      ...toolsOf(tree).map(([name, calls]) => ({ id: name, name, detail: String(calls) })),
    ],
    [tree],
  );
  return (
    <Picker
      label="Tool"
      class="btn quiet"
      value={tool || "All tools"}
      options={options}
      chosen={[tool]}
      choose={(name) => setSearch({ tool: name })}
    >
      <Icon name="tools" class="i-14" />
      <bdi class="cut">{tool || "All tools"}</bdi>
      <Icon name="down" class="i-14" />
    </Picker>
  );
}
