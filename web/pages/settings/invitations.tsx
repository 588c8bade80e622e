import { useState } from "preact/hooks";
import type { Reply } from "../../data/api.ts";
import { api } from "../../data/session.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { exact } from "../../parts/texts/format.ts";
import { toast } from "../../parts/toast.tsx";
import { Form, Loaded, Once, useApi } from "./parts.tsx";

type Invitation = Reply<"GET /api/invitations">["invitations"][number];

/** The invitations, and a form for more. */
export function Invitations() {
  const list = useApi("GET /api/invitations", {});
  const [made, setMade] = useState<{ email: string; link: string }>();
  const invite = async ({ email }: { email: string }) => {
    const { token } = await api("POST /api/invitations", { body: { email } });
    setMade({ email, link: `${location.origin}/#invitation=${token}` });
    await list.load();
  };
  const withdraw = ({ id }: Invitation) =>
    api("DELETE /api/invitations/:id", { path: { id } })
      .catch((failure: Error) => toast(failure.message))
      .finally(list.load);
  return (
    <section class="stack" aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <p class="mid">
        Each link works once, within seven days, for that e-mail address alone. Trackway sends no e-mail: send the link
        yourself.
      </p>
      <Form
        inline
        fields={[{ name: "email", type: "email", label: "E-mail of the new member", placeholder: "name@example.com" }]}
        action="Invite"
        submit={invite}
      />
      {made && <Once title={`The link for ${made.email}.`} secret={made.link} close={() => setMade(undefined)} />}
      <Loaded of={list}>
        {({ invitations }) =>
          invitations.length > 0 && (
            <div class="card">
              <DataTable label="Invitations" rows={invitations} columns={columns(withdraw)} keyOf={({ id }) => id} />
            </div>
          )
        }
      </Loaded>
    </section>
  );
}

const columns = (withdraw: (invitation: Invitation) => void): Column<Invitation>[] => [
  { name: "E-mail", cell: ({ email }) => <bdi class="cut">{email}</bdi> },
  {
    name: "Good until",
    class: "mid l2",
    cell: ({ expiresAt }) => <time dateTime={expiresAt}>{exact(Date.parse(expiresAt))}</time>,
  },
  {
    name: "Actions",
    quiet: true,
    class: "num r1",
    cell: (invitation) => (
      <button
        class="btn quiet thin"
        type="button"
        aria-label={`Withdraw the invitation of ${invitation.email}`}
        onClick={() => withdraw(invitation)}
      >
        Withdraw
      </button>
    ),
  },
];
