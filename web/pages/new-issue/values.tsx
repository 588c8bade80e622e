import type { ComponentChildren } from "preact";
import { CreateLabel, MilestonesOfProject } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import type { PickerOption } from "../../parts/choose/chooser.tsx";
import { OptionPicker } from "../../parts/choose/picker.tsx";
import { TrackerIcon } from "../../parts/drawings.tsx";
import { Icon } from "../../parts/icon.tsx";
import { showToast } from "../../parts/toast.tsx";
import { type FieldOptions, useIssueSearchOptions } from "../issues/choices.tsx";
import type { DraftProps } from "./draft.ts";

interface ValuesProps extends DraftProps {
  options: FieldOptions;
  teamId: string | undefined;
}

/** Values of a new issue, one button per value. The button of an empty value has a dashed border. */
export function IssueDraftFields({ draft, change, options, teamId }: ValuesProps) {
  return (
    <div class="values">
      <DraftValuePicker
        label="State"
        icon={<TrackerIcon name="unstarted" />}
        options={options.states}
        id={draft.stateId}
        choose={(stateId) => change({ stateId })}
      />
      <DraftValuePicker
        label="Priority"
        icon={<TrackerIcon name="high" />}
        options={options.priorities}
        id={draft.priority ? String(draft.priority) : ""}
        choose={(priority) => change({ priority: Number(priority) })}
      />
      <DraftValuePicker
        label="Assignee"
        icon={<TrackerIcon name="user" />}
        options={options.people}
        id={draft.assigneeId}
        choose={(assigneeId) => change({ assigneeId })}
      />
      <DraftValuePicker
        label="Delegate"
        icon={<TrackerIcon name="hand" />}
        options={options.agents}
        id={draft.delegateId}
        choose={(delegateId) => change({ delegateId })}
      />
      <Labels draft={draft} change={change} options={options} teamId={teamId} />
      <DraftValuePicker
        label="Project"
        icon={<Icon name="projects" class="i-14" />}
        options={options.projects}
        id={draft.projectId}
        choose={(projectId) => change({ projectId })}
      />
      {draft.projectId && <Milestone draft={draft} change={change} />}
      <DraftValuePicker
        label="Cycle"
        icon={<TrackerIcon name="cycle" />}
        options={options.cycles}
        id={draft.cycleId}
        choose={(cycleId) => change({ cycleId })}
      />
      <Parent draft={draft} change={change} />
      <Blockers draft={draft} change={change} />
      <label class={draft.dueDate ? "value" : "value unset"}>
        <TrackerIcon name="calendar" />
        <span>Due</span>
        <input
          type="date"
          aria-label="Due"
          value={draft.dueDate}
          onChange={(event) => change({ dueDate: event.currentTarget.value })}
        />
      </label>
    </div>
  );
}

interface OneProps {
  label: string;
  icon: ComponentChildren;
  options: readonly PickerOption[];
  /** Id of the chosen option; empty for none. */
  id: string;
  choose: (id: string) => void;
}

function DraftValuePicker({ label, icon, options, id, choose }: OneProps) {
  const option = id ? options.find((each) => each.id === id) : undefined;
  return (
    <OptionPicker
      label={label}
      class={option ? "value" : "value unset"}
      value={option?.name ?? ""}
      options={options}
      chosen={[id]}
      choose={choose}
    >
      {option?.icon ?? icon}
      <bdi class="cut">{option?.name ?? label}</bdi>
    </OptionPicker>
  );
}

function Milestone({ draft: { projectId, projectMilestoneId }, change }: DraftProps) {
  const { data } = useQuery(MilestonesOfProject, { id: projectId });
  return (
    <DraftValuePicker
      label="Milestone"
      icon={<TrackerIcon name="milestone" />}
      options={[{ id: "", name: "No milestone" }, ...(data?.project.projectMilestones.nodes ?? [])]}
      id={projectMilestoneId}
      choose={(id) => change({ projectMilestoneId: id })}
    />
  );
}

function Labels({ draft, change, options, teamId }: ValuesProps) {
  const chosen = options.labels.filter(({ id }) => draft.labelIds.includes(id));
  const names = chosen.map(({ name }) => name).join(", ");
  const choose = (id: string) =>
    change({
      labelIds: draft.labelIds.includes(id) ? draft.labelIds.filter((each) => each !== id) : [...draft.labelIds, id],
    });
  const make = async (name: string) => {
    const input = { name, ...(teamId && { teamId }) };
    const { issueLabelCreate } = await requestGraphQL(CreateLabel, { input });
    await options.reload();
    change({ labelIds: [...draft.labelIds, issueLabelCreate.issueLabel?.id ?? ""] });
  };
  return (
    <OptionPicker
      label="Labels"
      class={names ? "value" : "value unset"}
      value={names}
      options={options.labels}
      chosen={draft.labelIds}
      choose={choose}
      many
      make={{
        says: (text) => `Create the label “${text}”`,
        make: (text) => void make(text).catch((error: Error) => showToast(error.message)),
      }}
    >
      {chosen[0]?.icon ?? <TrackerIcon name="tag" />}
      <bdi class="cut">{names || "Labels"}</bdi>
    </OptionPicker>
  );
}

function Parent({ draft, change }: DraftProps) {
  const found = useIssueSearchOptions();
  return (
    <OptionPicker
      label="Parent"
      class={draft.parent ? "value" : "value unset"}
      value={draft.parent}
      {...found}
      options={[...(draft.parent ? [{ id: "", name: "No parent" }] : []), ...found.options]}
      chosen={[draft.parent]}
      choose={(parent) => change({ parent })}
    >
      <Icon name="sub" class="i-14" />
      {draft.parent || "Parent"}
    </OptionPicker>
  );
}

function Blockers({ draft, change }: DraftProps) {
  const found = useIssueSearchOptions();
  const { blockers } = draft;
  const choose = (id: string) =>
    change({ blockers: blockers.includes(id) ? blockers.filter((each) => each !== id) : [...blockers, id] });
  return (
    <OptionPicker
      label="Blocked by"
      class={blockers.length > 0 ? "value" : "value unset"}
      value={blockers.join(", ")}
      {...found}
      chosen={blockers}
      choose={choose}
      many
    >
      <Icon name="block" class="i-14" />
      <span class="cut">{blockers.join(", ") || "Blocked by"}</span>
    </OptionPicker>
  );
}
