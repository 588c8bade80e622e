import { IssueChoices, type IssueUpdateInput } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import type { IssueData } from "../issue.tsx";
import { LabelMark, PRIORITIES } from "../marks.tsx";

type Change = (input: IssueUpdateInput) => void;

interface FieldsProps {
  issue: IssueData;
  /** The choice that is not answered yet: it is shown until then. */
  chosen: IssueUpdateInput;
  change: Change;
}

/** State, priority, assignee and labels. */
export function Fields({ issue, chosen, change }: FieldsProps) {
  const { data } = useQuery(IssueChoices, {});
  const states = [...issue.team.states.nodes].sort((a, b) => a.position - b.position);
  const people = data?.users.nodes ?? (issue.assignee ? [issue.assignee] : []);
  const labels = (data?.issueLabels.nodes ?? []).filter(({ team }) => !team || team.id === issue.team.id);
  return (
    <dl>
      <Choice
        name="State"
        value={chosen.stateId ?? issue.state.id}
        choices={states.map(({ id, name }) => [id, name])}
        choose={(stateId) => change({ stateId })}
      />
      <Choice
        name="Priority"
        value={String(chosen.priority ?? issue.priority)}
        choices={PRIORITIES.map((name, at) => [String(at), name])}
        choose={(priority) => change({ priority: Number(priority) })}
      />
      <Choice
        name="Assignee"
        value={chosen.assigneeId === undefined ? (issue.assignee?.id ?? "") : (chosen.assigneeId ?? "")}
        choices={[["", "Nobody"], ...people.map(({ id, name }): [string, string] => [id, name])]}
        choose={(id) => change({ assigneeId: id || null })}
      />
      <Labels issue={issue} labels={labels} change={change} />
    </dl>
  );
}

interface ChoiceProps {
  name: string;
  value: string;
  choices: [id: string, name: string][];
  choose: (id: string) => void;
}

const Choice = ({ name, value, choices, choose }: ChoiceProps) => (
  <>
    <dt>
      <label for={`p-${name}`}>{name}</label>
    </dt>
    <dd>
      <select class="in val" id={`p-${name}`} value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {choices.map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
    </dd>
  </>
);

interface LabelsProps {
  issue: IssueData;
  labels: readonly { id: string; name: string }[];
  change: Change;
}

function Labels({ issue, labels, change }: LabelsProps) {
  const has = new Set(issue.labels.nodes.map(({ id }) => id));
  return (
    <>
      <dt>Labels</dt>
      <dd>
        {issue.labels.nodes.map((label) => (
          <LabelMark key={label.id} label={label}>
            <button
              class="plain"
              type="button"
              aria-label={`Take off label ${label.name}`}
              onClick={() => change({ removedLabelIds: [label.id] })}
            >
              <Icon name="x" class="i-14" />
            </button>
          </LabelMark>
        ))}
        <select
          class="in val"
          aria-label="Add label"
          value=""
          onChange={(event) => {
            const { value } = event.currentTarget;
            event.currentTarget.value = "";
            if (value) change({ addedLabelIds: [value] });
          }}
        >
          <option value="">Add…</option>
          {labels
            .filter(({ id }) => !has.has(id))
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </select>
      </dd>
    </>
  );
}
