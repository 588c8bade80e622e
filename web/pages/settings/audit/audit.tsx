import { useEffect, useState } from "preact/hooks";
import { type Column, DataTable } from "../../../parts/lists/data-table.tsx";
import { Older } from "../../../parts/lists/older.tsx";
import { Empty } from "../../../parts/states.tsx";
import { exact } from "../../../parts/texts/format.ts";
import { JsonTree } from "../../../parts/texts/json-tree.tsx";
import { Ago } from "../../../parts/time/time.tsx";
import { place, setSearch } from "../../../shell/router.ts";
import { Intro, isOwner, Loaded, OwnersOnly, useApi } from "../parts.tsx";
import { type AuditEntry, NOUNS, subjectOf, wordsOf } from "./words.ts";

/** The audit log: keys, members, webhooks, programs and logins. */
export const AuditPart = () => (
  <>
    <Intro title="Audit log">
      Who made, changed and deleted keys, members, agents, webhooks and connected programs, and who signed in. Kept for
      400 days.
    </Intro>
    {isOwner() ? <Owned /> : <OwnersOnly />}
  </>
);

function Owned() {
  const { search } = place.value;
  const [event, user] = [search.get("event") ?? "", search.get("user") ?? ""];
  const [cursor, setCursor] = useState("");
  useEffect(() => setCursor(""), [event, user]);
  const list = useApi("GET /api/audit", { query: { limit: 50, event, userId: user, cursor } });
  return (
    <>
      <Narrow event={event} user={user} />
      <Loaded of={list}>
        {({ entries, next_cursor }) => (
          <>
            {entries.length === 0 ? (
              <Empty icon="clock" title={event || user ? "Nothing of this was done" : "Nothing was done yet"} />
            ) : (
              <div class="card">
                <DataTable label="Audit log" rows={entries} columns={COLUMNS} keyOf={({ id }) => id} />
              </div>
            )}
            <div class="row">
              <Older cursor={cursor} next={next_cursor} show={setCursor} />
            </div>
          </>
        )}
      </Loaded>
    </>
  );
}

/** The part that is shown, by the address. */
const Narrow = ({ event, user }: { event: string; user: string }) => (
  <div class="row">
    <select
      class="in"
      aria-label="What it is about"
      value={event}
      onChange={({ currentTarget: { value } }) => setSearch({ event: value || undefined }, false)}
    >
      <option value="">Everything</option>
      {Object.entries(NOUNS).map(([noun, [, several]]) => (
        <option key={noun} value={noun}>
          {several}
        </option>
      ))}
      {event && !Object.hasOwn(NOUNS, event) && <option value={event}>{event}</option>}
    </select>
    {user && (
      <button class="btn quiet" type="button" onClick={() => setSearch({ user: undefined }, false)}>
        Of everybody
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
        {wordsOf(entry)} {subjectOf(entry) && <b dir="auto">{subjectOf(entry)}</b>}
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
          title={`Only what ${email ?? userId} did`}
          onClick={() => setSearch({ user: userId }, false)}
        >
          <bdi>{name ?? userId}</bdi>
        </button>
      ) : (
        "the server"
      ),
  },
  {
    name: "Details",
    class: "wide l3 wrapping",
    cell: ({ event, createdAt, detail }) => (
      <div class="js">
        <JsonTree value={{ event, at: exact(Date.parse(createdAt)), ...detail }} open={0} />
      </div>
    ),
  },
  { name: "When", class: "num dim r1", cell: ({ createdAt }) => <Ago at={createdAt} /> },
];
