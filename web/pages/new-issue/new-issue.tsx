import { useModal } from "../../parts/modal.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { Age } from "../../parts/time/time.tsx";
import { showToast } from "../../parts/toast.tsx";
import { newIssueDraft } from "../../shell/new-issue-state.ts";
import { navigate } from "../../shell/router.ts";
import { toAppPath } from "../issues/path.ts";
import { useIssueCreation } from "./create.ts";
import { type DraftProps, useStoredDraft } from "./draft.ts";
import { NewIssueHead } from "./head.tsx";
import { SimilarIssuesHint } from "./similar.tsx";
import { useDraftNameResolution, useDraftOptions } from "./team-and-templates.ts";
import { IssueDraftFields } from "./values.tsx";

/** Dialog for a new issue. The draft is stored until the issue is created. */
export default function NewIssueDialog() {
  const { dialog, end } = useModal(() => {
    newIssueDraft.value = undefined;
  });
  const { draft, since, change, clear } = useStoredDraft();
  const choices = useDraftOptions(draft);
  useDraftNameResolution(draft, change, choices);
  const done = (made: { identifier: string; url: string } | null | undefined) => {
    clear();
    end();
    showToast(
      `${made?.identifier} was created.`,
      made ? { name: "Open", act: () => navigate(toAppPath(made.url)) } : undefined,
    );
  };
  const { busy, error, create } = useIssueCreation(draft, choices, done);
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) create();
  };
  return (
    <dialog class="dlg new-issue" aria-labelledby="new-issue" {...dialog} onKeyDown={onKey}>
      <NewIssueHead draft={draft} change={change} choices={choices} end={end} />
      <Texts draft={draft} change={change} leave={end} />
      <IssueDraftFields draft={draft} change={change} options={choices.options} teamId={choices.teamId} />
      <footer>
        <ErrorNote words={error || choices.problem} />
        {since === undefined ? (
          <span class="hint only-wide">Your draft is saved in this browser.</span>
        ) : (
          <span class="hint">
            Your draft from <Age at={since} prose />
            <button class="btn quiet" type="button" onClick={clear}>
              Discard draft
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

const Texts = ({ draft, change, leave }: DraftProps & { leave: () => void }) => (
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
      placeholder="What happens, and what should happen? You can use Markdown."
      value={draft.description}
      onInput={(event) => change({ description: event.currentTarget.value })}
    />
    <SimilarIssuesHint title={draft.title} leave={leave} />
  </div>
);
