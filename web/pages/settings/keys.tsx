import { useState } from "preact/hooks";
import { DAY_MS } from "../../../formats/time.ts";
import { api, session } from "../../data/session.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Empty } from "../../parts/states.tsx";
import { exact, plural } from "../../parts/texts/format.ts";
import { Ago } from "../../parts/time/time.tsx";
import { Snippets } from "../connect/snippet-tabs.tsx";
import { snippets } from "../connect/snippets.ts";
import { Form, Intro, isOwner, Loaded, Once, OwnersOnly, Sure, useApi } from "./parts.tsx";

interface Key {
  id: string;
  name: string;
  shown: string;
  createdAt: string;
  lastUsedAt: string | null;
  expiresAt: string | null;
}

interface Kind {
  path: string;
  read: (reply: Record<string, Record<string, string>[]>) => Key[];
  body: (values: Record<string, string>) => object;
  /** True if a new key may be given an end. */
  ends?: true;
  secret: (made: Record<string, string>) => string;
}

const asKey = (row: Record<string, string>, name: string, shown: string): Key => ({
  id: row["id"] ?? "",
  name: row[name] ?? "",
  shown,
  createdAt: row["createdAt"] ?? "",
  lastUsedAt: row["lastUsedAt"] ?? null,
  expiresAt: row["expiresAt"] ?? null,
});

const PERSONAL: Kind = {
  path: "/api/api-keys",
  read: ({ apiKeys = [] }) => apiKeys.map((row) => asKey(row, "label", `trk_api_…${row["last4"]}`)),
  body: ({ name, days }) => ({ label: name, ...(days && { expiresAt: inDays(Number(days)) }) }),
  ends: true,
  secret: ({ token = "" }) => token,
};

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
const INGEST: Kind = {
  path: "/api/ingest-keys",
  read: ({ ingestKeys = [] }) => ingestKeys.map((row) => asKey(row, "name", `${row["prefix"]}…${row["last4"]}`)),
  body: ({ name }) => ({ name }),
  secret: ({ key = "" }) => key,
};

/** Keys that act as whoever made them. */
export const PersonalKeys = () => (
  <Keys kind={PERSONAL} title="Personal keys">
    For GraphQL, REST and MCP. A key does all that you may do in {session.value?.organization?.name}, until it ends or
    is deleted.
  </Keys>
);

/** Keys that agents send with. */
export const IngestKeys = () =>
  isOwner() ? (
    <Keys kind={INGEST} title="Ingest keys" snippet>
      What agents send with. A key writes sessions and events for {session.value?.organization?.name} and reads nothing.
      It holds until it is deleted.
    </Keys>
  ) : (
    <>
      <Intro title="Ingest keys">What agents send with.</Intro>
      <OwnersOnly />
    </>
  );

interface KeysProps {
  kind: Kind;
  title: string;
  /** True if what to paste for an agent is shown with a new key. */
  snippet?: boolean;
  children: preact.ComponentChildren;
}

function Keys({ kind, title, snippet = false, children }: KeysProps) {
  const list = useApi<Record<string, Record<string, string>[]>>(kind.path);
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const [leaving, leave] = useState<Key>();
  const make = async (values: Record<string, string>) => {
    const reply = await api<Record<string, string>>(kind.path, { body: kind.body(values) });
    setMade({ name: values["name"] ?? "", secret: kind.secret(reply) });
    await list.load();
  };
  const remove = async () => {
    await api(`${kind.path}/${leaving?.id}`, { method: "DELETE" });
    setMade(undefined);
    await list.load();
  };
  const fields = [{ name: "name", label: "Name of the new key", placeholder: "Name, such as “ci”" }];
  return (
    <>
      <Intro
        title={title}
        action={
          <Form inline fields={fields} action="Make key" submit={make}>
            {kind.ends && <Ends />}
          </Form>
        }
      >
        {children}
      </Intro>
      {made && <Once title={`Key “${made.name}” is made.`} secret={made.secret} close={() => setMade(undefined)} />}
      {made && snippet && <Snippets all={snippets(location.origin, made.secret)} />}
      <Loaded of={list}>
        {(reply) => <List title={title} keys={kind.read(reply)} columns={columns(leave, kind.ends)} />}
      </Loaded>
      {leaving && (
        <Sure title={`Delete “${leaving.name}”?`} action="Delete" act={remove} close={() => leave(undefined)}>
          Whatever uses it stops working at once.
        </Sure>
      )}
    </>
  );
}

/** The end of a new key. */
const Ends = () => (
  <select class="in" name="days" aria-label="When it ends">
    <option value="">Holds until deleted</option>
    <option value="30">Ends in 30 days</option>
    <option value="90">Ends in 90 days</option>
    <option value="365">Ends in a year</option>
  </select>
);

const List = ({ title, keys, columns }: { title: string; keys: Key[]; columns: Column<Key>[] }) =>
  keys.length === 0 ? (
    <Empty icon="key" title="No keys yet" />
  ) : (
    <>
      <div class="card">
        <DataTable label={title} rows={keys} columns={columns} keyOf={({ id }) => id} />
      </div>
      <p class="hint">{plural(keys.length, "key")} in use.</p>
    </>
  );

const END: Column<Key> = {
  name: "Ends",
  class: "num mid only-wide",
  cell: ({ expiresAt }) =>
    expiresAt === null ? "never" : Date.parse(expiresAt) > Date.now() ? <Day at={expiresAt} /> : <b>ended</b>,
};

const Day = ({ at }: { at: string }) => (
  <time dateTime={at} title={exact(Date.parse(at))}>
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
  { name: "Made", class: "num mid only-wide", cell: ({ createdAt }) => <Ago at={createdAt} /> },
  ...(ends ? [END] : []),
  {
    name: "Last used",
    class: "num r1",
    cell: ({ lastUsedAt }) =>
      lastUsedAt ? (
        <Ago at={lastUsedAt} />
      ) : (
        <span class="c-run">
          <Icon name="clock" class="i-14" /> not yet
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
