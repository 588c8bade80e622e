import { useRef, useState } from "preact/hooks";
import { useReloadOnChange } from "../../../data/changes.ts";
import { IssueHistory, type IssueHistoryQuery, IssueSessions } from "../../../data/documents.ts";
import { requestGraphQL } from "../../../data/graphql.ts";
import { useQuery } from "../../../data/query.ts";
import { Avatar } from "../../../parts/marks.tsx";
import { useRequest } from "../../../parts/sending.ts";
import { ErrorNote } from "../../../parts/states.tsx";
import { Markdown } from "../../../parts/texts/markdown.tsx";
import { Age } from "../../../parts/time/time.tsx";
import { QuotedDeletedSessions } from "../deleted-sessions.tsx";
import type { IssueData } from "../issue.tsx";
import { useTeamKeysPattern } from "../team-keys.ts";
import { describeHistoryEntry, type HistoryEntry } from "./history-words.ts";
import { NewCommentForm } from "./new-comment.tsx";
import { LinkedSessionItem, type SessionLink } from "./session-item.tsx";

type Comment = IssueData["comments"]["nodes"][number];

/** Entry of the conversation, with a time: a comment, a change or a session. */
type Item = { at: string; comment: Comment } | { at: string; entry: HistoryEntry } | { at: string; link: SessionLink };

/** Conversation of an issue: comments, changes and sessions in order of time, and a field for a new comment. */
export function IssueConversation({ issue, reload }: { issue: IssueData; reload: () => void }) {
  const { id } = issue;
  const history = useHistory(id);
  const sessions = useQuery(IssueSessions, { id });
  useReloadOnChange(
    (change) => concerns(change, id),
    () => {
      void history.reload();
      void sessions.reload();
    },
    id,
  );
  const links = sessions.data?.issue.sessionLinks;
  const items: Item[] = [
    ...issue.comments.nodes.map((comment) => ({ at: comment.createdAt, comment })),
    ...history.entries.map((entry) => ({ at: entry.createdAt, entry })),
    ...(links?.nodes ?? []).map((link) => ({ at: link.session.startedAt, link })),
  ].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  return (
    <section class="sec" aria-labelledby="conversation">
      <header>
        <h2 id="conversation">Conversation</h2>
        {issue.comments.pageInfo.hasNextPage && <span class="dim">the latest 100 comments</span>}
        {links?.pageInfo.hasNextPage && <span class="dim">the latest 20 sessions</span>}
      </header>
      {history.older && (
        <button class="btn" type="button" disabled={history.busy} onClick={history.more}>
          Older changes
        </button>
      )}
      <ErrorNote words={history.error || (!links && sessions.error ? sessions.error.message : "")} />
      <ol class="hist-l" aria-label="Conversation">
        {items.map((item) => (
          <One key={keyOf(item)} item={item} />
        ))}
      </ol>
      {sessions.data && sessions.data.issue.deletedSessions.nodes.length > 0 && (
        <QuotedDeletedSessions rows={sessions.data.issue.deletedSessions.nodes} reload={() => void sessions.reload()} />
      )}
      <NewCommentForm issueId={id} reload={reload} />
    </section>
  );
}

function keyOf(item: Item): string {
  if ("comment" in item) return `comment ${item.comment.id}`;
  return "entry" in item ? `entry ${item.entry.id}` : `session ${item.link.id}`;
}

function One({ item }: { item: Item }) {
  if ("comment" in item) return <Said comment={item.comment} />;
  return "entry" in item ? <Done entry={item.entry} /> : <LinkedSessionItem link={item.link} />;
}

function concerns({ type, data }: { type: string; data: Record<string, unknown> }, id: string): boolean {
  if (type === "Issue") return data["id"] === id;
  return type === "IssueRelation" && (data["issueId"] === id || data["relatedIssueId"] === id);
}

/** Reads the changes of an issue: the newest page first, older pages on request. */
function useHistory(id: string) {
  const { data, error, reload } = useQuery(IssueHistory, { id, after: null });
  const [before, setBefore] = useState<IssueHistoryQuery["issue"]["history"][]>([]);
  const { busy, error: refused, send } = useRequest();
  const newest = data?.issue.history;
  const last = before.at(-1) ?? newest;
  // Keeps entries that newer changes pushed out of the newest page.
  const seen = useRef(new Map<string, HistoryEntry>()).current;
  for (const entry of [newest, ...before].flatMap((page) => page?.nodes ?? [])) seen.set(entry.id, entry);
  const more = () =>
    send(
      requestGraphQL(IssueHistory, { id, after: last?.pageInfo.endCursor ?? null }).then(({ issue }) =>
        setBefore((pages) => [...pages, issue.history]),
      ),
    );
  return {
    entries: [...seen.values()],
    older: last?.pageInfo.hasNextPage ?? false,
    more,
    busy,
    error: refused || (!data && error ? error.message : ""),
    reload,
  };
}

function Said({ comment: { url, createdAt, editedAt, parentId, body, ...by } }: { comment: Comment }) {
  const keys = useTeamKeysPattern();
  return (
    <li id={new URL(url, location.href).hash.slice(1)}>
      <span class="dot">
        <Avatar name={by.user?.name ?? by.externalUser?.name ?? "?"} />
      </span>
      <div class="cmt">
        <p class="row">
          <b>
            <bdi>{by.user?.name ?? by.externalUser?.name ?? "Former member"}</bdi>
          </b>
          {!by.user && by.externalUser && <span class="dim">not a member</span>}
          <span class="dim">
            <Age at={createdAt} prose />
            {editedAt && ", edited"}
            {parentId && ", reply"}
          </span>
        </p>
        <Markdown text={body} links issues={keys} />
      </div>
    </li>
  );
}

/** A change of the issue, shown in the conversation. */
const Done = ({ entry }: { entry: HistoryEntry }) => (
  <li>
    <span class="dot">
      <Avatar name={entry.actor?.name ?? "Trackway"} bot={entry.actor?.app ?? true} />
    </span>
    <p class="wraps">
      <b>
        <bdi>{entry.actor?.name ?? "Trackway"}</bdi>
      </b>
      {entry.onBehalfOf && (
        <>
          {" on behalf of "}
          <bdi>{entry.onBehalfOf.name}</bdi>
        </>
      )}
      {describeHistoryEntry(entry).map((words, at) => (
        <>
          {at > 0 ? ", " : " "}
          <bdi>{words}</bdi>
        </>
      ))}{" "}
      <span class="dim">
        <Age at={entry.createdAt} prose />
      </span>
    </p>
  </li>
);
