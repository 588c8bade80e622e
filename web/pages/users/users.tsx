import { useRef } from "preact/hooks";
import { type RecordedUserFilter, RecordedUsers, type RecordedUsersQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { Empty } from "../../parts/states.tsx";
import { clip, plural } from "../../parts/texts/format.ts";
import { Ago } from "../../parts/time/time.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { place, setSearch } from "../../shell/router.ts";

type User = RecordedUsersQuery["recordedUsers"]["nodes"][number];

const MOST = 200;
const userHref = (id: string): string => `/users/${encodeURIComponent(id)}`;

/** A trait's value as a line shows it. */
export const traitText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

const COLUMNS: Column<User>[] = [
  {
    name: "User",
    class: "wide",
    sort: ({ id }) => id,
    cell: ({ id }, link) => (
      <span class="row who">
        <Avatar name={id} />
        <a class="name cut" href={userHref(id)} title={id} {...link}>
          <bdi>{id}</bdi>
        </a>
      </span>
    ),
  },
  { name: "Traits", class: "l2 grows", cell: ({ traits }) => <Traits traits={traits} /> },
  {
    name: "Last session",
    class: "num mid r2",
    sort: ({ sessions }) => sessions.nodes[0]?.startedAt ?? "",
    cell: ({ sessions }) => (sessions.nodes[0] ? <Ago at={sessions.nodes[0].startedAt} /> : "–"),
  },
  {
    name: "First seen",
    class: "num dim only-wide",
    sort: ({ firstSeenAt }) => firstSeenAt,
    cell: ({ firstSeenAt }) => <Ago at={firstSeenAt} />,
  },
];

const Traits = ({ traits }: { traits: User["traits"] }) => (
  <span class="row few">
    {Object.entries(traits)
      .slice(0, 4)
      .map(([key, value]) => (
        <span key={key} class="lbls cut" title={`${key}: ${clip(traitText(value), 500)}`}>
          <bdi>
            {key} <b>{clip(traitText(value), 40)}</b>
          </bdi>
        </span>
      ))}
    {Object.keys(traits).length > 4 && <span class="dim">+{Object.keys(traits).length - 4}</span>}
  </span>
);

/** The filter for a text: `plan:pro` is a trait, all else a part of the id. */
function filterOf(text: string): RecordedUserFilter {
  const trait = /^([\w.-]+):(.+)$/.exec(text.trim());
  if (!trait) return text.trim() ? { id: { containsIgnoreCase: text.trim() } } : {};
  const [, key = "", value = ""] = trait;
  const other = /^(true|false|null|-?\d+(\.\d+)?)$/.test(value) ? [JSON.parse(value)] : [];
  return { traits: { key, in: [value, ...other] } };
}

/** The end users whom sessions were recorded of. */
export default function UsersPage() {
  const text = place.value.search.get("q") ?? "";
  const { data, error, reload } = useQuery(RecordedUsers, { filter: filterOf(text), first: MOST });
  useTouched(reload);
  const field = useRef<HTMLInputElement>(null);
  const find = () => field.current?.focus();
  useKeys({ "/": find, f: find });
  const users = data?.recordedUsers.nodes ?? [];
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") field.current?.blur();
    if (event.key === "Enter") setSearch({ q: field.current?.value.trim() || undefined }, false);
  };
  return (
    <Page title="Users" fixed keys={KEYS}>
      <header class="head">
        <h1>Users</h1>
        {data && (
          <span class="dim" role="status">
            {plural(users.length, "user")}
            {data.recordedUsers.pageInfo.hasNextPage && ", those first seen last"}
          </span>
        )}
      </header>
      <div class="filters" role="search" aria-label="Filter users">
        <label class="find">
          <Icon name="filter" class="i-14" />
          <span class="sr">Filter users</span>
          <input
            ref={field}
            key={text}
            defaultValue={text}
            placeholder="Part of an id, or plan:pro"
            onKeyDown={onKey}
          />
          <kbd class="only-wide">/</kbd>
        </label>
      </div>
      <div class="scroll">
        <Loaded data={data?.recordedUsers.nodes} error={error} retry={reload}>
          {(rows) => (rows.length === 0 ? <None filtered={text !== ""} /> : <List rows={rows} />)}
        </Loaded>
      </div>
    </Page>
  );
}

const List = ({ rows }: { rows: readonly User[] }) => (
  <DataTable label="Users" rows={rows} columns={COLUMNS} keyOf={({ id }) => id} href={({ id }) => userHref(id)} />
);

const None = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <Empty icon="filter" title="No user fits this filter">
      <div class="row">
        <a class="btn" href="/users">
          Show all users
        </a>
      </div>
    </Empty>
  ) : (
    <Empty icon="users" title="No user is recorded yet">
      <p>A session that is sent with user_data shows its user here.</p>
    </Empty>
  );

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["/"], "filter"],
];
