import { type ChangedFileFragment, type MadeCommitFragment, SessionFiles } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { LoadedContent } from "../../../parts/lists/loaded.tsx";
import { EmptyState } from "../../../parts/states.tsx";
import { formatPlural } from "../../../parts/texts/format.ts";
import { RedactedText } from "../../../parts/texts/redacted.tsx";
import { useKeyboardShortcuts } from "../../../shell/keys.ts";
import { appLocation, setSearchParameters } from "../../../shell/router.ts";
import type { EventTree } from "../events.ts";
import type { SessionData } from "../readings.ts";
import { LineCounts } from "./counts.tsx";
import { FileChangesView } from "./file-changes.tsx";

/** Files that a session changed, commits that the session created, and the changes of one file. */
export function SessionFilesView({ recorded, tree }: { recorded: SessionData; tree: EventTree }) {
  const { data, error, reload } = useQuery(SessionFiles, { id: recorded.id });
  return (
    <LoadedContent data={data?.recordedSession} error={error} retry={reload}>
      {({ files, commits }) =>
        files.nodes.length + commits.nodes.length === 0 ? (
          <EmptyState icon="edit" title="No files changed">
            <p>No recorded call changed a file or created a commit.</p>
          </EmptyState>
        ) : (
          <Changed recorded={recorded} tree={tree} files={files.nodes} more={files.pageInfo.hasNextPage}>
            <Commits sessionId={recorded.id} commits={commits.nodes} />
          </Changed>
        )
      }
    </LoadedContent>
  );
}

interface ChangedProps {
  recorded: SessionData;
  tree: EventTree;
  files: readonly ChangedFileFragment[];
  /** True if the session changed more files than were read. */
  more: boolean;
  children: preact.ComponentChildren;
}

function Changed({ recorded, tree, files, more, children }: ChangedProps) {
  const wanted = appLocation.value.search.get("file");
  const at = Math.max(
    0,
    files.findIndex(({ path }) => path === wanted),
  );
  const move = (by: number) =>
    setSearchParameters({ file: files[Math.min(files.length - 1, Math.max(0, at + by))]?.path });
  useKeyboardShortcuts({ j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1) });
  const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
  const file = files[at];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keys have to reach it
    <div class="files scroll" tabIndex={0} role="region" aria-label="Files changed">
      <div class="file-list">
        <section aria-labelledby="files-changed">
          <h2 id="files-changed">
            {formatPlural(files.length, "file")}
            {more && " or more"} <LineCounts added={sum("added")} removed={sum("removed")} />
          </h2>
          <ul>
            {files.map(({ path, added, removed }, n) => (
              <li key={path}>
                <a
                  href={`/sessions/${recorded.id}/files?file=${encodeURIComponent(path)}`}
                  aria-current={n === at ? "true" : undefined}
                  title={path}
                >
                  <Icon name="edit" class="i-14" />
                  <bdi class="cut mono">{path}</bdi>
                  <LineCounts added={added} removed={removed} />
                </a>
              </li>
            ))}
          </ul>
        </section>
        {children}
      </div>
      {file && <FileChangesView recorded={recorded} tree={tree} file={file} />}
    </div>
  );
}

function Commits({ sessionId, commits }: { sessionId: string; commits: readonly MadeCommitFragment[] }) {
  if (commits.length === 0) return null;
  return (
    <section aria-labelledby="commits-made">
      <h2 id="commits-made">{formatPlural(commits.length, "commit")}</h2>
      <ul>
        {commits.map(({ id, message, branch, event }) => (
          <li key={id}>
            <a
              href={event ? `/sessions/${sessionId}/events/${event.id}` : `/sessions/${sessionId}`}
              title={branch ?? ""}
            >
              <Icon name="check" class="i-14" />
              <bdi class="cut">
                <RedactedText text={message} plain />
              </bdi>
              <code>{id.slice(0, 10)}</code>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
