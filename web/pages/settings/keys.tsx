import { useState } from "preact/hooks";
import { DAY_MS } from "../../../formats/time.ts";
import type { EndpointReply } from "../../data/api.ts";
import { callApiAsUser, currentLogin } from "../../data/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { formatExactTime, formatPlural } from "../../parts/texts/format.ts";
import { Age } from "../../parts/time/time.tsx";
import { SetupSnippetTabs } from "../connect/snippet-tabs.tsx";
import { buildSetupSnippets } from "../connect/snippets.ts";
import {
  ConfirmDialog,
  isCurrentUserOwner,
  LoadedReply,
  OwnersOnlyNote,
  SecretShownOnce,
  SettingsForm,
  SettingsPageHeader,
  useEndpoint,
} from "./parts.tsx";

interface Key {
  id: string;
  name: string;
  shown: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
}

interface Kind {
  list: "GET /api/api-keys" | "GET /api/ingest-keys";
  remove: "DELETE /api/api-keys/:id" | "DELETE /api/ingest-keys/:id";
  /** Creates a key. Returns the secret. */
  make: (values: { name: string; days?: string }) => Promise<string>;
  /** True if a new key may have an expiration date. */
  ends?: true;
}

const keysOf = (reply: EndpointReply<Kind["list"]>): Key[] =>
  "apiKeys" in reply
    ? reply.apiKeys.map(({ label, last4, ...row }) => ({ ...row, name: label ?? "", shown: `trk_api_…${last4}` }))
    : reply.ingestKeys.map(({ prefix, last4, ...row }) => ({ ...row, shown: `${prefix}…${last4}`, expiresAt: null }));

const PERSONAL: Kind = {
  list: "GET /api/api-keys",
  remove: "DELETE /api/api-keys/:id",
  async make({ name, days }) {
    const body = { label: name, ...(days && { expiresAt: inDays(Number(days)) }) };
    return (await callApiAsUser("POST /api/api-keys", { body })).token;
  },
  ends: true,
};

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
const INGEST: Kind = {
  list: "GET /api/ingest-keys",
  remove: "DELETE /api/ingest-keys/:id",
  make: async ({ name }) => (await callApiAsUser("POST /api/ingest-keys", { body: { name } })).key,
};

/** Keys with the permissions of the user who created the key. */
export const PersonalKeys = () => (
  <Keys kind={PERSONAL} title="Personal keys">
    Personal keys work for GraphQL, REST and MCP. A key has all your permissions in{" "}
    {currentLogin.value?.organization?.name} until the key expires or you delete the key.
  </Keys>
);

/** Keys with which agents send events. */
export const IngestKeys = () =>
  isCurrentUserOwner() ? (
    <Keys kind={INGEST} title="Ingest keys" snippet>
      Agents send sessions and events with an ingest key. A key writes to {currentLogin.value?.organization?.name} and
      cannot read data. A key is valid until you delete the key.
    </Keys>
  ) : (
    <>
      <SettingsPageHeader title="Ingest keys">Agents send sessions and events with an ingest key.</SettingsPageHeader>
      <OwnersOnlyNote />
    </>
  );

interface KeysProps {
  kind: Kind;
  title: string;
  /** True to show a code snippet for an agent after a key is created. */
  snippet?: boolean;
  children: preact.ComponentChildren;
}

function Keys({ kind, title, snippet = false, children }: KeysProps) {
  const list = useEndpoint(kind.list, {});
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const [leaving, leave] = useState<Key>();
  const make = async (values: { name: string; days?: string }) => {
    setMade({ name: values.name, secret: await kind.make(values) });
    await list.load();
  };
  const remove = async ({ id }: Key) => {
    await callApiAsUser(kind.remove, { path: { id } });
    setMade(undefined);
    await list.load();
  };
  const fields = [{ name: "name" as const, label: "Name of the new key", placeholder: "Name, such as “ci”" }];
  return (
    <>
      <SettingsPageHeader
        title={title}
        action={
          <SettingsForm inline fields={fields} action="Create key" submit={make}>
            {kind.ends && <Ends />}
          </SettingsForm>
        }
      >
        {children}
      </SettingsPageHeader>
      {made && (
        <SecretShownOnce title={`Key “${made.name}” created.`} secret={made.secret} close={() => setMade(undefined)} />
      )}
      {made && snippet && <SetupSnippetTabs all={buildSetupSnippets(location.origin, made.secret)} />}
      <LoadedReply of={list}>
        {(reply) => <List title={title} keys={keysOf(reply)} columns={columns(leave, kind.ends)} />}
      </LoadedReply>
      {leaving && (
        <ConfirmDialog
          title={`Delete “${leaving.name}”?`}
          action="Delete"
          act={() => remove(leaving)}
          close={() => leave(undefined)}
        >
          Programs that use the key lose access immediately.
        </ConfirmDialog>
      )}
    </>
  );
}

/** Selection of a new key's expiration. */
const Ends = () => (
  <select class="in" name="days" aria-label="Expiration">
    <option value="">Does not expire</option>
    <option value="30">Expires in 30 days</option>
    <option value="90">Expires in 90 days</option>
    <option value="365">Expires in one year</option>
  </select>
);

const List = ({ title, keys, columns }: { title: string; keys: Key[]; columns: Column<Key>[] }) =>
  keys.length === 0 ? (
    <EmptyState icon="key" title="No keys yet" />
  ) : (
    <>
      <div class="card">
        <DataTable label={title} rows={keys} columns={columns} keyOf={({ id }) => id} />
      </div>
      <p class="hint">{formatPlural(keys.length, "key")} in use.</p>
    </>
  );

const END: Column<Key> = {
  name: "Expires",
  class: "num mid only-wide",
  cell: ({ expiresAt }) =>
    expiresAt === null ? "never" : Date.parse(expiresAt) > Date.now() ? <Day at={expiresAt} /> : <b>expired</b>,
};

const Day = ({ at }: { at: string }) => (
  <time dateTime={at} title={formatExactTime(Date.parse(at))}>
    {at.slice(0, 10)}
  </time>
);

const columns = (leave: (key: Key) => void, ends = false): Column<Key>[] => [
  {
    name: "Name",
    cell: ({ name }) => (
      <b class="name cut" title={name}>
        <bdi>{name}</bdi>
      </b>
    ),
  },
  { name: "Key", class: "l2", cell: ({ shown }) => <code class="mid">{shown}</code> },
  { name: "Created", class: "num mid only-wide", cell: ({ createdAt }) => <Age at={createdAt} /> },
  ...(ends ? [END] : []),
  {
    name: "Last used",
    class: "num r1",
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? (
        <Age at={lastUsedAt} />
      ) : (
        <span class="c-run">
          <Icon name="clock" class="i-14" /> never
        </span>
      ),
  },
  {
    name: "Actions",
    quiet: true,
    class: "num r2",
    cell: (key) => (
      <button class="btn quiet thin" type="button" aria-label={`Delete key ${key.name}`} onClick={() => leave(key)}>
        Delete
      </button>
    ),
  },
];
