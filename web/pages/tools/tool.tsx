import { useState } from "preact/hooks";
import { Tool, type ToolQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Empty } from "../../parts/states.tsx";
import { duration, plural } from "../../parts/texts/format.ts";
import { Range, rangeOfPlace } from "../../parts/time/range.tsx";
import { Ago } from "../../parts/time/time.tsx";
import { Page } from "../../shell/page.tsx";
import { LatencyOverTime } from "./charts.tsx";
import { Distribution } from "./distribution.tsx";
import { FileIssueDialog } from "./file-issue.tsx";
import { toolIcon } from "./icon.ts";
import { percent } from "./tools.tsx";

/** One tool in full. */
export type ToolData = ToolQuery["recordedTool"];
/** Failures that say the same. */
export type FailureGroup = ToolData["failureGroups"][number];

/** One tool: how often it is called, how long it takes, and what goes wrong. */
export default function ToolPage({ params: { name = "" } }: { params: Record<string, string> }) {
  const { data, error, reload } = useQuery(Tool, { name, from: rangeOfPlace() });
  useTouched(reload);
  const tool = data?.recordedTool;
  return (
    <Page title={name}>
      <header class="head stick">
        <nav class="crumb" aria-label="Breadcrumb">
          <a href={`/tools${location.search}`}>Tools</a>
          <Icon name="right" class="i-14" />
        </nav>
        <Icon name={toolIcon(name)} />
        <h1 class="cut" title={name}>
          <bdi>{name}</bdi>
        </h1>
        <div class="acts">
          {tool && (
            <a class="btn only-wide" href={`/sessions?tool=${encodeURIComponent(name)}`}>
              {plural(tool.sessions, "session")}
            </a>
          )}
          <Range />
        </div>
      </header>
      <div class="page">
        <Loaded data={tool} error={error} retry={reload}>
          {(known) => (known.calls > 0 ? <Found tool={known} /> : <NotCalled name={name} />)}
        </Loaded>
      </div>
    </Page>
  );
}

const NotCalled = ({ name }: { name: string }) => (
  <Empty icon={toolIcon(name)} title="It was not called in this time">
    <p>Choose a longer time.</p>
  </Empty>
);

function Found({ tool }: { tool: ToolData }) {
  const [filing, file] = useState<FailureGroup>();
  return (
    <>
      <Figures tool={tool} />
      <div class="two">
        <LatencyOverTime tool={tool} />
        <Distribution tool={tool} />
      </div>
      <Failures tool={tool} file={file} />
      {tool.truncated && (
        <p class="hint">Older events of this time are still being counted; only the newest of them are in this.</p>
      )}
      {filing && <FileIssueDialog group={filing} close={() => file(undefined)} />}
    </>
  );
}

const Figures = ({ tool }: { tool: ToolData }) => (
  <dl class="figs">
    <Figure name="Calls" value={tool.calls.toLocaleString()} />
    <Figure name="Failures" value={tool.failures.toLocaleString()} small={percent(tool.failures, tool.calls)} />
    <Figure name="p50" value={duration(tool.p50)} />
    <Figure name="p95" value={duration(tool.p95)} />
    <Figure name="p99" value={duration(tool.p99)} />
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

function Failures({ tool, file }: { tool: ToolData; file: (group: FailureGroup) => void }) {
  const groups = tool.failureGroups;
  return (
    <section class="card" aria-labelledby="groups">
      <header>
        <h2 id="groups">Failure groups</h2>
        <span class="dim">
          {plural(tool.failures, "failure")} in {plural(groups.length, "group")}
        </span>
        <span class="acts only-wide">grouped by message; numbers, ids, paths and quoted text left out</span>
      </header>
      {groups.length === 0 ? (
        <p class="pad mid">No call failed in this time.</p>
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

const hrefOf = ({ sessionId, eventId }: FailureGroup): string => `/sessions/${sessionId}/events/${eventId}`;

const columns = (file: (group: FailureGroup) => void): Column<FailureGroup>[] => [
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
  { name: "Last", class: "num dim only-wide", sort: ({ lastAt }) => lastAt, cell: ({ lastAt }) => <Ago at={lastAt} /> },
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
