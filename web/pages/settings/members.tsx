import { useState } from "preact/hooks";
import type { EndpointReply } from "../../data/api.ts";
import { callApiAsUser, currentLogin } from "../../data/session.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Age } from "../../parts/time/time.tsx";
import { showToast } from "../../parts/toast.tsx";
import { InvitationList } from "./invitations.tsx";
import { ConfirmDialog, isCurrentUserOwner, LoadedReply, SettingsPageHeader, useEndpoint } from "./parts.tsx";

type Member = EndpointReply<"GET /api/members">["members"][number];

/** Members of the organization, and invitations. */
export function MembersSettings() {
  const [cursor, setCursor] = useState("");
  const list = useEndpoint("GET /api/members", { query: { cursor } });
  const [leaving, leave] = useState<Member>();
  const setRole = ({ id }: Member, role: Member["role"]) =>
    callApiAsUser("PATCH /api/members/:id", { path: { id }, body: { role } })
      .catch((failure: Error) => showToast(failure.message))
      .finally(list.load);
  const remove = ({ id }: Member) => callApiAsUser("DELETE /api/members/:id", { path: { id } }).then(list.load);
  return (
    <>
      <SettingsPageHeader title="Members">
        Owners manage keys, members and webhooks. Members can read and write all other data of{" "}
        {currentLogin.value?.organization?.name}.
      </SettingsPageHeader>
      <LoadedReply of={list}>
        {({ members, next_cursor }) => (
          <>
            <div class="card">
              <DataTable label="Members" rows={members} columns={columns(setRole, leave)} keyOf={({ id }) => id} />
            </div>
            <div class="row">
              {cursor && (
                <button class="btn" type="button" onClick={() => setCursor("")}>
                  First page
                </button>
              )}
              {next_cursor && (
                <button class="btn" type="button" onClick={() => setCursor(next_cursor)}>
                  Next page
                </button>
              )}
            </div>
          </>
        )}
      </LoadedReply>
      {/* Appears only after the list above has rows, so that the invitations do not move while the user points at a
          button. */}
      {isCurrentUserOwner() && (list.reply ?? list.error) && <InvitationList />}
      {leaving && (
        <ConfirmDialog
          title={`Remove ${leaving.name}?`}
          action="Remove"
          act={() => remove(leaving)}
          close={() => leave(undefined)}
        >
          The user loses access to the organization, including logins and keys. Issues and comments of the user stay.
        </ConfirmDialog>
      )}
    </>
  );
}

const columns = (
  setRole: (member: Member, role: Member["role"]) => void,
  leave: (member: Member) => void,
): Column<Member>[] => [
  {
    name: "Name",
    cell: ({ name }) => (
      <span class="row who">
        <Avatar name={name} />
        <bdi class="cut" title={name}>
          {name}
        </bdi>
      </span>
    ),
  },
  { name: "Email", class: "mid l2", cell: ({ email }) => <bdi class="cut">{email}</bdi> },
  {
    name: "Role",
    class: "r1",
    cell: (member) =>
      isCurrentUserOwner() ? (
        <select
          class="in"
          aria-label={`Role of ${member.name}`}
          value={member.role}
          onChange={(event) => setRole(member, event.currentTarget.value as Member["role"])}
        >
          <option value="owner">Owner</option>
          <option value="member">Member</option>
        </select>
      ) : (
        member.role
      ),
  },
  { name: "Joined", class: "num dim only-wide", cell: ({ createdAt }) => <Age at={createdAt} /> },
  {
    name: "Actions",
    quiet: true,
    class: "num r2",
    cell: (member) =>
      isCurrentUserOwner() && (
        <button class="btn quiet thin" type="button" aria-label={`Remove ${member.name}`} onClick={() => leave(member)}>
          Remove
        </button>
      ),
  },
];
