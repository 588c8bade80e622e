import { useCallback, useRef, useState } from "preact/hooks";
import type { IssueGroupBy } from "../../../data/documents.ts";
import { Picker } from "../../../parts/choose/picker.tsx";
import { Popover } from "../../../parts/choose/popover.tsx";
import { Drawing } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { place, setSearch } from "../../../shell/router.ts";
import { GROUPINGS } from "./groups.tsx";
import { SORT_NAMES, sortName } from "./sort.ts";

/** The layout and the grouping of the issues, as the address says them. */
export interface Shown {
  board: boolean;
  by: IssueGroupBy | undefined;
}

/** Groupings by which a board can be made: a card is in one column, and can be moved to another. */
const COLUMNS: readonly IssueGroupBy[] = ["state", "priority", "assignee", "delegate", "project", "cycle"];

/** Reads from an address how issues are shown: `layout=board`, `group=assignee`, `group=none`. */
export function shownOf(search: URLSearchParams): Shown {
  const board = search.get("layout") === "board";
  const asked = search.get("group");
  const by = GROUPINGS.find(([each]) => each === asked)?.[0];
  if (board) return { board, by: by && COLUMNS.includes(by) ? by : "state" };
  return { board, by: asked === "none" ? undefined : (by ?? "state") };
}

/** Goes from the list to the board, or back. */
export const turnBoard = (): void =>
  setSearch({ layout: place.peek().search.get("layout") === "board" ? undefined : "board" }, false);

/** The two layouts. */
export const Layouts = ({ board }: { board: boolean }) => (
  <span class="seg" role="group" aria-label="Layout">
    <button type="button" aria-pressed={!board} onClick={() => setSearch({ layout: undefined }, false)}>
      <Drawing name="list" />
      <span class="only-wide">List</span>
      <span class="sr only-thin">List</span>
    </button>
    <button type="button" aria-pressed={board} onClick={() => setSearch({ layout: "board" }, false)}>
      <Drawing name="board" />
      <span class="only-wide">Board</span>
      <span class="sr only-thin">Board</span>
    </button>
  </span>
);

/** The button that opens what can be chosen of the list: its groups and its order. */
export function Display({ shown: { board, by } }: { shown: Shown }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const groupings = GROUPINGS.filter(([each]) => !board || COLUMNS.includes(each)).map(([id, name]) => ({ id, name }));
  const options = board ? groupings : [{ id: "none", name: "Nothing" }, ...groupings];
  const sort = sortName(place.value.search).replace(/\.up$/, "");
  const nameOf = (id: string) => options.find((each) => each.id === id)?.name ?? "Nothing";
  return (
    <>
      <button
        class="btn"
        type="button"
        ref={button}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label="Display"
        onClick={() => setOpen(!open)}
      >
        <Icon name="settings" class="i-14" />
        <span class="only-wide">Display</span>
      </button>
      {open && button.current && (
        <Popover anchor={button.current} label="Display" close={close} atEnd class="display">
          <div class="opts">
            <span>Group by</span>
            <Picker
              label="Group by"
              class="sel"
              value={nameOf(by ?? "none")}
              options={options}
              chosen={[by ?? "none"]}
              choose={(group) => setSearch({ group: group === "state" ? undefined : group }, false)}
            >
              {nameOf(by ?? "none")}
              <Icon name="down" class="i-14" />
            </Picker>
            <span>Order</span>
            <Picker
              label="Order"
              class="sel"
              value={SORT_NAMES.find(([each]) => each === sort)?.[1] ?? ""}
              options={SORT_NAMES.map(([id, name]) => ({ id, name }))}
              chosen={[sort]}
              choose={(next) => setSearch({ sort: next }, false)}
            >
              <span class="cut">{SORT_NAMES.find(([each]) => each === sort)?.[1]}</span>
              <Icon name="down" class="i-14" />
            </Picker>
          </div>
        </Popover>
      )}
    </>
  );
}
