import { CreateTeam } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { OptionPicker } from "../../parts/choose/picker.tsx";
import { Icon } from "../../parts/icon.tsx";
import { showToast } from "../../parts/toast.tsx";
import type { IssueDraft } from "../../shell/new-issue-state.ts";
import type { DraftProps } from "./draft.ts";
import type { DraftOptions } from "./team-and-templates.ts";

/** Head of the dialog: the team and the templates. */
export function NewIssueHead({ draft, change, choices, end }: DraftProps & { choices: DraftOptions; end: () => void }) {
  const { options, teamId, templates } = choices;
  const team = options.teams.find(({ id }) => id === teamId);
  const template = templates.find(({ id }) => id === draft.templateId);
  const choose = (templateId: string) => {
    const chosen = templates.find(({ id }) => id === templateId);
    change({ templateId, ...valuesOf(chosen?.templateData, draft) });
  };
  const makeTeam = async (name: string) => {
    const { teamCreate } = await requestGraphQL(CreateTeam, { input: { name } });
    await options.reload();
    change({ teamId: teamCreate.team?.id ?? "" });
  };
  return (
    <header>
      <OptionPicker
        label="Team"
        class="btn"
        value={team ? `${team.detail} ${team.name}` : ""}
        options={options.teams}
        chosen={[teamId ?? ""]}
        choose={(id) => change({ teamId: id, labelIds: [], stateId: "", cycleId: "" })}
        make={{
          says: (text) => `Create the team “${text}”`,
          make: (text) => void makeTeam(text).catch((error: Error) => showToast(error.message)),
        }}
      >
        <span class="mono">{team?.detail}</span> <bdi class="cut">{team?.name ?? "Team"}</bdi>
        <Icon name="down" class="i-14" />
      </OptionPicker>
      <h2 id="new-issue" class="only-wide">
        New issue
      </h2>
      <span class="acts to-right">
        {templates.length > 0 && (
          <OptionPicker
            label="Template"
            class="btn quiet"
            value={template?.name ?? ""}
            options={[{ id: "", name: "No template" }, ...templates]}
            chosen={[draft.templateId]}
            choose={choose}
          >
            <Icon name="read" class="i-14" />
            <bdi class="cut">{template?.name ?? "Template"}</bdi>
            <Icon name="down" class="i-14" />
          </OptionPicker>
        )}
        <button class="btn quiet sq" type="button" aria-label="Close" onClick={end}>
          <Icon name="x" class="i-14" />
        </button>
      </span>
    </header>
  );
}

/** Returns the draft's values. A field that the user has not filled in gets the template's value. */
function valuesOf(data: unknown, draft: IssueDraft): Partial<IssueDraft> {
  const given = Object(data) as Partial<IssueDraft>;
  const fields = ["stateId", "assigneeId", "delegateId", "cycleId", "dueDate"] as const;
  const projectId = draft.projectId || (given.projectId ?? "");
  const milestone = projectId === given.projectId ? (given.projectMilestoneId ?? "") : "";
  return {
    projectId,
    projectMilestoneId: draft.projectMilestoneId || milestone,
    title: draft.title.trim() ? draft.title : (given.title ?? ""),
    description: draft.description.trim() ? draft.description : (given.description ?? ""),
    priority: draft.priority || (given.priority ?? 0),
    labelIds: draft.labelIds.length > 0 ? draft.labelIds : (given.labelIds ?? []),
    ...Object.fromEntries(fields.map((field) => [field, draft[field] || (given[field] ?? "")])),
  };
}
