import { useEffect, useState } from "preact/hooks";
import { type Column, DataTable } from "../../../parts/lists/data-table.tsx";
import { OlderPages } from "../../../parts/lists/older.tsx";
import { EmptyState } from "../../../parts/states.tsx";
import { formatExactTime } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { Age } from "../../../parts/time/time.tsx";
import { appLocation, setSearchParameters } from "../../../shell/router.ts";
import { isCurrentUserOwner, LoadedReply, OwnersOnlyNote, SettingsPageHeader, useEndpoint } from "../parts.tsx";
import { AUDIT_SUBJECT_NOUNS, type AuditEntry, formatAuditEntry, formatAuditSubject } from "./words.ts";

/** Audit log: keys, members, webhooks, apps and logins. */
export const AuditLogSettings = () => (
  <>
    <SettingsPageHeader title="Audit log">
      The log shows who created, changed and deleted keys, members, agents, webhooks and connected apps, and who signed
      in. Trackway keeps entries for 400 days.
    </SettingsPageHeader>
    {isCurrentUserOwner() ? <Owned /> : <OwnersOnlyNote />}
  </>
);

function Owned() {
  const { search } = appLocation.value;
  const [event, user] = [search.get("event") ?? "", search.get("user") ?? ""];
  const [cursor, setCursor] = useState("");
  useEffect(() => setCursor(""), [event, user]);
  const list = useEndpoint("GET /api/audit", { query: { limit: 50, event, userId: user, cursor } });
  return (
    <>
      <Narrow event={event} user={user} />
      <LoadedReply of={list}>
        {({ entries, next_cursor }) => (
          <>
            {entries.length === 0 ? (
              <EmptyState icon="clock" title={event || user ? "No matching entries" : "No entries yet"} />
            ) : (
              <div class="card">
                <DataTable label="Audit log" rows={entries} columns={COLUMNS} keyOf={({ id }) => id} />
              </div>
            )}
            <div class="row">
              <OlderPages cursor={cursor} next={next_cursor} show={setCursor} />
            </div>
          </>
        )}
      </LoadedReply>
    </>
  );
}

/** Filters of the audit log. The URL contains the chosen filters. */
const Narrow = ({ event, user }: { event: string; user: string }) => (
  <div class="row">
    <select
      class="in"
      aria-label="Subject"
      value={event}
      onChange={({ currentTarget: { value } }) => setSearchParameters({ event: value || undefined }, false)}
    >
      <option value="">Everything</option>
      {Object.entries(AUDIT_SUBJECT_NOUNS).map(([noun, [, several]]) => (
        <option key={noun} value={noun}>
          {several}
        </option>
      ))}
      {event && !Object.hasOwn(AUDIT_SUBJECT_NOUNS, event) && <option value={event}>{event}</option>}
    </select>
    {user && (
      <button class="btn quiet" type="button" onClick={() => setSearchParameters({ user: undefined }, false)}>
        Show all users
      </button>
    )}
  </div>
);

const COLUMNS: Column<AuditEntry>[] = [
  {
    name: "What",
    class: "wrapping",
    cell: (entry) => (
      <span class="wraps">
        {formatAuditEntry(entry)} {formatAuditSubject(entry) && <b dir="auto">{formatAuditSubject(entry)}</b>}
      </span>
    ),
  },
  {
    name: "Who",
    class: "mid l2",
    cell: ({ userId, name, email }) =>
      userId ? (
        <button
          class="plain cut"
          type="button"
          title={`Show only entries of ${email ?? userId}`}
          onClick={() => setSearchParameters({ user: userId }, false)}
        >
          <bdi>{name ?? userId}</bdi>
        </button>
      ) : (
        "Trackway server"
      ),
  },
  {
    name: "Details",
    class: "wide l3 wrapping",
    cell: ({ event, createdAt, detail }) => (
      <div class="js">
        <JsonTree value={{ event, at: formatExactTime(Date.parse(createdAt)), ...detail }} open={0} />
      </div>
    ),
  },
  { name: "When", class: "num dim r1", cell: ({ createdAt }) => <Age at={createdAt} /> },
];
