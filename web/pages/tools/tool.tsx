import { useState } from "preact/hooks";
import { Tool, type ToolQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useReloadOnEvents } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { formatDuration, formatPlural } from "../../parts/texts/format.ts";
import { readTimeRange, TimeRangeSelect } from "../../parts/time/range.tsx";
import { Age } from "../../parts/time/time.tsx";
import { Page } from "../../shell/page.tsx";
import { LatencyHeatMap } from "./charts.tsx";
import { LatencyDistribution } from "./distribution.tsx";
import { FileIssueDialog } from "./file-issue.tsx";
import { getToolIcon } from "./icon.ts";
import { formatPercent } from "./tools.tsx";

/** Tool with all figures. */
export type ToolData = ToolQuery["recordedTool"];
/** Failures with the same message. */
export type ToolFailureGroup = ToolData["failureGroups"][number];

/** Page of a tool: calls, latency and failures. */
export default function ToolPage({ params: { name = "" } }: { params: Record<string, string> }) {
  const { data, error, reload } = useQuery(Tool, { name, from: readTimeRange() });
  useReloadOnEvents(reload);
  const tool = data?.recordedTool;
  return (
    <Page title={name}>
      <header class="head stick">
        <nav class="crumb" aria-label="Breadcrumb">
          <a href={`/tools${location.search}`}>Tools</a>
          <Icon name="right" class="i-14" />
        </nav>
        <Icon name={getToolIcon(name)} />
        <h1 class="cut" title={name}>
          <bdi>{name}</bdi>
        </h1>
        <div class="acts">
          {tool && (
            <a class="btn only-wide" href={`/sessions?tool=${encodeURIComponent(name)}`}>
              {formatPlural(tool.sessions, "session")}
            </a>
          )}
          <TimeRangeSelect />
        </div>
      </header>
      <div class="page">
        <LoadedContent data={tool} error={error} retry={reload}>
          {(known) => (known.calls > 0 ? <Found tool={known} /> : <NotCalled name={name} />)}
        </LoadedContent>
      </div>
    </Page>
  );
}

const NotCalled = ({ name }: { name: string }) => (
  <EmptyState icon={getToolIcon(name)} title="No calls in this time range">
    <p>Choose a longer time range.</p>
  </EmptyState>
);

function Found({ tool }: { tool: ToolData }) {
  const [filing, file] = useState<ToolFailureGroup>();
  return (
    <>
      <Figures tool={tool} />
      <div class="two">
        <LatencyHeatMap tool={tool} />
        <LatencyDistribution tool={tool} />
      </div>
      <Failures tool={tool} file={file} />
      {tool.truncated && (
        <p class="hint">
          Trackway is still counting older events of this time range. These figures include only the newest events.
        </p>
      )}
      {filing && <FileIssueDialog group={filing} close={() => file(undefined)} />}
    </>
  );
}

const Figures = ({ tool }: { tool: ToolData }) => (
  <dl class="figs">
    <Figure name="Calls" value={tool.calls.toLocaleString()} />
    <Figure name="Failures" value={tool.failures.toLocaleString()} small={formatPercent(tool.failures, tool.calls)} />
    <Figure name="p50" value={formatDuration(tool.p50)} />
    <Figure name="p95" value={formatDuration(tool.p95)} />
    <Figure name="p99" value={formatDuration(tool.p99)} />
  </dl>
);

const Figure = ({ name, value, small }: { name: string; value: string; small?: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      {value} {small && <small>{small}</small>}
    </dd>
  </div>
);

function Failures({ tool, file }: { tool: ToolData; file: (group: ToolFailureGroup) => void }) {
  const groups = tool.failureGroups;
  return (
    <section class="card" aria-labelledby="groups">
      <header>
        <h2 id="groups">Failure groups</h2>
        <span class="dim">
          {formatPlural(tool.failures, "failure")} in {formatPlural(groups.length, "group")}
        </span>
        <span class="acts only-wide">grouped by message; numbers, IDs, paths and quoted text are ignored</span>
      </header>
      {groups.length === 0 ? (
        <p class="pad mid">No failed calls in this time range.</p>
      ) : (
        <DataTable
          label="Failure groups"
          rows={groups}
          columns={columns(file)}
          keyOf={({ id }) => id}
          href={(group) => hrefOf(group)}
        />
      )}
    </section>
  );
}

const hrefOf = ({ sessionId, eventId }: ToolFailureGroup): string => `/sessions/${sessionId}/events/${eventId}`;

const columns = (file: (group: ToolFailureGroup) => void): Column<ToolFailureGroup>[] => [
  {
    name: "Failure",
    class: "wide",
    cell: (group, link) => (
      <span class="row">
        <Icon name="fail" class="i-14 c-fail" />
        <a class="name mono cut" href={hrefOf(group)} title={group.message} {...link}>
          <bdi>{group.message || "(no message)"}</bdi>
        </a>
      </span>
    ),
  },
  {
    name: "Count",
    class: "num l2",
    label: "count",
    sort: ({ count }) => count,
    cell: ({ count }) => count.toLocaleString(),
  },
  { name: "Sessions", class: "num mid only-wide", sort: ({ sessions }) => sessions, cell: ({ sessions }) => sessions },
  { name: "Last", class: "num dim only-wide", sort: ({ lastAt }) => lastAt, cell: ({ lastAt }) => <Age at={lastAt} /> },
  {
    name: "Issue",
    class: "num r2",
    cell: (group) =>
      group.issue ? (
        <a class="mono" href={new URL(group.issue.url).pathname}>
          {group.issue.identifier}
        </a>
      ) : (
        <button class="btn quiet thin" type="button" onClick={() => file(group)}>
          <Icon name="plus" class="i-14" />
          File
          <span class="sr"> an issue about {group.message}</span>
        </button>
      ),
  },
];
