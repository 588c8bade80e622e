import { useRef } from "preact/hooks";
import { Tools } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { Sparkline } from "../../parts/spark.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { formatCount, formatDuration, formatPlural } from "../../parts/texts/format.ts";
import { readTimeRange, TimeRangeSelect } from "../../parts/time/range.tsx";
import { useHistoryState } from "../../shell/kept.ts";
import { useKeyboardShortcuts } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { getToolIcon } from "./icon.ts";

interface ToolRow {
  name: string;
  calls: number;
  failures: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
  trend: readonly number[];
  failureTrend: readonly number[];
}

/** Formats a share as a percentage. */
export const formatPercent = (part: number, whole: number): string =>
  part === 0 ? "0 %" : `${((100 * part) / whole).toFixed(1)} %`;

const toolHref = (name: string): string => `/tools/${encodeURIComponent(name)}${location.search}`;

const buildLatencyColumn = (name: "p50" | "p95" | "p99", place: string): Column<ToolRow> => ({
  name,
  class: place,
  label: name,
  sort: (row) => row[name] ?? -1,
  cell: (row) => formatDuration(row[name]),
});

const COLUMNS: Column<ToolRow>[] = [
  {
    name: "Tool",
    cell: ({ name }, link) => (
      <span class="row">
        <Icon name={getToolIcon(name)} class="i-14 dim" />
        <a class="name cut" href={toolHref(name)} title={name} {...link}>
          <bdi>{name}</bdi>
        </a>
      </span>
    ),
    sort: ({ name }) => name,
  },
  {
    name: "Calls over time",
    class: "m1",
    cell: ({ trend, failureTrend }) => <Sparkline calls={trend} failures={failureTrend} />,
  },
  {
    name: "Calls",
    class: "num l2",
    label: "calls",
    sort: ({ calls }) => calls,
    cell: ({ calls }) => calls.toLocaleString(),
  },
  {
    name: "Failures",
    class: "num r1",
    label: "failed",
    sort: ({ failures }) => failures,
    cell: ({ failures }) => <span class={failures > 0 ? "c-fail" : "dim"}>{failures.toLocaleString()}</span>,
  },
  {
    name: "Failure rate",
    class: "num only-wide",
    sort: ({ failures, calls }) => failures / calls,
    cell: ({ failures, calls }) => (
      <span class="row to-end">
        <span class="mid">{formatPercent(failures, calls)}</span>
        <Meter share={failures / calls} />
      </span>
    ),
  },
  buildLatencyColumn("p50", "num mid m2"),
  buildLatencyColumn("p95", "num r2"),
  buildLatencyColumn("p99", "num mid only-wide"),
];

const Meter = ({ share }: { share: number }) => (
  <span class="meter bad" aria-hidden="true" style={{ "--v": Math.min(100, share * 500).toFixed(0) }}>
    <i />
  </span>
);

/** Page of the tools that agents called, with statistics. */
export default function ToolsPage() {
  const { data, error, reload } = useQuery(Tools, { from: readTimeRange() });
  useReloadOnEvents(reload);
  const [text, setText] = useHistoryState("text", "");
  const field = useRef<HTMLInputElement>(null);
  const find = () => field.current?.focus();
  useKeyboardShortcuts({ "/": find, f: find });
  const all = data?.recordedToolStats.tools ?? [];
  const rows = all.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()));
  const calls = all.reduce((sum, tool) => sum + tool.calls, 0);
  const failures = all.reduce((sum, tool) => sum + tool.failures, 0);
  return (
    <Page title="Tools" fixed keys={KEYS}>
      <header class="head">
        <h1>Tools</h1>
        <span class="dim only-wide">
          {formatPlural(all.length, "tool")} · {formatPlural(calls, "call")} · {formatPlural(failures, "failure")}
        </span>
        <div class="acts">
          <TimeRangeSelect />
        </div>
      </header>
      <div class="filters" role="search" aria-label="Filter tools">
        <label class="find">
          <Icon name="filter" class="i-14" />
          <span class="sr">Filter tools</span>
          <input
            ref={field}
            placeholder="Filter tools"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={(event) => event.key === "Escape" && field.current?.blur()}
          />
          <kbd class="only-wide">F</kbd>
        </label>
        <span class="sum">
          {data?.recordedToolStats.truncated
            ? "The list may be incomplete: it shows the most called tools, or Trackway is still counting older events"
            : "Percentiles exclude calls without a latency"}
        </span>
      </div>
      <div class="scroll">
        <LoadedContent data={data} error={error} retry={reload}>
          {() => <List all={all} rows={rows} showAll={() => setText("")} />}
        </LoadedContent>
      </div>
    </Page>
  );
}

interface ListProps {
  all: readonly ToolRow[];
  /** Tools whose name matches the filter. */
  rows: readonly ToolRow[];
  showAll: () => void;
}

function List({ all, rows, showAll }: ListProps) {
  if (all.length === 0) return <NoTools />;
  if (rows.length === 0) {
    return (
      <EmptyState icon="filter" title="No matching tools">
        <button class="btn" type="button" onClick={showAll}>
          Show all {formatCount(all.length)}
        </button>
      </EmptyState>
    );
  }
  return (
    <DataTable
      label="Tools"
      class="tl"
      rows={rows}
      columns={COLUMNS}
      keyOf={({ name }) => name}
      href={({ name }) => toolHref(name)}
      sorted="Calls"
    />
  );
}

const NoTools = () => (
  <EmptyState icon="tools" title="No tool calls in this time range">
    <p>This page counts the tool calls of recorded sessions. Choose a longer time range, or connect an agent.</p>
    <div class="row">
      <a class="btn" href="/connect">
        Connect an agent
      </a>
    </div>
  </EmptyState>
);

const KEYS: [string[], string][] = [
  [["J", "K"], "move"],
  [["↵"], "open"],
  [["F"], "filter"],
];
