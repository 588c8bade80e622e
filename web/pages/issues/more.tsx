import { useState } from "preact/hooks";
import { readOwn } from "../../../formats/own.ts";
import { ArchiveIssue, DeleteIssue, RestoreIssue } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { session } from "../../data/session.ts";
import { Picker } from "../../parts/choose/picker.tsx";
import { Icon } from "../../parts/icon.tsx";
import { toast } from "../../parts/toast.tsx";
import { navigate } from "../../shell/router.ts";
import { Sure } from "../settings/parts.tsx";
import type { IssueData } from "./issue.tsx";

/** Further actions on an issue. An action that somebody may not do says why. */
export function More({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const [asking, ask] = useState(false);
  const { id, identifier, archivedAt, trashed } = issue;
  const put = archivedAt || trashed;
  const owner = session.value?.organization?.role === "owner";
  const options = [
    ...(put
      ? [{ id: "restore", name: trashed ? "Take it out of the trash" : "Take it out of the archive" }]
      : [
          { id: "archive", name: "Archive" },
          { id: "trash", name: "Move to the trash" },
        ]),
    { id: "delete", name: "Delete for ever…", refused: owner ? undefined : "owners only" },
  ];
  const acts: Record<string, () => Promise<unknown>> = {
    restore: () => request(RestoreIssue, { id }),
    archive: () => request(ArchiveIssue, { id, trash: false }),
    trash: () => request(ArchiveIssue, { id, trash: true }),
  };
  const choose = (action: string) => {
    const act = readOwn(acts, action);
    if (act) act().then(reload, (error: Error) => toast(error.message));
    else ask(true);
  };
  const remove = async () => {
    await request(DeleteIssue, { id });
    toast(`${identifier} was deleted.`);
    navigate("/issues");
  };
  return (
    <>
      <Picker label="More" class="btn quiet sq" value="" options={options} chosen={[]} choose={choose}>
        <Icon name="dots" class="i-14" />
        <span class="sr">More</span>
      </Picker>
      {asking && (
        <Sure title={`Delete ${identifier} for ever?`} action="Delete for ever" act={remove} close={() => ask(false)}>
          Its comments go too, and nobody can bring it back.
        </Sure>
      )}
    </>
  );
}
