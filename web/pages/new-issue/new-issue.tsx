import { useEffect, useState } from "preact/hooks";
import { CreateIssue, IssueChoices, type IssueChoicesQuery, NewIssueChoices } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { useModal } from "../../parts/modal.ts";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { toast } from "../../parts/toast.tsx";
import { newIssueOpen } from "../../shell/new-issue-state.ts";
import { LabelMark } from "../issues/marks.tsx";
import { PRIORITIES } from "../issues/side/fields.tsx";
import { type Draft, useDraft } from "./draft.ts";
import { Similar } from "./similar.tsx";

/** The dialog for a new issue, over the page. What is written stays until the issue is created. */
export default function NewIssue() {
  const { dialog, end } = useModal(() => (newIssueOpen.value = false));
  const { draft, change, clear } = useDraft();
  const choices = useChoices(draft.teamId);
  const done = (identifier: string | undefined) => {
    clear();
    end();
    toast(`${identifier} was created.`);
  };
  const { busy, error, create } = useCreate(draft, choices, done);
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) create();
  };
  return (
    <dialog class="dlg new-issue" aria-labelledby="new-issue" {...dialog} onKeyDown={onKey}>
      <Head draft={draft} change={change} {...choices} end={end} />
      <Texts draft={draft} change={change} leave={end} />
      <Values draft={draft} change={change} teamId={choices.team?.id} />
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

type Choices = ReturnType<typeof useChoices>;

/** The teams, the one that is chosen, and the templates that it may use. */
function useChoices(teamId: string) {
  const { data, error } = useQuery(NewIssueChoices, {});
  const teams = data?.teams.nodes ?? [];
  const team = teams.find(({ id }) => id === teamId) ?? teams.at(-1);
  const templates = (data?.templates ?? []).filter((each) => !each.team || each.team.id === team?.id);
  const none = data && teams.length === 0 ? "There is no team yet: an issue needs one." : "";
  return { teams, team, templates, problem: data ? none : (error?.message ?? "") };
}

/** Creates the issue, once it is known for which team: somebody may be faster than the answer. */
function useCreate(draft: Draft, { team, templates }: Choices, done: (identifier: string | undefined) => void) {
  const { busy, error, send } = useSending();
  const [asked, setAsked] = useState(false);
  const create = () => {
    if (busy || !draft.title.trim()) return;
    setAsked(!team);
    if (!team) return;
    const templateId = templates.some(({ id }) => id === draft.templateId) ? draft.templateId : "";
    const input = inputOf({ ...draft, templateId }, team.id);
    send(request(CreateIssue, { input }).then(({ issueCreate }) => done(issueCreate.issue?.identifier)));
  };
  useEffect(() => {
    if (asked && team) create();
  }, [asked, team]);
  return { busy, error, create };
}

function Head({ draft, change, teams, team, templates, end }: PartProps & Choices & { end: () => void }) {
  const choose = (templateId: string) => {
    const template = templates.find(({ id }) => id === templateId);
    change({ templateId, ...valuesOf(template?.templateData, draft) });
  };
  return (
    <header>
      <Select
        label="Team"
        value={team?.id ?? ""}
        choices={teams.map(({ id, key, name }) => [id, `${key} ${name}`])}
        choose={(teamId) => change({ teamId, labelIds: [] })}
      />
      <h2 id="new-issue" class="only-wide">
        New issue
      </h2>
      <span class="acts to-right">
        {templates.length > 0 && (
          <Select
            label="Template"
            value={draft.templateId}
            choices={[["", "No template"], ...templates.map(({ id, name }): [string, string] => [id, name])]}
            choose={choose}
          />
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
  const { title, description, priority, assigneeId, labelIds } = Object(data) as Partial<Draft>;
  return {
    title: draft.title.trim() ? draft.title : (title ?? ""),
    description: draft.description.trim() ? draft.description : (description ?? ""),
    priority: draft.priority || (priority ?? 0),
    assigneeId: draft.assigneeId || (assigneeId ?? ""),
    labelIds: draft.labelIds.length > 0 ? draft.labelIds : (labelIds ?? []),
  };
}

const inputOf = ({ templateId, title, description, priority, assigneeId, labelIds }: Draft, teamId: string) => ({
  teamId,
  title: title.trim(),
  description: description.trim() ? description : null,
  priority,
  assigneeId: assigneeId || null,
  labelIds,
  ...(templateId && { templateId }),
});

interface PartProps {
  draft: Draft;
  change: (part: Partial<Draft>) => void;
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

/** Priority, assignee and labels. */
function Values({ draft, change, teamId }: PartProps & { teamId: string | undefined }) {
  const { data } = useQuery(IssueChoices, {});
  const labels = (data?.issueLabels.nodes ?? []).filter(({ team }) => !team || team.id === teamId);
  return (
    <div class="chips">
      <Select
        label="Priority"
        value={String(draft.priority)}
        choices={PRIORITIES.map((name, at) => [String(at), name])}
        choose={(priority) => change({ priority: Number(priority) })}
      />
      <Select
        label="Assignee"
        value={draft.assigneeId}
        choices={[["", "Nobody"], ...(data?.users.nodes ?? []).map(({ id, name }): [string, string] => [id, name])]}
        choose={(assigneeId) => change({ assigneeId })}
      />
      <Labels labels={labels} draft={draft} change={change} />
    </div>
  );
}

function Labels({ labels, draft, change }: PartProps & { labels: IssueChoicesQuery["issueLabels"]["nodes"] }) {
  const has = new Set(draft.labelIds);
  return (
    <>
      {labels
        .filter(({ id }) => has.has(id))
        .map((label) => (
          <LabelMark key={label.id} label={label}>
            <button
              class="plain"
              type="button"
              aria-label={`Take off label ${label.name}`}
              onClick={() => change({ labelIds: draft.labelIds.filter((id) => id !== label.id) })}
            >
              <Icon name="x" class="i-14" />
            </button>
          </LabelMark>
        ))}
      <Select
        label="Add label"
        value=""
        choices={[
          ["", "Add label"],
          ...labels.filter(({ id }) => !has.has(id)).map(({ id, name }): [string, string] => [id, name]),
        ]}
        choose={(id) => id && change({ labelIds: [...draft.labelIds, id] })}
      />
    </>
  );
}

interface SelectProps {
  label: string;
  value: string;
  choices: [id: string, name: string][];
  choose: (id: string) => void;
}

const Select = ({ label, value, choices, choose }: SelectProps) => (
  <select class="in" aria-label={label} value={value} onChange={(event) => choose(event.currentTarget.value)}>
    {choices.map(([id, name]) => (
      <option key={id} value={id}>
        {name}
      </option>
    ))}
  </select>
);
