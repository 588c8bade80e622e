import type { ChangedFileFragment } from "../../../data/documents.ts";
import { LoadError, LoadingPlaceholder } from "../../../parts/states.tsx";
import { EditDiff } from "../../../parts/texts/diff.tsx";
import { formatPlural, formatTimeOffset } from "../../../parts/texts/format.ts";
import type { EventTree } from "../events.ts";
import type { SessionData } from "../readings.ts";
import { useFileChanges } from "./changes.ts";

interface FileChangesProps {
  recorded: SessionData;
  tree: EventTree;
  file: ChangedFileFragment;
}

/**
 * Changes of one file, according to the recorded tool calls. If the recorded call does not contain the changed lines,
 * the page only counts the change.
 */
export function FileChangesView({ recorded, tree, file }: FileChangesProps) {
  const { changes, error } = useFileChanges(recorded, tree, file);
  return (
    <div class="file-changes">
      <div class="row">
        <bdi class="grow cut mono">{file.path}</bdi>
        <span class="dim">{formatPlural(file.edits, "edit")}</span>
      </div>
      {error && <LoadError words={error.message} />}
      {!changes && !error && <LoadingPlaceholder lines={5} />}
      {changes?.map(({ event, edit }, at) => (
        <section key={at} aria-label={`Edit ${at + 1}`}>
          <p class="dim row">
            <a href={`/sessions/${recorded.id}/events/${event.id}`}>
              <bdi>{event.name}</bdi> at {formatTimeOffset(event.at - tree.begin)}
            </a>
          </p>
          <EditDiff edit={edit} number={at + 1} />
        </section>
      ))}
      {changes && changes.length < file.edits && (
        <p class="dim">
          The recording contains the lines of {changes.length} of {formatPlural(file.edits, "change")}. For the other
          changes, it contains only the number of lines.
        </p>
      )}
    </div>
  );
}
