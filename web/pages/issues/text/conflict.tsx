import { ErrorNote } from "../../../parts/states.tsx";
import type { TextSaveState } from "./saving.ts";

interface ConflictProps {
  saving: TextSaveState;
  /** Text that the issue has now (`theirs`), and text that the user edited (`mine`). */
  theirs: string;
  mine: string;
}

/**
 * Shows both versions of the text after a conflict, with a button for each choice. Without a conflict, shows the error
 * message of the save.
 */
export function EditConflict({ saving, theirs, mine }: ConflictProps) {
  if (!saving.conflict) return <ErrorNote words={saving.error} />;
  return (
    <section class="conflict" role="alert" aria-label="Another user changed this issue while you were editing">
      <p>
        <b>Another user changed this issue while you were editing.</b> Your changes are not saved yet.
      </p>
      <div class="versions">
        <figure>
          <figcaption>Current version</figcaption>
          <pre dir="auto">{theirs || "Empty"}</pre>
        </figure>
        <figure>
          <figcaption>Your version</figcaption>
          <pre dir="auto">{mine || "Empty"}</pre>
        </figure>
      </div>
      <div class="row">
        <button class="btn" type="button" disabled={saving.busy} onClick={saving.replace}>
          Replace with my version
        </button>
        <button class="btn" type="button" onClick={saving.leave}>
          Keep the current version
        </button>
      </div>
    </section>
  );
}
