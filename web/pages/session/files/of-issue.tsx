import { useState } from "preact/hooks";
import { Event, IssueFiles, type IssueFilesQuery } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Loaded } from "../../../parts/lists/loaded.tsx";
import { Diff } from "../../../parts/texts/diff.tsx";
import { editsOf, isOfFile } from "../../../parts/texts/edits.ts";
import { plural } from "../../../parts/texts/format.ts";
import { Ago } from "../../../parts/time/time.tsx";
import { Counts } from "./counts.tsx";

type File = IssueFilesQuery["issue"]["files"]["nodes"][number];
type Commit = IssueFilesQuery["issue"]["commits"]["nodes"][number];

/** Characters of a call's arguments that are read for a change. */
const LONGEST = 200_000;

/** The files that the sessions of an issue changed, each with its last change, and the commits that they made. */
export function FilesOfIssue({ issueId }: { issueId: string }) {
  const { data } = useQuery(IssueFiles, { id: issueId });
  const { files, commits } = data?.issue ?? {};
  if (!files || !commits || files.nodes.length + commits.nodes.length === 0) return null;
  return (
    <section class="sec issue-files" aria-labelledby="changed">
      <header>
        <h2 id="changed">Files and commits</h2>
        <span class="dim">
          {plural(files.nodes.length, "file")}
          {files.pageInfo.hasNextPage && " or more"}, {plural(commits.nodes.length, "commit")}
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

/** A file, which unfolds to its last change. */
function FileOfIssue({ file }: { file: File }) {
  const [open, setOpen] = useState(false);
  return (
    <details class="file-of-issue" onToggle={(toggle) => setOpen(toggle.currentTarget.open)}>
      <summary>
        <Icon name="right" class="i-14" />
        <bdi class="cut grow mono" title={file.path}>
          {file.path}
        </bdi>
        <Counts {...file} />
      </summary>
      {open && file.lastEvent && <LastChange file={file} event={file.lastEvent} />}
    </details>
  );
}

function LastChange({ file: { path, edits }, event }: { file: File; event: NonNullable<File["lastEvent"]> }) {
  const { data, error, reload } = useQuery(Event, { id: event.id, maxLength: LONGEST });
  const all = `/sessions/${event.session.id}/files?file=${encodeURIComponent(path)}`;
  return (
    <Loaded data={data?.recordedEvent} error={error} retry={reload} lines={3}>
      {({ args }) => {
        const last = editsOf(args).filter((edit) => isOfFile(edit, path));
        return (
          <div class="stack">
            {last.map((edit, at) => (
              <Diff key={at} edit={edit} number={at + 1} />
            ))}
            <p class="dim">
              {last.length > 0 ? "The last change." : "The record does not tell which lines the last change had."}{" "}
              <a href={all}>{edits === 1 ? "Show the session’s files" : `All ${edits} changes, by session`}</a>
            </p>
          </div>
        );
      }}
    </Loaded>
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
      <Ago at={createdAt} />
    </span>
  </li>
);
