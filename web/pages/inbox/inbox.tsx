import { useRef } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { useSidebarCountsQuery } from "../../data/counts.ts";
import { Inbox, MarkInbox } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { PathIcon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { isPhoneScreen } from "../../parts/lists/phone.ts";
import { Avatar } from "../../parts/marks.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { Age } from "../../parts/time/time.tsx";
import { showToast } from "../../parts/toast.tsx";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { appLocation, navigate, setSearchParameters } from "../../shell/router.ts";
import { InboxEntryDetail } from "./entry.tsx";
import {
  ENTRY_ICON_PATHS,
  findEntryActor,
  formatEntryDetail,
  formatEntryTitle,
  getEntryColorClass,
  getEntryGroupHeading,
  type InboxEntry,
  sortByGroup,
} from "./words.ts";

const PAUSE_MS = 5_000;
type InboxView = "" | "snoozed" | "done";
const SHOWN: [value: InboxView, name: string][] = [
  ["", "Open"],
  ["snoozed", "Snoozed"],
  ["done", "Done"],
];

const isSnoozed = ({ snoozedUntilAt }: InboxEntry): boolean =>
  snoozedUntilAt !== null && Date.parse(snoozedUntilAt) > Date.now();
const FITS: Record<InboxView, (entry: InboxEntry) => boolean> = {
  "": (entry) => entry.doneAt === null && !isSnoozed(entry),
  snoozed: (entry) => entry.doneAt === null && isSnoozed(entry),
  done: ({ doneAt }) => doneAt !== null,
};

const buildInboxHref = (id: string): string => `${id ? `/inbox/${id}` : "/inbox"}${location.search}`;

/** Changes to the caller's own marks on an inbox entry. */
export interface InboxEntryUpdate {
  read?: boolean;
  done?: boolean;
  snoozedUntilAt?: string | null;
}

/** Page of everything that waits for the user, oldest first. */
export default function InboxPage({ params: { id = "" } }: { params: Record<string, string> }) {
  const given = appLocation.value.search.get("show") ?? "";
  const shown: InboxView = given === "done" || given === "snoozed" ? given : "";
  const { data, error, reload } = useQuery(Inbox, { all: true });
  useReloadOnEvents(reload, PAUSE_MS);
  useReloadOnChange(({ type }) => type === "Issue" || type === "Comment", reload, "inbox");
  const all = data?.inbox.nodes;
  const entries = all && sortByGroup(all.filter(FITS[shown]));
  // If the screen has room beside the list, the first entry is shown until the user chooses another entry.
  const entry = id || isPhoneScreen.value ? all?.find((one) => one.id === id) : entries?.[0];
  const { mark, takeBack } = useMarks(reload);
  const put = (marks: InboxEntryUpdate) => {
    if (!entry || !entries) return;
    const at = entries.indexOf(entry);
    const next = entries[at + 1] ?? entries[at - 1];
    void mark(entry, marks).then((isDone) => isDone && navigate(buildInboxHref(next?.id ?? ""), { replace: true }));
  };
  useKeyboardShortcuts({ z: takeBack });
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
          <LoadedContent data={entries} error={error} retry={reload}>
            {(known) => <List entries={known} id={entry?.id ?? ""} shown={shown} />}
          </LoadedContent>
          {data?.inbox.pageInfo.hasNextPage && <p class="hint pad">The list shows the 100 oldest entries.</p>}
        </div>
        {entry && (
          <InboxEntryDetail
            key={`${entry.id} ${id}`}
            entry={entry}
            put={put}
            read={() => void (id && mark(entry, { read: true }))}
            back={buildInboxHref("")}
          />
        )}
      </div>
    </Page>
  );
}

/** Sets marks on entries, and undoes the last change. */
function useMarks(reload: () => Promise<void>) {
  const last = useRef("");
  const counts = useSidebarCountsQuery();
  const send = async (id: string, input: InboxEntryUpdate): Promise<boolean> => {
    try {
      await requestGraphQL(MarkInbox, { ids: [id], input });
      await Promise.all([reload(), counts.reload()]);
      return true;
    } catch (error) {
      showToast((error as Error).message);
      return false;
    }
  };
  const mark = (entry: InboxEntry, marks: InboxEntryUpdate) => {
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

function List({ entries, id, shown }: { entries: readonly InboxEntry[]; id: string; shown: InboxView }) {
  if (entries.length === 0) {
    return (
      <EmptyState icon="okc" title={shown === "" ? "Your inbox is empty" : "No entries"}>
        <p>
          The inbox lists waiting agents, new failures, expired leases, and issues that are assigned to you or mention
          you.
        </p>
        {shown !== "" && (
          <div class="row">
            <button class="btn" type="button" onClick={() => setSearchParameters({ show: undefined }, false)}>
              Show open entries
            </button>
          </div>
        )}
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Inbox"
      class="inbox-list"
      rows={entries}
      columns={COLUMNS}
      keyOf={(entry) => entry.id}
      href={(entry) => buildInboxHref(entry.id)}
      groupOf={getEntryGroupHeading}
      chosen={{ key: id, choose: (key) => navigate(buildInboxHref(key), { replace: location.pathname !== "/inbox" }) }}
    />
  );
}

const COLUMNS: Column<InboxEntry>[] = [
  {
    name: "Entry",
    quiet: true,
    class: "wide",
    cell: (entry, link) => {
      const who = findEntryActor(entry);
      return (
        <span class="inbox-row">
          <PathIcon d={ENTRY_ICON_PATHS[entry.type]} class={getEntryColorClass(entry)} />
          <a class={entry.readAt ? "cut" : "cut strong"} href={buildInboxHref(entry.id)} {...link}>
            <bdi>{formatEntryTitle(entry)}</bdi>
          </a>
          <span class="dim num">
            <Age at={entry.createdAt} />
          </span>
          <span class="cut dim inbox-says">
            {entry.issue && <span class="mono">{entry.issue.identifier}</span>} <bdi>{formatEntryDetail(entry)}</bdi>
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
  [["Z"], "undo"],
];
