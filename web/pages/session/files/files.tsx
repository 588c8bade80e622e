import { type ChangedFileFragment, type MadeCommitFragment, SessionFiles } from "../../../data/documents.ts";
import { useQuery } from "../../../data/query.ts";
import { Icon } from "../../../parts/icon.tsx";
import { Loaded } from "../../../parts/lists/loaded.tsx";
import { Empty } from "../../../parts/states.tsx";
import { plural } from "../../../parts/texts/format.ts";
import { Redacted } from "../../../parts/texts/redacted.tsx";
import { useKeys } from "../../../shell/keys.ts";
import { place, setSearch } from "../../../shell/router.ts";
import type { EventTree } from "../events.ts";
import type { Recorded } from "../readings.ts";
import { Counts } from "./counts.tsx";
import { FileChanges } from "./file-changes.tsx";

/** The files that a session changed, the commits that it made, and what the recorded calls tell of one file's changes. */
export function Files({ recorded, tree }: { recorded: Recorded; tree: EventTree }) {
  const { data, error, reload } = useQuery(SessionFiles, { id: recorded.id });
  return (
    <Loaded data={data?.recordedSession} error={error} retry={reload}>
      {({ files, commits }) =>
        files.nodes.length + commits.nodes.length === 0 ? (
          <Empty icon="edit" title="No file was changed">
            <p>None of the recorded calls changed a file or made a commit.</p>
          </Empty>
        ) : (
          <Changed recorded={recorded} tree={tree} files={files.nodes} more={files.pageInfo.hasNextPage}>
            <Commits sessionId={recorded.id} commits={commits.nodes} />
          </Changed>
        )
      }
    </Loaded>
  );
}

interface ChangedProps {
  recorded: Recorded;
  tree: EventTree;
  files: readonly ChangedFileFragment[];
  /** True if there are more files than are read. */
  more: boolean;
  children: preact.ComponentChildren;
}

function Changed({ recorded, tree, files, more, children }: ChangedProps) {
  const wanted = place.value.search.get("file");
  const at = Math.max(
    0,
    files.findIndex(({ path }) => path === wanted),
  );
  const move = (by: number) => setSearch({ file: files[Math.min(files.length - 1, Math.max(0, at + by))]?.path });
  useKeys({ j: () => move(1), ArrowDown: () => move(1), k: () => move(-1), ArrowUp: () => move(-1) });
  const sum = (of: "added" | "removed") => files.reduce((total, file) => total + file[of], 0);
  const file = files[at];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and the keys have to reach it
    <div class="files scroll" tabIndex={0} role="region" aria-label="Files changed">
      <div class="file-list">
        <section aria-labelledby="files-changed">
          <h2 id="files-changed">
            {plural(files.length, "file")}
            {more && " or more"} <Counts added={sum("added")} removed={sum("removed")} />
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
                  <Counts added={added} removed={removed} />
                </a>
              </li>
            ))}
          </ul>
        </section>
        {children}
      </div>
      {file && <FileChanges recorded={recorded} tree={tree} file={file} />}
    </div>
  );
}

function Commits({ sessionId, commits }: { sessionId: string; commits: readonly MadeCommitFragment[] }) {
  if (commits.length === 0) return null;
  return (
    <section aria-labelledby="commits-made">
      <h2 id="commits-made">{plural(commits.length, "commit")}</h2>
      <ul>
        {commits.map(({ id, message, branch, event }) => (
          <li key={id}>
            <a
              href={event ? `/sessions/${sessionId}/events/${event.id}` : `/sessions/${sessionId}`}
              title={branch ?? ""}
            >
              <Icon name="check" class="i-14" />
              <bdi class="cut">
                <Redacted text={message} plain />
              </bdi>
              <code>{id.slice(0, 10)}</code>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
