import { useState } from "preact/hooks";
import { api, session } from "../../data/session.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { Invitations } from "./invitations.tsx";
import { Intro, isOwner, Loaded, Sure, useApi } from "./parts.tsx";

interface Member {
  id: string;
  email: string;
  name: string;
  role: "owner" | "member";
  createdAt: string;
}

interface Page {
  members: Member[];
  next_cursor?: string;
}

/** The members of the organization, and those invited. */
export function MembersPart() {
  const [cursor, setCursor] = useState("");
  const list = useApi<Page>(`/api/members${cursor && `?cursor=${cursor}`}`);
  const [leaving, leave] = useState<Member>();
  const setRole = (member: Member, role: string) =>
    api(`/api/members/${member.id}`, { method: "PATCH", body: { role } })
      .catch((failure: Error) => toast(failure.message))
      .finally(list.load);
  const remove = () => api(`/api/members/${leaving?.id}`, { method: "DELETE" }).then(list.load);
  return (
    <>
      <Intro title="Members">
        Owners manage keys, members and webhooks; members read and write all else of {session.value?.organization?.name}
        .
      </Intro>
      <Loaded of={list}>
        {({ members, next_cursor }) => (
          <>
            <div class="card">
              <DataTable label="Members" rows={members} columns={columns(setRole, leave)} keyOf={({ id }) => id} />
            </div>
            <div class="row">
              {cursor && (
                <button class="btn" type="button" onClick={() => setCursor("")}>
                  First ones
                </button>
              )}
              {next_cursor && (
                <button class="btn" type="button" onClick={() => setCursor(next_cursor)}>
                  Next ones
                </button>
              )}
            </div>
          </>
        )}
      </Loaded>
      {/* Below a list that has its rows already: nothing moves under a finger. */}
      {isOwner() && (list.reply ?? list.error) && <Invitations />}
      {leaving && (
        <Sure title={`Remove ${leaving.name}?`} action="Remove" act={remove} close={() => leave(undefined)}>
          Their logins and keys no longer open the organization; what they wrote stays.
        </Sure>
      )}
    </>
  );
}

const columns = (
  setRole: (member: Member, role: string) => void,
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
  { name: "E-mail", class: "mid l2", cell: ({ email }) => <bdi class="cut">{email}</bdi> },
  {
    name: "Role",
    class: "r1",
    cell: (member) =>
      isOwner() ? (
        <select
          class="in"
          aria-label={`Role of ${member.name}`}
          value={member.role}
          onChange={(event) => setRole(member, event.currentTarget.value)}
        >
          <option value="owner">Owner</option>
          <option value="member">Member</option>
        </select>
      ) : (
        member.role
      ),
  },
  { name: "Joined", class: "num dim only-wide", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    name: "Actions",
    quiet: true,
    class: "num r2",
    cell: (member) =>
      isOwner() && (
        <button class="btn quiet thin" type="button" aria-label={`Remove ${member.name}`} onClick={() => leave(member)}>
          Remove
        </button>
      ),
  },
];
