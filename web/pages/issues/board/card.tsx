import { useComputed } from "@preact/signals";
import { Icon } from "../../../parts/icon.tsx";
import { Avatar } from "../../../parts/marks.tsx";
import type { IssueRow } from "../list/row-type.ts";
import { LatestSessionActivity, LeaseHolder } from "../list/rows.tsx";
import { type IssueSelection, toggleIssueSelected } from "../list/selection.ts";
import { LabelBadge, PriorityIcon } from "../marks.tsx";
import { toAppPath } from "../path.ts";
import { useDraggableCard } from "./drag.ts";

export function IssueCard({ issue, selection }: { issue: IssueRow; selection: IssueSelection }) {
  const { id, identifier, title, url, priority, priorityLabel, labels, lease, assignee } = issue;
  const here = useComputed(() => selection.cursor.value === id).value;
  const chosen = useComputed(() => selection.chosen.value.has(id)).value;
  const { card, dragged } = useDraggableCard(id);
  selection.rows.set(id, issue);
  const classes = ["icard", here && "here", chosen && "on", dragged && "dragged"].filter(Boolean).join(" ");
  return (
    <li class={classes} ref={card} data-id={id} aria-current={here ? "true" : undefined}>
      <div class="top">
        <span title={priorityLabel}>
          <PriorityIcon priority={priority} />
          <span class="sr">{priorityLabel}</span>
        </span>
        <span class="mono">{identifier}</span>
        <span class="end">
          <input
            class="check"
            type="checkbox"
            aria-label={`Select ${identifier}`}
            checked={chosen}
            onChange={() => toggleIssueSelected(selection, id)}
          />
          {assignee ? (
            <span title={assignee.name}>
              <Avatar name={assignee.name} />
              <span class="sr">{assignee.name}</span>
            </span>
          ) : (
            <span class="nobody" title="No assignee">
              <span class="sr">No assignee</span>
            </span>
          )}
        </span>
      </div>
      <h3>
        <a
          href={toAppPath(url)}
          data-row={id}
          tabIndex={here ? 0 : -1}
          draggable={false}
          onFocus={() => {
            selection.cursor.value = id;
          }}
        >
          <bdi>{title}</bdi>
        </a>
      </h3>
      {(issue.blocked || labels.nodes.length > 0) && (
        <div class="labels">
          {issue.blocked && (
            <span class="badge run">
              <Icon name="block" />
              blocked
            </span>
          )}
          {labels.nodes.map((label) => (
            <LabelBadge key={label.id} label={label} />
          ))}
        </div>
      )}
      {(lease || (issue.sessionLinks?.nodes.length ?? 0) > 0) && (
        <div class="bottom">
          {lease && <LeaseHolder lease={lease} />}
          <span class="end">
            <LatestSessionActivity issue={issue} />
          </span>
        </div>
      )}
    </li>
  );
}
