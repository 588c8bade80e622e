import { RecordedUsers, UserSessions, type UserSessionsQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { ActivityChart, Avatar, FailureCount } from "../../parts/marks.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { formatCount, formatDuration, truncate } from "../../parts/texts/format.ts";
import { Age } from "../../parts/time/time.tsx";
import { Page } from "../../shell/page.tsx";
import { computeSessionDuration, formatSessionTitle, isSessionRunning } from "../sessions/row.tsx";
import { isCurrentUserOwner } from "../settings/parts.tsx";
import { UserActions } from "./user-actions.tsx";
import { formatTrait } from "./users.tsx";

type Session = UserSessionsQuery["recordedSessions"]["nodes"][number];

const MOST = 100;

/** Page of a recorded user: traits and sessions. */
export default function UserPage({ params: { id = "" } }: { params: Record<string, string> }) {
  const user = useQuery(RecordedUsers, { filter: { id: { eq: id } }, first: 1 });
  const sessions = useQuery(UserSessions, { filter: { user: { id: { eq: id } } }, first: MOST });
  useReloadOnEvents(() => Promise.all([user.reload(), sessions.reload()]).then(() => {}));
  const found = user.data?.recordedUsers.nodes[0];
  return (
    <Page title={id}>
      <header class="head stick">
        <nav class="crumb" aria-label="Breadcrumb">
          <a href="/users">Users</a>
          <Icon name="right" class="i-14" />
        </nav>
        <Avatar name={id} />
        <h1 class="cut" title={id}>
          <bdi>{id}</bdi>
        </h1>
        <div class="acts">
          <a class="btn only-wide" href={`/sessions?user=${encodeURIComponent(id)}`}>
            All sessions of the user
          </a>
          {found && isCurrentUserOwner() && <UserActions id={id} />}
        </div>
      </header>
      <div class="page">
        <LoadedContent data={user.data} error={user.error} retry={user.reload}>
          {() => (found ? <Traits {...found} /> : <EmptyState icon="users" title="User not found" />)}
        </LoadedContent>
        {found && <Sessions {...sessions} />}
      </div>
    </Page>
  );
}

const Traits = ({ traits, firstSeenAt }: { traits: Record<string, unknown>; firstSeenAt: string }) => (
  <section class="card" aria-labelledby="traits">
    <header>
      <h2 id="traits">Traits</h2>
      <span class="dim">
        first seen <Age at={firstSeenAt} prose />
      </span>
    </header>
    {Object.keys(traits).length === 0 ? (
      <p class="pad mid">No traits.</p>
    ) : (
      <dl class="kv pad">
        {Object.entries(traits).map(([key, value]) => (
          <div key={key} class="contents">
            <dt class="cut" title={key}>
              <bdi>{key}</bdi>
            </dt>
            <dd class="wraps">
              <bdi>{truncate(formatTrait(value), 2_000)}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    )}
  </section>
);

const COLUMNS: Column<Session>[] = [
  {
    name: "Session",
    class: "wide",
    cell: (row, link) => (
      <a class="name cut" href={`/sessions/${row.id}`} title={formatSessionTitle(row)} {...link}>
        <bdi>{formatSessionTitle(row)}</bdi>
      </a>
    ),
  },
  {
    name: "Activity",
    class: "only-wide",
    cell: (row) => (
      <ActivityChart course={row.brief.course} live={isSessionRunning(row)} failures={row.totals.failures} />
    ),
  },
  { name: "Agent", class: "mid l2", cell: ({ brief }) => <bdi>{brief.agent ?? "–"}</bdi> },
  {
    name: "Failures",
    class: "num r2",
    sort: (row) => row.totals.failures,
    cell: (row) => <FailureCount count={row.totals.failures} />,
  },
  {
    name: "Events",
    class: "num only-wide",
    sort: (row) => row.totals.events,
    cell: (row) => formatCount(row.totals.events),
  },
  {
    name: "Duration",
    class: "num mid only-wide",
    sort: computeSessionDuration,
    cell: (row) => formatDuration(computeSessionDuration(row)),
  },
  {
    name: "Started",
    class: "num dim l3",
    sort: ({ startedAt }) => startedAt,
    cell: ({ startedAt }) => <Age at={startedAt} />,
  },
];

interface SessionsProps {
  data?: UserSessionsQuery;
  error?: Error;
  reload: () => void;
}

const Sessions = ({ data, error, reload }: SessionsProps) => (
  <section class="card" aria-labelledby="sessions">
    <header>
      <h2 id="sessions">Sessions</h2>
      {data?.recordedSessions.pageInfo.hasNextPage && <span class="dim">the latest {MOST}</span>}
    </header>
    <LoadedContent data={data?.recordedSessions.nodes} error={error} retry={reload} lines={3}>
      {(rows) => (
        <DataTable
          label="Sessions of the user"
          rows={rows}
          columns={COLUMNS}
          keyOf={({ id }) => id}
          href={({ id }) => `/sessions/${id}`}
        />
      )}
    </LoadedContent>
  </section>
);
