import { useRef, useState } from "preact/hooks";
import { AddComment } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Avatar } from "../../parts/marks.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { useKeys } from "../../shell/keys.ts";
import type { IssueData } from "./issue.tsx";

type Comment = IssueData["comments"]["nodes"][number];

/** The comments of an issue, oldest first, and a field for another. */
export function Comments({ issue, reload }: { issue: IssueData; reload: () => void }) {
  const comments = [...issue.comments.nodes].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1));
  return (
    <section class="sec" aria-labelledby="activity">
      <header>
        <h2 id="activity">Comments</h2>
        {issue.comments.pageInfo.hasNextPage && <span class="dim">the latest 100</span>}
      </header>
      <ol class="hist-l">
        {comments.map((comment) => (
          <One key={comment.id} comment={comment} />
        ))}
      </ol>
      <NewComment issueId={issue.id} reload={reload} />
    </section>
  );
}

const One = ({ comment: { url, createdAt, editedAt, parentId, body, ...by } }: { comment: Comment }) => (
  <li id={new URL(url, location.href).hash.slice(1)}>
    <span class="dot">
      <Avatar name={by.user?.name ?? by.externalUser?.name ?? "?"} />
    </span>
    <div class="cmt">
      <p class="row">
        <b>
          <bdi>{by.user?.name ?? by.externalUser?.name ?? "Somebody who left"}</bdi>
        </b>
        {!by.user && by.externalUser && <span class="dim">no member here</span>}
        <span class="dim">
          <Ago at={createdAt} prose />
          {editedAt && ", edited"}
          {parentId && ", in answer"}
        </span>
      </p>
      <Markdown text={body} links />
    </div>
  </li>
);

function NewComment({ issueId, reload }: { issueId: string; reload: () => void }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [text, setText] = useState("");
  const { busy, error, send } = useSending();
  useKeys({ c: () => field.current?.focus() });
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
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) comment();
    if (event.key === "Escape") field.current?.blur();
  };
  return (
    <form class="say-more" onSubmit={onSubmit}>
      <label class="sr" for="comment">
        Comment
      </label>
      <textarea
        class="in"
        id="comment"
        rows={3}
        ref={field}
        placeholder="Comment… Markdown works"
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={onKey}
      />
      <Problem words={error} />
      <div class="row">
        <span class="hint only-wide">
          <kbd>C</kbd> writes, <kbd>Ctrl ↵</kbd> sends
        </span>
        <button class="btn pri to-right" type="submit" disabled={busy || !text.trim()} aria-busy={busy}>
          Comment
        </button>
      </div>
    </form>
  );
}
