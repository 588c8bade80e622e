import { useState } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import type { IssueData } from "../issue.tsx";
import { useTeamKeysPattern } from "../team-keys.ts";
import { EditConflict } from "./conflict.tsx";
import { MarkdownEditor } from "./editor.tsx";
import { useTextSave } from "./saving.ts";

/** Description of an issue, and the editor for the description. */
export function IssueDescription({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const [text, setText] = useState<string>();
  const saving = useTextSave(issue, "description", reload, () => setText(undefined));
  const keys = useTeamKeysPattern();
  const begin = () => {
    saving.begin();
    setText(issue.description ?? "");
  };
  if (text === undefined) {
    return (
      <div class="described">
        {issue.description ? (
          <div class="prose">
            <Markdown text={issue.description} links issues={keys} />
          </div>
        ) : (
          <p class="dim">No description.</p>
        )}
        <button class="btn quiet" type="button" onClick={begin}>
          <Icon name="edit" class="i-14" />
          Edit description
        </button>
      </div>
    );
  }
  const save = () => {
    if (text !== (issue.description ?? "")) saving.save(text);
    else setText(undefined);
  };
  return (
    <div class="stack full">
      <MarkdownEditor
        label="Description"
        value={text}
        rows={12}
        change={setText}
        send={save}
        leave={() => setText(undefined)}
        begins
      />
      <EditConflict saving={saving} theirs={issue.description ?? ""} mine={text} />
      <div class="row">
        <button class="btn pri" type="button" disabled={saving.busy} onClick={save}>
          Save
        </button>
        <button class="btn" type="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
        <span class="hint only-wide">
          <kbd>Ctrl ↵</kbd> to save
        </span>
      </div>
    </div>
  );
}
