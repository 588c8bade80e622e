import { useState } from "preact/hooks";
import type { EndpointReply } from "../../data/api.ts";
import { callApiAsUser, currentLogin } from "../../data/session.ts";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { Age } from "../../parts/time/time.tsx";
import { ConfirmDialog, LoadedReply, SettingsPageHeader, useEndpoint } from "./parts.tsx";

type Connection = EndpointReply<"GET /api/connections">["connections"][number];

/** Apps that the user has allowed to act on the user's behalf. */
export function ConnectedAppsSettings() {
  const list = useEndpoint("GET /api/connections", {});
  const [leaving, leave] = useState<Connection>();
  return (
    <>
      <SettingsPageHeader title="Connected apps">
        These apps act on your behalf in {currentLogin.value?.organization?.name}, with the permissions that you
        allowed.
      </SettingsPageHeader>
      <LoadedReply of={list}>
        {({ connections }) =>
          connections.length === 0 ? (
            <EmptyState icon="plug" title="No connected apps" />
          ) : (
            <div class="card">
              <DataTable label="Connected apps" rows={connections} columns={columns(leave)} keyOf={({ id }) => id} />
            </div>
          )
        }
      </LoadedReply>
      {leaving && (
        <ConfirmDialog
          title={`Disconnect “${leaving.clientName}”?`}
          action="Disconnect"
          act={() => callApiAsUser("DELETE /api/connections/:id", { path: { id: leaving.id } }).then(list.load)}
          close={() => leave(undefined)}
        >
          The app loses access immediately.
        </ConfirmDialog>
      )}
    </>
  );
}

const columns = (leave: (connection: Connection) => void): Column<Connection>[] => [
  {
    name: "App",
    cell: ({ clientName }) => (
      <b class="name cut" title={clientName}>
        <bdi>{clientName}</bdi>
      </b>
    ),
  },
  { name: "Redirects to", class: "mid l2", cell: ({ redirectHost }) => <bdi class="cut">{redirectHost}</bdi> },
  { name: "Permissions", class: "l3", cell: ({ scopes }) => scopes.join(", ") },
  { name: "Connected", class: "num dim only-wide", cell: ({ createdAt }) => <Age at={createdAt} /> },
  { name: "Last used", class: "num r1", cell: ({ lastUsedAt }) => <Age at={lastUsedAt} /> },
  {
    name: "Actions",
    quiet: true,
    class: "num r2",
    cell: (connection) => (
      <button
        class="btn quiet thin"
        type="button"
        aria-label={`Disconnect ${connection.clientName}`}
        onClick={() => leave(connection)}
      >
        Disconnect
      </button>
    ),
  },
];
