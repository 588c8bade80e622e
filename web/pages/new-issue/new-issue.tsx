import { useModal } from "../../parts/modal.ts";
import { Problem } from "../../parts/states.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { newIssueOpen } from "../../shell/new-issue-state.ts";
import { navigate } from "../../shell/router.ts";
import { pathOf } from "../issues/path.ts";
import { useCreate } from "./create.ts";
import { type PartProps, useDraft } from "./draft.ts";
import { Head } from "./head.tsx";
import { Similar } from "./similar.tsx";
import { useChoices, useNames } from "./team-and-templates.ts";
import { Values } from "./values.tsx";

/** The dialog for a new issue, over the page. What is written stays until the issue is created. */
export default function NewIssue() {
  const { dialog, end } = useModal(() => {
    newIssueOpen.value = undefined;
  });
  const { draft, since, change, clear } = useDraft();
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
        {since === undefined ? (
          <span class="hint only-wide">The draft is kept in this browser.</span>
        ) : (
          <span class="hint">
            Your draft from <Ago at={since} prose />
            <button class="btn quiet" type="button" onClick={clear}>
              Discard it
            </button>
          </span>
        )}
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
