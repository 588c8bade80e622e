import { useRef, useState } from "preact/hooks";
import { AddComment } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { useRequest } from "../../../parts/sending.ts";
import { ErrorNote } from "../../../parts/states.tsx";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { MarkdownEditor } from "../text/editor.tsx";

export function NewCommentForm({ issueId, reload }: { issueId: string; reload: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const { busy, error, send } = useRequest();
  useKeyboardShortcuts({ m: () => field.current?.focus() });
  const comment = () => {
    if (!text.trim() || busy) return;
    const sent = requestGraphQL(AddComment, { input: { issueId, body: text } });
    send(
      sent.then(() => {
        setText("");
        reload();
      }),
    );
  };
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault();
    comment();
  };
  return (
    <form class="say-more" onSubmit={onSubmit}>
      <MarkdownEditor
        label="Comment"
        placeholder="Write a comment. You can use Markdown."
        rows={3}
        value={text}
        change={setText}
        send={comment}
        leave={() => field.current?.blur()}
        field={field}
      />
      <ErrorNote words={error} />
      <div class="row">
        <span class="hint only-wide">
          <kbd>M</kbd> to write, <kbd>Ctrl ↵</kbd> to send
        </span>
        <button class="btn pri to-right" type="submit" disabled={busy || !text.trim()} aria-busy={busy}>
          Comment
        </button>
      </div>
    </form>
  );
}
