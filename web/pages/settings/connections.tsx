import { useState } from "preact/hooks";
import type { Reply } from "../../data/api.ts";
import { api, session } from "../../data/session.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { Intro, Loaded, Sure, useApi } from "./parts.tsx";

type Connection = Reply<"GET /api/connections">["connections"][number];

/** Programs that act for whoever allowed them to. */
export function ConnectionsPart() {
  const list = useApi("GET /api/connections", {});
  const [leaving, leave] = useState<Connection>();
  return (
    <>
      <Intro title="Connected programs">
        They act for you in {session.value?.organization?.name}, within what you allowed them.
      </Intro>
      <Loaded of={list}>
        {({ connections }) =>
          connections.length === 0 ? (
            <Empty icon="plug" title="No program is connected" />
          ) : (
            <div class="card">
              <DataTable
                label="Connected programs"
                rows={connections}
                columns={columns(leave)}
                keyOf={({ id }) => id}
              />
            </div>
          )
        }
      </Loaded>
      {leaving && (
        <Sure
          title={`End “${leaving.clientName}”?`}
          action="End"
          act={() => api("DELETE /api/connections/:id", { path: { id: leaving.id } }).then(list.load)}
          close={() => leave(undefined)}
        >
          It stops acting for you at once.
        </Sure>
      )}
    </>
  );
}

const columns = (leave: (connection: Connection) => void): Column<Connection>[] => [
  {
    name: "It calls itself",
    cell: ({ clientName }) => (
      <b class="name cut" title={clientName}>
        <bdi>{clientName}</bdi>
      </b>
    ),
  },
  { name: "Led back to", class: "mid l2", cell: ({ redirectHost }) => <bdi class="cut">{redirectHost}</bdi> },
  { name: "May", class: "l3", cell: ({ scopes }) => scopes.join(", ") },
  { name: "Connected", class: "num dim only-wide", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  { name: "Last used", class: "num r1", cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} /> },
  {
    name: "Actions",
    quiet: true,
    class: "num r2",
    cell: (connection) => (
      <button
        class="btn quiet thin"
        type="button"
        aria-label={`End ${connection.clientName}`}
        onClick={() => leave(connection)}
      >
        End
      </button>
    ),
  },
];
