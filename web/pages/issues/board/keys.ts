import type { IssueGroupBy } from "../../../data/documents.ts";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { findGroupKey, type IssueGroup } from "../list/groups.tsx";
import type { IssueRow } from "../list/row-type.ts";
import type { IssueSelection } from "../list/selection.ts";

interface BoardKeys {
  selection: IssueSelection;
  groups: readonly IssueGroup[];
  by: IssueGroupBy;
  move: (issue: IssueRow, group: IssueGroup) => void;
}

const cardsIn = (lane: Element | undefined): HTMLElement[] => [
  ...(lane?.querySelectorAll<HTMLElement>("[data-row]") ?? []),
];

/**
 * Handles the left and right arrow keys. An arrow moves the focus to the neighboring column, and Shift with an arrow
 * moves the card.
 */
export function useBoardShortcuts({ selection, groups, by, move }: BoardKeys): void {
  const along = (step: number) => (event: KeyboardEvent) => {
    const id = selection.cursor.peek();
    const issue = selection.rows.get(id);
    const at = groups.findIndex(({ key }) => issue && key === findGroupKey(by, issue));
    if (event.shiftKey) {
      const next = groups[at + step];
      if (issue && next) move(issue, next);
      return;
    }
    const lanes = [...document.querySelectorAll(".board .lane")];
    const here = lanes.findIndex((lane) => lane.querySelector(`[data-id="${id}"]`));
    const place = cardsIn(lanes[here]).findIndex(({ dataset }) => dataset["row"] === id);
    for (let to = here + step; to >= 0 && to < lanes.length; to += step) {
      const cards = cardsIn(lanes[to]);
      const card = cards[Math.min(Math.max(place, 0), cards.length - 1)];
      if (card) return card.focus();
    }
  };
  useKeyboardShortcuts({ ArrowLeft: along(-1), ArrowRight: along(1) });
}
