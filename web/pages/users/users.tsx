import { useRef } from "preact/hooks";
import { type RecordedUserFilter, RecordedUsers, type RecordedUsersQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { formatPlural, truncate } from "../../parts/texts/format.ts";
import { Age } from "../../parts/time/time.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { appLocation, setSearchParameters } from "../../shell/router.ts";

type User = RecordedUsersQuery["recordedUsers"]["nodes"][number];

const MOST = 200;
const userHref = (id: string): string => `/users/${encodeURIComponent(id)}`;

/** Formats the value of a trait for one line. */
export const formatTrait = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

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
    cell: ({ sessions }) => (sessions.nodes[0] ? <Age at={sessions.nodes[0].startedAt} /> : "–"),
  },
  {
    name: "First seen",
    class: "num dim only-wide",
    sort: ({ firstSeenAt }) => firstSeenAt,
    cell: ({ firstSeenAt }) => <Age at={firstSeenAt} />,
  },
];

const Traits = ({ traits }: { traits: User["traits"] }) => (
  <span class="row few">
    {Object.entries(traits)
      .slice(0, 4)
      .map(([key, value]) => (
        <span key={key} class="lbls cut" title={`${key}: ${truncate(formatTrait(value), 500)}`}>
          <bdi>
            {key} <b>{truncate(formatTrait(value), 40)}</b>
          </bdi>
        </span>
      ))}
    {Object.keys(traits).length > 4 && <span class="dim">+{Object.keys(traits).length - 4}</span>}
  </span>
);

/**
 * Builds the filter from the text of the search field. `plan:pro` searches the trait `plan`; any other text searches
 * the id of the user.
 */
function filterOf(text: string): RecordedUserFilter {
  const trait = /^([\w.-]+):(.+)$/.exec(text.trim());
  if (!trait) return text.trim() ? { id: { containsIgnoreCase: text.trim() } } : {};
  const [, key = "", value = ""] = trait;
  const other = /^(true|false|null|-?\d+(\.\d+)?)$/.test(value) ? [JSON.parse(value)] : [];
  return { traits: { key, in: [value, ...other] } };
}

/** Page of the recorded users. */
export default function UsersPage() {
  const text = appLocation.value.search.get("q") ?? "";
  const { data, error, reload } = useQuery(RecordedUsers, { filter: filterOf(text), first: MOST });
  useReloadOnEvents(reload);
  const field = useRef<HTMLInputElement>(null);
  const find = () => field.current?.focus();
  useKeyboardShortcuts({ "/": find, f: find });
  const users = data?.recordedUsers.nodes ?? [];
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "Escape") field.current?.blur();
    if (event.key === "Enter") setSearchParameters({ q: field.current?.value.trim() || undefined }, false);
  };
  return (
    <Page title="Users" fixed keys={KEYS}>
      <header class="head">
        <h1>Users</h1>
        {data && (
          <span class="dim" role="status">
            {formatPlural(users.length, "user")}
            {data.recordedUsers.pageInfo.hasNextPage && ", the most recently first seen"}
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
            placeholder="Part of a user ID, or a trait such as plan:pro"
            onKeyDown={onKey}
          />
          <kbd class="only-wide">/</kbd>
        </label>
      </div>
      <div class="scroll">
        <LoadedContent data={data?.recordedUsers.nodes} error={error} retry={reload}>
          {(rows) => (rows.length === 0 ? <None filtered={text !== ""} /> : <List rows={rows} />)}
        </LoadedContent>
      </div>
    </Page>
  );
}

const List = ({ rows }: { rows: readonly User[] }) => (
  <DataTable label="Users" rows={rows} columns={COLUMNS} keyOf={({ id }) => id} href={({ id }) => userHref(id)} />
);

const None = ({ filtered }: { filtered: boolean }) =>
  filtered ? (
    <EmptyState icon="filter" title="No matching users">
      <div class="row">
        <a class="btn" href="/users">
          Show all users
        </a>
      </div>
    </EmptyState>
  ) : (
    <EmptyState icon="users" title="No users recorded yet">
      <p>Users appear here when an agent sends a session with user_data.</p>
    </EmptyState>
  );

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["/"], "filter"],
];
