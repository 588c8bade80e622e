import { useState } from "preact/hooks";
import { Icon } from "../../../parts/icon.tsx";
import { FileIssueDialog } from "../../tools/file-issue.tsx";
import type { FullEvent } from "./full-event.ts";

/** Button that creates an issue about one failure. */
export function FileFailureButton({ full }: { full: FullEvent }) {
  const [filing, file] = useState(false);
  const { id: eventId, primitiveName } = full;
  const group = { count: 1, eventId };
  return (
    <div class="row call-acts">
      <button class="btn" type="button" onClick={() => file(true)}>
        <Icon name="issues" class="i-14" />
        File an issue
      </button>
      <a class="btn quiet" href={`/tools/${encodeURIComponent(primitiveName)}`}>
        All failures of <bdi class="cut">{primitiveName}</bdi>
      </a>
      {filing && <FileIssueDialog group={group} close={() => file(false)} />}
    </div>
  );
}
