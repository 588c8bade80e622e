import { useState } from "preact/hooks";
import type { EndpointReply } from "../../data/api.ts";
import { callApiAsUser } from "../../data/session.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { formatExactTime } from "../../parts/texts/format.ts";
import { showToast } from "../../parts/toast.tsx";
import { LoadedReply, SecretShownOnce, SettingsForm, useEndpoint } from "./parts.tsx";

type Invitation = EndpointReply<"GET /api/invitations">["invitations"][number];

/** List of invitations, and a form for new invitations. */
export function InvitationList() {
  const list = useEndpoint("GET /api/invitations", {});
  const [made, setMade] = useState<{ email: string; link: string }>();
  const invite = async ({ email }: { email: string }) => {
    const { token } = await callApiAsUser("POST /api/invitations", { body: { email } });
    setMade({ email, link: `${location.origin}/#invitation=${token}` });
    await list.load();
  };
  const withdraw = ({ id }: Invitation) =>
    callApiAsUser("DELETE /api/invitations/:id", { path: { id } })
      .catch((failure: Error) => showToast(failure.message))
      .finally(list.load);
  return (
    <section class="stack" aria-labelledby="invitations">
      <h2 id="invitations">Invitations</h2>
      <p class="mid">
        Each link works once, for seven days, and only for the invited email address. Trackway sends the link by email
        if a mail server is configured. Otherwise, send the link yourself.
      </p>
      <SettingsForm
        inline
        fields={[{ name: "email", type: "email", label: "Email of the new member", placeholder: "name@example.com" }]}
        action="Invite"
        submit={invite}
      />
      {made && (
        <SecretShownOnce
          title={`Invitation link for ${made.email}.`}
          secret={made.link}
          close={() => setMade(undefined)}
        />
      )}
      <LoadedReply of={list}>
        {({ invitations }) =>
          invitations.length > 0 && (
            <div class="card">
              <DataTable label="Invitations" rows={invitations} columns={columns(withdraw)} keyOf={({ id }) => id} />
            </div>
          )
        }
      </LoadedReply>
    </section>
  );
}

const columns = (withdraw: (invitation: Invitation) => void): Column<Invitation>[] => [
  { name: "Email", cell: ({ email }) => <bdi class="cut">{email}</bdi> },
  {
    name: "Expires",
    class: "mid l2",
    cell: ({ expiresAt }) => <time dateTime={expiresAt}>{formatExactTime(Date.parse(expiresAt))}</time>,
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
