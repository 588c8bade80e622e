import { Problem } from "../../../parts/states.tsx";
import type { Saving } from "./saving.ts";

interface ConflictProps {
  saving: Saving;
  /** The text as it is now, and the one that is edited. */
  theirs: string;
  mine: string;
}

/** Both texts, where somebody changed the issue while it was edited; any other error as it is. */
export function Conflict({ saving, theirs, mine }: ConflictProps) {
  if (!saving.conflict) return <Problem words={saving.error} />;
  return (
    <section class="conflict" role="alert" aria-label="Somebody changed the issue meanwhile">
      <p>
        <b>Somebody changed the issue meanwhile.</b> Nothing is saved yet.
      </p>
      <div class="versions">
        <figure>
          <figcaption>As it is now</figcaption>
          <pre dir="auto">{theirs || "Empty"}</pre>
        </figure>
        <figure>
          <figcaption>Yours</figcaption>
          <pre dir="auto">{mine || "Empty"}</pre>
        </figure>
      </div>
      <div class="row">
        <button class="btn" type="button" disabled={saving.busy} onClick={saving.replace}>
          Save mine over it
        </button>
        <button class="btn" type="button" onClick={saving.leave}>
          Keep theirs
        </button>
      </div>
    </section>
  );
}
