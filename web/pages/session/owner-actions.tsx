import { DeleteSession, HoldSession, ReleaseSession } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { navigate } from "../../shell/router.ts";
import { Form, Sure } from "../settings/parts.tsx";

interface Action {
  id: string;
  reload: () => void;
  close: () => void;
}

/** Keeps the session, however old it gets, for a reason. */
export const Hold = ({ id, reload, close }: Action) => (
  <Dialog title="Hold this session?" close={close}>
    <p class="mid">Retention keeps it, however old it gets, until an owner releases it.</p>
    <Form
      fields={[{ name: "reason", label: "Reason" }]}
      action="Hold it"
      submit={async ({ reason = "" }) => {
        await hold(id, reason);
        close();
        reload();
        toast(
          "The session is held.",
          undo(() => release(id), reload),
        );
      }}
    />
  </Dialog>
);

/** Releases a session that is held; undone, it is held for the same reason again. */
export const Release = ({ id, reload, close, reason }: Action & { reason: string }) => {
  const act = async () => {
    await release(id);
    reload();
    toast(
      "The session is released.",
      undo(() => hold(id, reason), reload),
    );
  };
  return (
    <Sure title="Release this session?" action="Release it" act={act} close={close}>
      The rules of retention then say again when its texts and the session go.
    </Sure>
  );
};

/** Deletes the session for good, once that was confirmed. */
export const Delete = ({ id, close }: Omit<Action, "reload">) => {
  const act = async () => {
    await request(DeleteSession, { id });
    navigate("/sessions");
    toast("The session is deleted.");
  };
  return (
    <Sure title="Delete this session?" action="Delete for good" act={act} close={close}>
      Its events, texts and counts go at once. Nothing brings them back, and what arrives for the session later is
      refused. Issues that were filed from it keep their text.
    </Sure>
  );
};

const hold = (id: string, reason: string) => request(HoldSession, { id, input: { reason } });
const release = (id: string) => request(ReleaseSession, { id });

/** Takes an act back; where that is refused, it says why. */
const undo = (act: () => Promise<unknown>, reload: () => void) => ({
  name: "Undo",
  act: () => void act().then(reload, (error: Error) => toast(error.message)),
});
