import { useState } from "preact/hooks";
import type { Reply } from "../../data/api.ts";
import { api, session } from "../../data/session.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { Invitations } from "./invitations.tsx";
import { Intro, isOwner, Loaded, Sure, useApi } from "./parts.tsx";

type Member = Reply<"GET /api/members">["members"][number];

/** The members of the organization, and those invited. */
export function MembersPart() {
  const [cursor, setCursor] = useState("");
  const list = useApi("GET /api/members", { query: { cursor } });
  const [leaving, leave] = useState<Member>();
  const setRole = ({ id }: Member, role: Member["role"]) =>
    api("PATCH /api/members/:id", { path: { id }, body: { role } })
      .catch((failure: Error) => toast(failure.message))
      .finally(list.load);
  const remove = ({ id }: Member) => api("DELETE /api/members/:id", { path: { id } }).then(list.load);
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
        <Sure
          title={`Remove ${leaving.name}?`}
          action="Remove"
          act={() => remove(leaving)}
          close={() => leave(undefined)}
        >
          Their logins and keys no longer open the organization; what they wrote stays.
        </Sure>
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
          onChange={(event) => setRole(member, event.currentTarget.value as Member["role"])}
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
