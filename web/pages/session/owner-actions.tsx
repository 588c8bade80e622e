import { DeleteSession, HoldSession, ReleaseSession } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { showToast } from "../../parts/toast.tsx";
import { navigate } from "../../shell/router.ts";
import { ConfirmDialog, SettingsForm } from "../settings/parts.tsx";

interface Action {
  id: string;
  reload: () => void;
  close: () => void;
}

/** Dialog that asks for a reason and then puts a hold on the session. Retention never deletes a session with a hold. */
export const HoldSessionDialog = ({ id, reload, close }: Action) => (
  <Dialog title="Hold this session?" close={close}>
    <p class="mid">Retention does not delete a session on hold, at any age, until an owner releases the hold.</p>
    <SettingsForm
      fields={[{ name: "reason", label: "Reason" }]}
      action="Hold"
      submit={async ({ reason = "" }) => {
        await hold(id, reason);
        close();
        reload();
        showToast(
          "Session held.",
          buildUndo(() => release(id), reload),
        );
      }}
    />
  </Dialog>
);

/** Dialog that releases a held session. Undo holds the session again for the same reason. */
export const ReleaseSessionDialog = ({ id, reload, close, reason }: Action & { reason: string }) => {
  const act = async () => {
    await release(id);
    reload();
    showToast(
      "Session released.",
      buildUndo(() => hold(id, reason), reload),
    );
  };
  return (
    <ConfirmDialog title="Release this session?" action="Release" act={act} close={close}>
      The retention rules then apply again to the content of the session and to the session.
    </ConfirmDialog>
  );
};

/** Dialog that permanently deletes the session after a confirmation. */
export const DeleteSessionDialog = ({ id, close }: Omit<Action, "reload">) => {
  const act = async () => {
    await requestGraphQL(DeleteSession, { id });
    navigate("/sessions");
    showToast("Session deleted.");
  };
  return (
    <ConfirmDialog title="Delete this session?" action="Delete permanently" act={act} close={close}>
      Trackway deletes the events, content and counts of the session immediately, and rejects events that arrive for the
      session later. You cannot undo this. Issues that were created from the session keep their text.
    </ConfirmDialog>
  );
};

const hold = (id: string, reason: string) => requestGraphQL(HoldSession, { id, input: { reason } });
const release = (id: string) => requestGraphQL(ReleaseSession, { id });

/** Returns an undo action for a notification. A failed undo shows the error. */
const buildUndo = (act: () => Promise<unknown>, reload: () => void) => ({
  name: "Undo",
  act: () => void act().then(reload, (error: Error) => showToast(error.message)),
});
