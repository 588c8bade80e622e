import { useState } from "preact/hooks";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import type { IssueData } from "../issue.tsx";
import { EditConflict } from "./conflict.tsx";
import { useTextSave } from "./saving.ts";

/** Title of an issue. A click on the title, or the key E, opens a text field. Enter saves the title. */
export function IssueTitle({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const [text, setText] = useState<string>();
  const saving = useTextSave(issue, "title", reload, () => setText(undefined));
  const begin = () => {
    saving.begin();
    setText(issue.title);
  };
  useKeyboardShortcuts({ e: begin });
  if (text === undefined) {
    return (
      <h1 class="wraps" dir="auto">
        <button class="plain in-place" type="button" title="Edit the title (E)" onClick={begin}>
          {issue.title}
          <span class="sr"> Edit the title</span>
        </button>
      </h1>
    );
  }
  const save = () => {
    if (text.trim() && text.trim() !== issue.title) saving.save(text.trim());
    else if (!saving.conflict) setText(undefined);
  };
  const onKey = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter") save();
    if (event.key === "Escape") setText(undefined);
  };
  return (
    <div class="stack full">
      <h1 class="sr">{issue.title}</h1>
      <input
        class="in title"
        aria-label="Title"
        maxLength={512}
        autofocus
        ref={(element) => {
          if (element && document.activeElement === document.body) element.focus();
        }}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <EditConflict saving={saving} theirs={issue.title} mine={text} />
      <div class="row">
        <button class="btn pri" type="button" disabled={saving.busy || !text.trim()} onClick={save}>
          Save
        </button>
        <button class="btn" type="button" onClick={() => setText(undefined)}>
          Cancel
        </button>
      </div>
    </div>
  );
}
