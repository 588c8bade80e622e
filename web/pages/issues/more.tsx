import { useState } from "preact/hooks";
import { getOwnProperty } from "../../../formats/own.ts";
import { ArchiveIssue, DeleteIssue, RestoreIssue } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { currentLogin } from "../../data/session.ts";
import { OptionPicker } from "../../parts/choose/picker.tsx";
import { Icon } from "../../parts/icon.tsx";
import { showToast } from "../../parts/toast.tsx";
import { navigate } from "../../shell/router.ts";
import { ConfirmDialog } from "../settings/parts.tsx";
import type { IssueData } from "./issue.tsx";

/** Menu of further actions on an issue. An action that the user may not run is disabled and shows the reason. */
export function IssueMenu({ issue, reload }: { issue: IssueData; reload: () => Promise<void> }) {
  const [asking, ask] = useState(false);
  const { id, identifier, archivedAt, trashed } = issue;
  const put = archivedAt || trashed;
  const owner = currentLogin.value?.organization?.role === "owner";
  const options = [
    ...(put
      ? [{ id: "restore", name: trashed ? "Restore from the trash" : "Restore from the archive" }]
      : [
          { id: "archive", name: "Archive" },
          { id: "trash", name: "Move to the trash" },
        ]),
    { id: "delete", name: "Delete permanently…", refused: owner ? undefined : "owners only" },
  ];
  const acts: Record<string, () => Promise<unknown>> = {
    restore: () => requestGraphQL(RestoreIssue, { id }),
    archive: () => requestGraphQL(ArchiveIssue, { id, trash: false }),
    trash: () => requestGraphQL(ArchiveIssue, { id, trash: true }),
  };
  const choose = (action: string) => {
    const act = getOwnProperty(acts, action);
    if (act) act().then(reload, (error: Error) => showToast(error.message));
    else ask(true);
  };
  const remove = async () => {
    await requestGraphQL(DeleteIssue, { id });
    showToast(`${identifier} was deleted.`);
    navigate("/issues");
  };
  return (
    <>
      <OptionPicker label="More" class="btn quiet sq" value="" options={options} chosen={[]} choose={choose}>
        <Icon name="dots" class="i-14" />
        <span class="sr">More</span>
      </OptionPicker>
      {asking && (
        <ConfirmDialog
          title={`Delete ${identifier} permanently?`}
          action="Delete permanently"
          act={remove}
          close={() => ask(false)}
        >
          Trackway also deletes the comments of the issue. You cannot undo this.
        </ConfirmDialog>
      )}
    </>
  );
}
