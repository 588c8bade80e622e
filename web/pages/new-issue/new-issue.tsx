import { useEffect, useState } from "preact/hooks";
import { CreateIssue, CreateIssues, CreateTeam, type IssueCreateInput, IssueTemplates } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { newId } from "../../data/new-id.ts";
import { useQuery } from "../../data/query.ts";
import { Picker } from "../../parts/choose/picker.tsx";
import { Icon } from "../../parts/icon.tsx";
import { useModal } from "../../parts/modal.ts";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { type Draft, newIssueOpen } from "../../shell/new-issue-state.ts";
import { navigate } from "../../shell/router.ts";
import { type FieldOptions, useFieldOptions } from "../issues/choices.tsx";
import { pathOf } from "../issues/path.ts";
import { useDraft } from "./draft.ts";
import { Similar } from "./similar.tsx";
import { Values } from "./values.tsx";

/** The dialog for a new issue, over the page. What is written stays until the issue is created. */
export default function NewIssue() {
  const { dialog, end } = useModal(() => {
    newIssueOpen.value = undefined;
  });
  const { draft, change, clear } = useDraft();
  const choices = useChoices(draft);
  useNames(draft, change, choices);
  const done = (made: { identifier: string; url: string } | null | undefined) => {
    clear();
    end();
    toast(
      `${made?.identifier} was created.`,
      made ? { name: "Open", act: () => navigate(pathOf(made.url)) } : undefined,
    );
  };
  const { busy, error, create } = useCreate(draft, choices, done);
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) create();
  };
  return (
    <dialog class="dlg new-issue" aria-labelledby="new-issue" {...dialog} onKeyDown={onKey}>
      <Head draft={draft} change={change} choices={choices} end={end} />
      <Texts draft={draft} change={change} leave={end} />
      <Values draft={draft} change={change} options={choices.options} teamId={choices.teamId} />
      <footer>
        <Problem words={error || choices.problem} />
        <span class="hint only-wide">The draft is kept in this browser.</span>
        <button
          class="btn pri to-right"
          type="button"
          disabled={busy || !draft.title.trim()}
          aria-busy={busy}
          onClick={create}
        >
          Create issue <kbd class="only-wide">Ctrl ↵</kbd>
        </button>
      </footer>
    </dialog>
  );
}

/** A draft, and what changes it. */
export interface PartProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
}

interface Template {
  id: string;
  name: string;
  templateData: unknown;
}

interface Choices {
  options: FieldOptions;
  /** The team that is chosen, or else the first there is; undefined while that is not known. */
  teamId: string | undefined;
  templates: readonly Template[];
  problem: string;
}

/** The teams, the one that is chosen, and the templates that it may use. */
function useChoices({ teamId, teamKey }: Draft): Choices {
  const { data, error } = useQuery(IssueTemplates, {});
  const known = useFieldOptions(undefined).teams;
  const team = known.find(({ id, detail }) => (teamKey ? detail === teamKey : id === teamId)) ?? known.at(-1);
  const options = useFieldOptions(team?.id);
  const templates = (data?.templates ?? []).filter((each) => !each.team || each.team.id === team?.id);
  const none = options.read && known.length === 0 ? "There is no team yet: an issue needs one. Make it above." : "";
  return { options, teamId: team?.id, templates, problem: none || (error?.message ?? "") };
}

/** Puts ids in the place of the names that a draft began with, once they are known. */
function useNames(draft: Draft, change: PartProps["change"], { options, teamId }: Choices): void {
  const { teamKey, stateName, labelNames } = draft;
  useEffect(() => {
    if (!teamId || !options.read || options.states.length === 0 || !(teamKey || stateName || labelNames.length > 0))
      return;
    const state = options.states.find(({ name }) => name === stateName);
    const labels = options.labels.filter(({ name }) => labelNames.includes(name)).map(({ id }) => id);
    change({
      ...(teamKey && { teamId, teamKey: "" }),
      ...(stateName && { stateId: state?.id ?? "", stateName: "" }),
      ...(labelNames.length > 0 && { labelIds: [...new Set([...draft.labelIds, ...labels])], labelNames: [] }),
    });
  }, [teamId, options.read, options.states.length]);
}

/** Creates the issue, once it is known for which team: somebody may be faster than the answer. */
function useCreate(
  draft: Draft,
  { teamId, templates }: Choices,
  done: (made: { identifier: string; url: string } | null | undefined) => void,
) {
  const { busy, error, send } = useSending();
  const [asked, setAsked] = useState(false);
  const create = () => {
    if (busy || !draft.title.trim()) return;
    setAsked(!teamId);
    if (!teamId) return;
    const templateId = templates.some(({ id }) => id === draft.templateId) ? draft.templateId : "";
    const input = inputOf({ ...draft, templateId }, teamId);
    send(sent(input, draft.blockers).then(done));
  };
  useEffect(() => {
    if (asked && teamId) create();
  }, [asked, teamId]);
  return { busy, error, create };
}

