import { useRef } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { useRailCounts } from "../../data/counts.ts";
import { Inbox, MarkInbox } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { Drawing } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { phone } from "../../parts/lists/phone.ts";
import { Avatar } from "../../parts/marks.tsx";
import { Empty } from "../../parts/states.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { toast } from "../../parts/toast.tsx";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { navigate, place, setSearch } from "../../shell/router.ts";
import { OneEntry } from "./entry.tsx";
import { DRAWINGS, detailOf, type Entry, groupOf, inGroups, tintOf, titleOf, whoOf } from "./words.ts";

const PAUSE_MS = 5_000;
type Shown = "" | "snoozed" | "done";
const SHOWN: [value: Shown, name: string][] = [
  ["", "Open"],
  ["snoozed", "Snoozed"],
  ["done", "Done"],
];

const isSnoozed = ({ snoozedUntilAt }: Entry): boolean =>
  snoozedUntilAt !== null && Date.parse(snoozedUntilAt) > Date.now();
const FITS: Record<Shown, (entry: Entry) => boolean> = {
  "": (entry) => entry.doneAt === null && !isSnoozed(entry),
  snoozed: (entry) => entry.doneAt === null && isSnoozed(entry),
  done: ({ doneAt }) => doneAt !== null,
};

const hrefOf = (id: string): string => `${id ? `/inbox/${id}` : "/inbox"}${location.search}`;

/** Changes of the caller's own marks. */
export interface Marks {
  read?: boolean;
  done?: boolean;
  snoozedUntilAt?: string | null;
}

/** Everything that waits for a person, the oldest first. */
export default function InboxPage({ params: { id = "" } }: { params: Record<string, string> }) {
  const given = place.value.search.get("show") ?? "";
  const shown: Shown = given === "done" || given === "snoozed" ? given : "";
  const { data, error, reload } = useQuery(Inbox, { all: true });
  useTouched(reload, PAUSE_MS);
  useChanges(({ type }) => type === "Issue" || type === "Comment", reload, "inbox");
  const all = data?.inbox.nodes;
  const entries = all && inGroups(all.filter(FITS[shown]));
  // The first entry shows until one is chosen, if there is room for it beside the list.
  const entry = id || phone.value ? all?.find((one) => one.id === id) : entries?.[0];
  const { mark, takeBack } = useMarks(reload);
  const put = (marks: Marks) => {
    if (!entry || !entries) return;
    const at = entries.indexOf(entry);
    const next = entries[at + 1] ?? entries[at - 1];
    void mark(entry, marks).then((isDone) => isDone && navigate(hrefOf(next?.id ?? ""), { replace: true }));
  };
  useKeys({ z: takeBack });
  return (
    <Page title="Inbox" fixed keys={KEYS}>
      <header class="head">
        <h1>Inbox</h1>
        <div class="seg" role="group" aria-label="Entries shown">
          {SHOWN.map(([value, name]) => (
            <button
              key={value}
              type="button"
              aria-pressed={value === shown}
              onClick={() => navigate(value ? `/inbox?show=${value}` : "/inbox")}
            >
              {name} <span class="dim count">{all?.filter(FITS[value]).length}</span>
            </button>
          ))}
        </div>
      </header>
      <div class={entry ? "inbox open" : "inbox"}>
        <div class="scroll">
          <Loaded data={entries} error={error} retry={reload}>
            {(known) => <List entries={known} id={entry?.id ?? ""} shown={shown} />}
          </Loaded>
          {data?.inbox.pageInfo.hasNextPage && <p class="hint pad">Only the 100 that wait longest are listed.</p>}
        </div>
        {entry && (
          <OneEntry
            key={`${entry.id} ${id}`}
            entry={entry}
            put={put}
            read={() => void (id && mark(entry, { read: true }))}
            back={hrefOf("")}
          />
        )}
      </div>
    </Page>
  );
}

/** Sets marks, and takes the last of them back. */
function useMarks(reload: () => Promise<void>) {
  const last = useRef("");
  const counts = useRailCounts();
  const send = async (id: string, input: Marks): Promise<boolean> => {
    try {
      await request(MarkInbox, { ids: [id], input });
      await Promise.all([reload(), counts.reload()]);
      return true;
    } catch (error) {
      toast((error as Error).message);
      return false;
    }
  };
  const mark = (entry: Entry, marks: Marks) => {
    if (marks.read === undefined) last.current = entry.id;
    return send(entry.id, marks);
  };
  const takeBack = () => {
    const id = last.current;
    last.current = "";
    if (id) void send(id, { done: false, snoozedUntilAt: null }).then((isDone) => isDone && navigate(`/inbox/${id}`));
  };
  return { mark, takeBack };
}

function List({ entries, id, shown }: { entries: readonly Entry[]; id: string; shown: Shown }) {
  if (entries.length === 0) {
    return (
      <Empty icon="okc" title={shown === "" ? "Nothing waits for you" : "There is none"}>
        <p>Agents that wait, new failures, leases that ran out and issues that name you stand here.</p>
        {shown !== "" && (
          <div class="row">
            <button class="btn" type="button" onClick={() => setSearch({ show: undefined }, false)}>
              Show what is open
            </button>
          </div>
        )}
      </Empty>
    );
  }
  return (
    <DataTable
      label="Inbox"
      class="inbox-list"
      rows={entries}
      columns={COLUMNS}
      keyOf={(entry) => entry.id}
      href={(entry) => hrefOf(entry.id)}
      groupOf={groupOf}
      chosen={{ key: id, choose: (key) => navigate(hrefOf(key), { replace: location.pathname !== "/inbox" }) }}
    />
  );
}

const COLUMNS: Column<Entry>[] = [
  {
    name: "Entry",
    quiet: true,
    class: "wide",
    cell: (entry, link) => {
      const who = whoOf(entry);
      return (
        <span class="inbox-row">
          <Drawing d={DRAWINGS[entry.type]} class={tintOf(entry)} />
          <a class={entry.readAt ? "cut" : "cut strong"} href={hrefOf(entry.id)} {...link}>
            <bdi>{titleOf(entry)}</bdi>
          </a>
          <span class="dim num">
            <Ago at={entry.createdAt} />
          </span>
          <span class="cut dim inbox-says">
            {entry.issue && <span class="mono">{entry.issue.identifier}</span>} <bdi>{detailOf(entry)}</bdi>
          </span>
          {who && (
            <span class="who" title={who.name}>
              <Avatar {...who} />
            </span>
          )}
        </span>
      );
    },
  },
];

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["E"], "done"],
  [["S"], "snooze"],
  [["Z"], "take back"],
];
