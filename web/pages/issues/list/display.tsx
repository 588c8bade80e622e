import { useCallback, useRef, useState } from "preact/hooks";
import type { IssueGroupBy } from "../../../data/documents.ts";
import { OptionPicker } from "../../../parts/choose/picker.tsx";
import { Popover } from "../../../parts/choose/popover.tsx";
import { TrackerIcon } from "../../../parts/drawings.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { appLocation, setSearchParameters } from "../../../shell/router.ts";
import { GROUPING_OPTIONS } from "./groups.tsx";
import { readSortName, SORT_OPTIONS } from "./sort.ts";

/** Layout and grouping of the issues, from the address. */
export interface DisplayOptions {
  board: boolean;
  by: IssueGroupBy | undefined;
}

/** Groupings for a board. Each card belongs to one column and can be moved to another column. */
const COLUMNS: readonly IssueGroupBy[] = ["state", "priority", "assignee", "delegate", "project", "cycle"];

/** Reads the layout and the grouping from an address: `layout=board`, `group=assignee`, `group=none`. */
export function readDisplayOptions(search: URLSearchParams): DisplayOptions {
  const board = search.get("layout") === "board";
  const asked = search.get("group");
  const by = GROUPING_OPTIONS.find(([each]) => each === asked)?.[0];
  if (board) return { board, by: by && COLUMNS.includes(by) ? by : "state" };
  return { board, by: asked === "none" ? undefined : (by ?? "state") };
}

/** Switches between list and board. */
export const toggleBoard = (): void =>
  setSearchParameters({ layout: appLocation.peek().search.get("layout") === "board" ? undefined : "board" }, false);

/** Buttons that switch between list and board. */
export const LayoutButtons = ({ board }: { board: boolean }) => (
  <span class="seg" role="group" aria-label="Layout">
    <button type="button" aria-pressed={!board} onClick={() => setSearchParameters({ layout: undefined }, false)}>
      <TrackerIcon name="list" />
      <span class="only-wide">List</span>
      <span class="sr only-thin">List</span>
    </button>
    <button type="button" aria-pressed={board} onClick={() => setSearchParameters({ layout: "board" }, false)}>
      <TrackerIcon name="board" />
      <span class="only-wide">Board</span>
      <span class="sr only-thin">Board</span>
    </button>
  </span>
);

/** Button that opens the options of the list: grouping and order. */
export function DisplayOptionsButton({ shown: { board, by } }: { shown: DisplayOptions }) {
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  const groupings = GROUPING_OPTIONS.filter(([each]) => !board || COLUMNS.includes(each)).map(([id, name]) => ({
    id,
    name,
  }));
  const options = board ? groupings : [{ id: "none", name: "No grouping" }, ...groupings];
  const sort = readSortName(appLocation.value.search).replace(/\.up$/, "");
  const nameOf = (id: string) => options.find((each) => each.id === id)?.name ?? "No grouping";
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
            <OptionPicker
              label="Group by"
              class="sel"
              value={nameOf(by ?? "none")}
              options={options}
              chosen={[by ?? "none"]}
              choose={(group) => setSearchParameters({ group: group === "state" ? undefined : group }, false)}
            >
              {nameOf(by ?? "none")}
              <Icon name="down" class="i-14" />
            </OptionPicker>
            <span>Order by</span>
            <OptionPicker
              label="Order"
              class="sel"
              value={SORT_OPTIONS.find(([each]) => each === sort)?.[1] ?? ""}
              options={SORT_OPTIONS.map(([id, name]) => ({ id, name }))}
              chosen={[sort]}
              choose={(next) => setSearchParameters({ sort: next }, false)}
            >
              <span class="cut">{SORT_OPTIONS.find(([each]) => each === sort)?.[1]}</span>
              <Icon name="down" class="i-14" />
            </OptionPicker>
          </div>
        </Popover>
      )}
    </>
  );
}
