import { useState } from "preact/hooks";
import { DAY_MS } from "../../../formats/time.ts";
import type { Reply } from "../../data/api.ts";
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
  list: "GET /api/api-keys" | "GET /api/ingest-keys";
  remove: "DELETE /api/api-keys/:id" | "DELETE /api/ingest-keys/:id";
  /** Makes a key. Answers its secret. */
  make: (values: { name: string; days?: string }) => Promise<string>;
  /** True if a new key may be given an end. */
  ends?: true;
}

const keysOf = (reply: Reply<Kind["list"]>): Key[] =>
  "apiKeys" in reply
    ? reply.apiKeys.map(({ label, last4, ...row }) => ({ ...row, name: label ?? "", shown: `trk_api_…${last4}` }))
    : reply.ingestKeys.map(({ prefix, last4, ...row }) => ({ ...row, shown: `${prefix}…${last4}`, expiresAt: null }));

const PERSONAL: Kind = {
  list: "GET /api/api-keys",
  remove: "DELETE /api/api-keys/:id",
  async make({ name, days }) {
    const body = { label: name, ...(days && { expiresAt: inDays(Number(days)) }) };
    return (await api("POST /api/api-keys", { body })).token;
  },
  ends: true,
};

const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
const INGEST: Kind = {
  list: "GET /api/ingest-keys",
  remove: "DELETE /api/ingest-keys/:id",
  make: async ({ name }) => (await api("POST /api/ingest-keys", { body: { name } })).key,
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
  const list = useApi(kind.list, {});
  const [made, setMade] = useState<{ name: string; secret: string }>();
  const [leaving, leave] = useState<Key>();
  const make = async (values: { name: string; days?: string }) => {
    setMade({ name: values.name, secret: await kind.make(values) });
    await list.load();
  };
  const remove = async ({ id }: Key) => {
    await api(kind.remove, { path: { id } });
    setMade(undefined);
    await list.load();
  };
  const fields = [{ name: "name" as const, label: "Name of the new key", placeholder: "Name, such as “ci”" }];
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
        {(reply) => <List title={title} keys={keysOf(reply)} columns={columns(leave, kind.ends)} />}
      </Loaded>
      {leaving && (
        <Sure
          title={`Delete “${leaving.name}”?`}
          action="Delete"
          act={() => remove(leaving)}
          close={() => leave(undefined)}
        >
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
