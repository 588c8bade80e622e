import { useState } from "preact/hooks";
import { Event, IssueFiles, type IssueFilesQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { LoadedContent } from "../../../parts/lists/loaded.tsx";
import { EditDiff } from "../../../parts/texts/diff.tsx";
import { isEditOfFile, parseEdits } from "../../../parts/texts/edits.ts";
import { formatPlural } from "../../../parts/texts/format.ts";
import { Age } from "../../../parts/time/time.tsx";
import { LineCounts } from "./counts.tsx";

type File = IssueFilesQuery["issue"]["files"]["nodes"][number];
type Commit = IssueFilesQuery["issue"]["commits"]["nodes"][number];

/** Maximum number of characters read from a call's arguments. */
const LONGEST = 200_000;

/** Files that the sessions of an issue changed, each with the last change, and the commits of the sessions. */
export function IssueFilesSection({ issueId }: { issueId: string }) {
  const { data } = useQuery(IssueFiles, { id: issueId });
  const { files, commits } = data?.issue ?? {};
  if (!files || !commits || files.nodes.length + commits.nodes.length === 0) return null;
  return (
    <section class="sec issue-files" aria-labelledby="changed">
      <header>
        <h2 id="changed">Files and commits</h2>
        <span class="dim">
          {formatPlural(files.nodes.length, "file")}
          {files.pageInfo.hasNextPage && " or more"}, {formatPlural(commits.nodes.length, "commit")}
          {commits.pageInfo.hasNextPage && " or more"}
        </span>
      </header>
      {files.nodes.map((file) => (
        <FileOfIssue key={file.path} file={file} />
      ))}
      <ul class="links" aria-label="Commits" hidden={commits.nodes.length === 0}>
        {commits.nodes.map((commit) => (
          <CommitOfIssue key={commit.id} commit={commit} />
        ))}
      </ul>
    </section>
  );
}

/** Row of a changed file. The user can expand the row to see the latest change of the file. */
function FileOfIssue({ file }: { file: File }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="file-of-issue" onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
      <summary>
        <Icon name="right" class="i-14" />
        <bdi class="cut grow mono" title={file.path}>
          {file.path}
        </bdi>
        <LineCounts {...file} />
      </summary>
      {open && file.lastEvent && <LastChange file={file} event={file.lastEvent} />}
    </details>
  );
}

function LastChange({ file: { path, edits }, event }: { file: File; event: NonNullable<File["lastEvent"]> }) {
  const { data, error, reload } = useQuery(Event, { id: event.id, maxLength: LONGEST });
  const all = `/sessions/${event.session.id}/files?file=${encodeURIComponent(path)}`;
  return (
    <LoadedContent data={data?.recordedEvent} error={error} retry={reload} lines={3}>
      {({ args }) => {
        const last = parseEdits(args).filter((edit) => isEditOfFile(edit, path));
        return (
          <div class="stack">
            {last.map((edit, at) => (
              <EditDiff key={at} edit={edit} number={at + 1} />
            ))}
            <p class="dim">
              {last.length > 0 ? "Latest change." : "The recording does not contain the lines of the latest change."}{" "}
              <a href={all}>{edits === 1 ? "Show the files of the session" : `Show all ${edits} changes by session`}</a>
            </p>
          </div>
        );
      }}
    </LoadedContent>
  );
}

const CommitOfIssue = ({ commit: { id, message, branch, createdAt, event, session } }: { commit: Commit }) => (
  <li>
    <Icon name="check" class="i-14" />
    <code class="dim">{id.slice(0, 10)}</code>
    <a class="cut grow" href={session && event ? `/sessions/${session.id}/events/${event.id}` : "/sessions"}>
      <bdi>{message}</bdi>
    </a>
    <span class="dim">
      {branch && <bdi>{branch} </bdi>}
      <Age at={createdAt} />
    </span>
  </li>
);
