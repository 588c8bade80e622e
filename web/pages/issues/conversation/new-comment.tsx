import { useRef, useState } from "preact/hooks";
import { AddComment } from "../../../data/documents.ts";
import { request } from "../../../data/graphql.ts";
import { useSending } from "../../../parts/sending.ts";
import { Problem } from "../../../parts/states.tsx";
import { useKeys } from "../../../shell/keys.ts";
import { Editor } from "../text/editor.tsx";

/** The field for another comment. */
export function NewComment({ issueId, reload }: { issueId: string; reload: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const { busy, error, send } = useSending();
  useKeys({ m: () => field.current?.focus() });
  const comment = () => {
    if (!text.trim() || busy) return;
    const sent = request(AddComment, { input: { issueId, body: text } });
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
      <Editor
        label="Comment"
        placeholder="Comment… Markdown works"
        rows={3}
        value={text}
        change={setText}
        send={comment}
        leave={() => field.current?.blur()}
        field={field}
      />
      <Problem words={error} />
      <div class="row">
        <span class="hint only-wide">
          <kbd>M</kbd> writes, <kbd>Ctrl ↵</kbd> sends
        </span>
        <button class="btn pri to-right" type="submit" disabled={busy || !text.trim()} aria-busy={busy}>
          Comment
        </button>
      </div>
    </form>
  );
}
