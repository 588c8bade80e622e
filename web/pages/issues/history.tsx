import { useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { IssueHistory } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { Avatar } from "../../parts/marks.tsx";
import { Failure } from "../../parts/states.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { type Entry, wordsOf } from "./history-words.ts";

/** The history of an issue, newest first, as far back as the change log is kept. */
export const History = ({ issueId }: { issueId: string }) => (
  <section class="sec" aria-labelledby="history">
    <header>
      <h2 id="history">History</h2>
    </header>
    <Entries issueId={issueId} after={null} />
  </section>
);

/** A page of the history, and those behind it once they are asked for. */
function Entries({ issueId, after }: { issueId: string; after: string | null }) {
  const { data, error, reload } = useQuery(IssueHistory, { id: issueId, after });
  const [more, setMore] = useState(false);
  useChanges((change) => concerns(change, issueId), reload, issueId);
  const page = data?.issue.history;
  if (!page) return error ? <Failure words={error.message} retry={reload} /> : null;
  return (
    <>
      {page.nodes.length === 0 && <p class="dim">The change log keeps nothing of it any more.</p>}
      <ol class="hist-l" aria-label={after ? "Older history" : "History"}>
        {page.nodes.map((entry) => (
          <One key={entry.id} entry={entry} />
        ))}
      </ol>
      {page.pageInfo.hasNextPage &&
        (more ? (
          <Entries issueId={issueId} after={page.pageInfo.endCursor} />
        ) : (
          <button class="btn" type="button" onClick={() => setMore(true)}>
            Older
          </button>
        ))}
    </>
  );
}

function concerns({ type, data }: { type: string; data: Record<string, unknown> }, id: string): boolean {
  if (type === "Issue") return data["id"] === id;
  return type === "IssueRelation" && (data["issueId"] === id || data["relatedIssueId"] === id);
}

const One = ({ entry }: { entry: Entry }) => (
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
          {" for "}
          <bdi>{entry.onBehalfOf.name}</bdi>
        </>
      )}
      {wordsOf(entry).map((words, at) => (
        <>
          {at > 0 ? ", " : " "}
          <bdi>{words}</bdi>
        </>
      ))}{" "}
      <span class="dim">
        <Ago at={entry.createdAt} prose />
      </span>
    </p>
  </li>
);
