import type { ChangedFileFragment } from "../../../data/documents.ts";
import { Failure, Skeleton } from "../../../parts/states.tsx";
import { Diff } from "../../../parts/texts/diff.tsx";
import { offset, plural } from "../../../parts/texts/format.ts";
import type { EventTree } from "../events.ts";
import type { Recorded } from "../readings.ts";
import { useFileChanges } from "./changes.ts";

interface FileChangesProps {
  recorded: Recorded;
  tree: EventTree;
  file: ChangedFileFragment;
}

/** The changes of one file, as the recorded calls tell them; a call that tells no lines is counted, and never guessed. */
export function FileChanges({ recorded, tree, file }: FileChangesProps) {
  const { changes, error } = useFileChanges(recorded, tree, file);
  return (
    <div class="file-changes">
      <div class="row">
        <bdi class="grow cut mono">{file.path}</bdi>
        <span class="dim">{plural(file.edits, "edit")}</span>
      </div>
      {error && <Failure words={error.message} />}
      {!changes && !error && <Skeleton lines={5} />}
      {changes?.map(({ event, edit }, at) => (
        <section key={at} aria-label={`Edit ${at + 1}`}>
          <p class="dim row">
            <a href={`/sessions/${recorded.id}/events/${event.id}`}>
              <bdi>{event.name}</bdi> at {offset(event.at - tree.begin)}
            </a>
          </p>
          <Diff edit={edit} number={at + 1} />
        </section>
      ))}
      {changes && changes.length < file.edits && (
        <p class="dim">
          {changes.length} of {plural(file.edits, "change")} have lines in the record; of the others it tells only how
          many.
        </p>
      )}
    </div>
  );
}
