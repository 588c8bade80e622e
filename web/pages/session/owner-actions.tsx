import { useState } from "preact/hooks";
import { DeleteSession, HoldSession, ReleaseSession } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { toast } from "../../parts/toast.tsx";
import { navigate } from "../../shell/router.ts";
import { Form, Sure } from "../settings/parts.tsx";
import type { Recorded } from "./head.tsx";

interface Props {
  recorded: Recorded;
  reload: () => void;
}

/** The actions of owners: to hold a session, to release one that is held, and to delete it. */
export const OwnerActions = ({ recorded, reload }: Props) => (
  <>
    {recorded.holdReason === null ? (
      <Hold id={recorded.id} reload={reload} />
    ) : (
      <Release id={recorded.id} reload={reload} />
    )}
    <Delete id={recorded.id} />
  </>
);

interface Action {
  id: string;
  reload: () => void;
}

/** Keeps the session, however old it gets, for a reason. */
function Hold({ id, reload }: Action) {
  const [asked, ask] = useState(false);
  const submit = async ({ reason = "" }: Record<string, string>) => {
    await request(HoldSession, { id, input: { reason } });
    ask(false);
    reload();
    toast("The session is held.");
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => ask(true)}>
        Hold
      </button>
      {asked && (
        <Dialog title="Hold this session?" close={() => ask(false)}>
          <p class="mid">Retention keeps it, however old it gets, until an owner releases it.</p>
          <Form fields={[{ name: "reason", label: "Reason" }]} action="Hold it" submit={submit} />
        </Dialog>
      )}
    </>
  );
}

function Release({ id, reload }: Action) {
  const [asked, ask] = useState(false);
  const act = async () => {
    await request(ReleaseSession, { id });
    reload();
    toast("The session is released.");
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => ask(true)}>
        Release
      </button>
      {asked && (
        <Sure title="Release this session?" action="Release it" act={act} close={() => ask(false)}>
          The rules of retention then say again when its texts and the session go.
        </Sure>
      )}
    </>
  );
}

/** Deletes the session for good, once that was confirmed. */
function Delete({ id }: { id: string }) {
  const [asked, ask] = useState(false);
  const act = async () => {
    await request(DeleteSession, { id });
    navigate("/sessions");
    toast("The session is deleted.");
  };
  return (
    <>
      <button class="btn only-wide" type="button" onClick={() => ask(true)}>
        Delete
      </button>
      {asked && (
        <Sure title="Delete this session?" action="Delete for good" act={act} close={() => ask(false)}>
          Its events, texts and counts go for good, and what arrives for it later is refused. Issues that were filed
          from it keep their text.
        </Sure>
      )}
    </>
  );
}
