import { CreateLabel, type IssueUpdateInput } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import type { PickerOption } from "../../../parts/choose/chooser.tsx";
import { OptionPicker } from "../../../parts/choose/picker.tsx";
import { Icon } from "../../../parts/icon.tsx";
import { DayField, PropertyRow } from "../../../parts/property.tsx";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { type FieldOptions, useFieldOptions, useIssueSearchOptions } from "../choices.tsx";
import type { IssueData } from "../issue.tsx";
import { LabelBadge, PRIORITY_NAMES } from "../marks.tsx";

type Change = (input: IssueUpdateInput) => void;

interface FieldsProps {
  issue: IssueData;
  /** Optimistic values, shown until the mutation's response arrives. */
  chosen: IssueUpdateInput;
  change: Change;
}

/**
 * Returns a handler that clicks the button of a property. The handler runs when the user presses the property's key,
 * such as S for the state.
 */
const pressProperty = (label: string) => () =>
  document.querySelector<HTMLElement>(`.props button[data-label="${label}"]`)?.click();

/** Properties of an issue, each with a picker. */
export function PropertyFields({ issue, chosen, change }: FieldsProps) {
  const options = useFieldOptions(issue.team.id);
  useKeyboardShortcuts({
    s: pressProperty("State"),
    p: pressProperty("Priority"),
    a: pressProperty("Assignee"),
    l: pressProperty("Labels"),
  });
  const known = (of: { id: string; name: string } | null | undefined): PickerOption[] => (of ? [of] : []);
  const linked = (
    member: "assigneeId" | "delegateId" | "projectId" | "projectMilestoneId" | "cycleId",
    now: { id: string } | null,
  ) => (chosen[member] === undefined ? (now?.id ?? "") : (chosen[member] ?? ""));
  const cycle = issue.cycle && { id: issue.cycle.id, name: issue.cycle.name ?? `Cycle ${issue.cycle.number}` };
  return (
    <dl>
      <PropertyPicker
        name="State"
        id={chosen.stateId ?? issue.state.id}
        options={options.states}
        known={[issue.state]}
        choose={(stateId) => change({ stateId })}
      />
      <PropertyPicker
        name="Priority"
        id={String(chosen.priority ?? issue.priority)}
        options={options.priorities}
        known={PRIORITY_NAMES.map((name, at) => ({ id: String(at), name }))}
        choose={(priority) => change({ priority: Number(priority) })}
      />
      <PropertyPicker
        name="Assignee"
        id={linked("assigneeId", issue.assignee)}
        options={options.people}
        known={known(issue.assignee)}
        none="No assignee"
        choose={(id) => change({ assigneeId: id || null })}
      />
      <PropertyPicker
        name="Delegate"
        id={linked("delegateId", issue.delegate)}
        options={options.agents}
        known={known(issue.delegate)}
        none="No agent"
        choose={(id) => change({ delegateId: id || null })}
      />
      <Labels issue={issue} options={options} change={change} />
      <PropertyPicker
        name="Project"
        id={linked("projectId", issue.project)}
        options={options.projects}
        known={known(issue.project)}
        none="Set…"
        choose={(id) => change({ projectId: id || null })}
      />
      {issue.project && (
        <PropertyPicker
          name="Milestone"
          id={linked("projectMilestoneId", issue.projectMilestone)}
          options={[{ id: "", name: "No milestone" }, ...issue.project.projectMilestones.nodes]}
          known={known(issue.projectMilestone)}
          none="Set…"
          choose={(id) => change({ projectMilestoneId: id || null })}
        />
      )}
      <PropertyPicker
        name="Cycle"
        id={linked("cycleId", issue.cycle)}
        options={options.cycles}
        known={known(cycle)}
        none="Set…"
        choose={(id) => change({ cycleId: id || null })}
      />
      <Parent issue={issue} change={change} />
      <PropertyRow name="Due">
        <DayField
          label="Due"
          value={chosen.dueDate === undefined ? issue.dueDate : chosen.dueDate}
          change={(dueDate) => change({ dueDate })}
        />
      </PropertyRow>
    </dl>
  );
}

interface OneProps {
  name: string;
  id: string;
  options: readonly PickerOption[];
  /**
   * Options for the current value, taken from the issue. The picker shows the name of the current value even before all
   * options are read.
   */
  known: readonly PickerOption[];
  /** Text for an empty value. */
  none?: string;
  choose: (id: string) => void;
}

function PropertyPicker({ name, id, options, known, none = "None", choose }: OneProps) {
  const option = [...options, ...known].find((each) => each.id === id && id !== "");
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <OptionPicker label={name} value={option?.name ?? none} options={options} chosen={[id]} choose={choose}>
          {option?.icon}
          <bdi class={option ? "cut" : "cut dim"}>{option?.name ?? none}</bdi>
        </OptionPicker>
      </dd>
    </>
  );
}

function Labels({ issue, options, change }: { issue: IssueData; options: FieldOptions; change: Change }) {
  const chosen = issue.labelIds;
  const choose = (id: string) => change(chosen.includes(id) ? { removedLabelIds: [id] } : { addedLabelIds: [id] });
  const make = async (name: string) => {
    const { issueLabelCreate } = await requestGraphQL(CreateLabel, { input: { name, teamId: issue.team.id } });
    await options.reload();
    change({ addedLabelIds: [issueLabelCreate.issueLabel?.id ?? ""] });
  };
  return (
    <>
      <dt>Labels</dt>
      <dd>
        {issue.labels.nodes.map((label) => (
          <LabelBadge key={label.id} label={label}>
            <button
              class="plain"
              type="button"
              aria-label={`Remove label ${label.name}`}
              onClick={() => change({ removedLabelIds: [label.id] })}
            >
              <Icon name="x" class="i-14" />
            </button>
          </LabelBadge>
        ))}
        <OptionPicker
          label="Labels"
          value=""
          class="val add"
          options={options.labels}
          chosen={chosen}
          choose={choose}
          many
          make={{ says: (text) => `Create the label “${text}”`, make: (text) => void make(text) }}
        >
          <Icon name="plus" class="i-14" />
          <span class="sr">Labels</span>
        </OptionPicker>
      </dd>
    </>
  );
}

function Parent({ issue, change }: { issue: IssueData; change: Change }) {
  const { options, find } = useIssueSearchOptions(issue.identifier);
  const { parent } = issue;
  return (
    <>
      <dt>Parent</dt>
      <dd>
        <OptionPicker
          label="Parent"
          value={parent?.identifier ?? "Set…"}
          find={find}
          options={parent ? [{ id: "", name: "No parent" }, ...options] : options}
          chosen={parent ? [parent.identifier] : []}
          choose={(id) => change({ parentId: id || null })}
        >
          <bdi class={parent ? "cut" : "cut dim"}>{parent ? parent.identifier : "Set…"}</bdi>
        </OptionPicker>
      </dd>
    </>
  );
}