/** With blockers the issue and its relations are made together, or not at all. */
async function sent(input: IssueCreateInput, blockers: readonly string[]) {
  if (blockers.length === 0) return (await request(CreateIssue, { input })).issueCreate.issue;
  const id = newId();
  const relations = blockers.map((issueId) => ({ issueId, relatedIssueId: id, type: "blocks" as const }));
  const { issueBatchCreate } = await request(CreateIssues, { input: { issues: [{ ...input, id }], relations } });
  return issueBatchCreate.issues[0];
}

function Head({ draft, change, choices, end }: PartProps & { choices: Choices; end: () => void }) {
  const { options, teamId, templates } = choices;
  const team = options.teams.find(({ id }) => id === teamId);
  const template = templates.find(({ id }) => id === draft.templateId);
  const choose = (templateId: string) => {
    const chosen = templates.find(({ id }) => id === templateId);
    change({ templateId, ...valuesOf(chosen?.templateData, draft) });
  };
  const makeTeam = async (name: string) => {
    const { teamCreate } = await request(CreateTeam, { input: { name } });
    await options.reload();
    change({ teamId: teamCreate.team?.id ?? "" });
  };
  return (
    <header>
      <Picker
        label="Team"
        class="btn"
        value={team ? `${team.detail} ${team.name}` : ""}
        options={options.teams}
        chosen={[teamId ?? ""]}
        choose={(id) => change({ teamId: id, labelIds: [], stateId: "", cycleId: "" })}
        make={{
          says: (text) => `Create the team “${text}”`,
          make: (text) => void makeTeam(text).catch((error: Error) => toast(error.message)),
        }}
      >
        <span class="mono">{team?.detail}</span> <bdi class="cut">{team?.name ?? "Team"}</bdi>
        <Icon name="down" class="i-14" />
      </Picker>
      <h2 id="new-issue" class="only-wide">
        New issue
      </h2>
      <span class="acts to-right">
        {templates.length > 0 && (
          <Picker
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
          </Picker>
        )}
        <button class="btn quiet sq" type="button" aria-label="Close" onClick={end}>
          <Icon name="x" class="i-14" />
        </button>
      </span>
    </header>
  );
}

/** A template gives what nobody has written yet. */
function valuesOf(data: unknown, draft: Draft): Partial<Draft> {
  const given = Object(data) as Partial<Draft>;
  const fields = ["stateId", "assigneeId", "delegateId", "projectId", "cycleId", "dueDate"] as const;
  return {
    title: draft.title.trim() ? draft.title : (given.title ?? ""),
    description: draft.description.trim() ? draft.description : (given.description ?? ""),
    priority: draft.priority || (given.priority ?? 0),
    labelIds: draft.labelIds.length > 0 ? draft.labelIds : (given.labelIds ?? []),
    ...Object.fromEntries(fields.map((field) => [field, draft[field] || (given[field] ?? "")])),
  };
}

/** The input of the mutation. What is empty is left out, so that a template or the team gives it. */
function inputOf(draft: Draft, teamId: string): IssueCreateInput {
  const { title, description, priority, labelIds, parent } = draft;
  const fields = [
    "stateId",
    "assigneeId",
    "delegateId",
    "projectId",
    "cycleId",
    "dueDate",
    "sessionId",
    "templateId",
  ] as const;
  return {
    teamId,
    title: title.trim(),
    description: description.trim() ? description : null,
    priority,
    labelIds,
    ...(parent && { parentId: parent }),
    ...Object.fromEntries(fields.flatMap((field) => (draft[field] ? [[field, draft[field]]] : []))),
  };
}

const Texts = ({ draft, change, leave }: PartProps & { leave: () => void }) => (
  <div class="nbody">
    <label class="sr" for="new-title">
      Title
    </label>
    <input
      class="bare t"
      id="new-title"
      placeholder="Title"
      autofocus
      maxLength={512}
      value={draft.title}
      onInput={(event) => change({ title: event.currentTarget.value })}
    />
    <label class="sr" for="new-description">
      Description, Markdown
    </label>
    <textarea
      class="bare d"
      id="new-description"
      placeholder="What happens, what should happen. Markdown works."
      value={draft.description}
      onInput={(event) => change({ description: event.currentTarget.value })}
    />
    <Similar title={draft.title} leave={leave} />
  </div>
);
