import type { IssueGroupBy } from "../../../data/documents.ts";
import { useKeys } from "../../../shell/keys.ts";
import { type IssueGroup, readGroupKey } from "../list/groups.tsx";
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

/** Handles the left and right arrows: move to the next column, with Shift together with the card. */
export function useBoardKeys({ selection, groups, by, move }: BoardKeys): void {
  const along = (step: number) => (event: KeyboardEvent) => {
    const id = selection.cursor.peek();
    const issue = selection.rows.get(id);
    const at = groups.findIndex(({ key }) => issue && key === readGroupKey(by, issue));
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
  useKeys({ ArrowLeft: along(-1), ArrowRight: along(1) });
}
