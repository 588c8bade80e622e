import { type RecordedUsageGroupBy, Usage, UsageBefore } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useTouched } from "../../data/touched.ts";
import { Drawing } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Spark } from "../../parts/spark.tsx";
import { Empty } from "../../parts/states.tsx";
import { count, money } from "../../parts/texts/format.ts";
import { useKeys } from "../../shell/keys.ts";
import { Page } from "../../shell/page.tsx";
import { place, setSearch } from "../../shell/router.ts";
import { download } from "../session/export.ts";
import { isOwner } from "../settings/parts.tsx";
import { Chart } from "./chart.tsx";
import {
  change,
  csvOf,
  daysIn,
  type Figure,
  layersOf,
  READ,
  SHOW,
  sumOf,
  type Taken,
  type TakenBefore,
  valuesOf,
} from "./figures.ts";

const FIGURES: [figure: Figure, name: string][] = [
  ["cost", "Cost"],
  ["tokens", "Tokens"],
  ["sessions", "Sessions"],
];
const BY: [by: RecordedUsageGroupBy, name: string][] = [
  ["model", "Model"],
  ["agent", "Agent"],
  ["user", "User"],
  ["label", "Label"],
  ["issue", "Issue"],
  ["repository", "Repository"],
  ["tool", "Tool"],
];
const SPANS = [7, 14, 30];
/** Usage is counted by the hour: to read it more often shows little. */
const PAUSE_MS = 20_000;

/** One of some values that the address has, the first unless it does. */
function chosen<Value extends string | number>(name: string, values: readonly Value[]): Value {
  const given = place.value.search.get(name);
  return values.find((value) => String(value) === given) ?? (values[0] as Value);
}

/** Tokens, cost and sessions: by day and by what they went to, against the time before. */
export default function UsagePage() {
  const figure = chosen(
    "figure",
    FIGURES.map(([name]) => name),
  );
  const by = chosen(
    "by",
    BY.map(([name]) => name),
  );
  const span = chosen("days", SPANS);
  const { data, error, reload } = useQuery(Usage, { by, from: `-P${span - 1}D` });
  const before = useQuery(UsageBefore, { by, from: `-P${2 * span - 1}D`, to: `-P${span}D` });
  useTouched(reload, PAUSE_MS);
  const figureBy = (at: number) => () => setSearch({ figure: FIGURES[at]?.[0] }, false);
  const nextBy = () => setSearch({ by: BY[(BY.findIndex(([name]) => name === by) + 1) % BY.length]?.[0] }, false);
  useKeys({ 1: figureBy(0), 2: figureBy(1), 3: figureBy(2), m: nextBy });
  const usage = data?.recordedUsage;
  return (
    <Page title="Usage" keys={KEYS}>
      <header class="head stick usage-head">
        <h1>Usage</h1>
        <div class="acts">
          <Choice label="Figure" name="figure" values={FIGURES} value={figure} />
          <select
            class="in"
            aria-label="Time"
            value={span}
            onChange={({ currentTarget }) => setSearch({ days: currentTarget.value }, false)}
          >
            {SPANS.map((days) => (
              <option key={days} value={days}>
                Last {days} days
              </option>
            ))}
          </select>
          <button
            class="btn only-wide"
            type="button"
            disabled={!usage}
            onClick={() => usage && download(`usage-by-${by}.csv`, csvOf(by, usage.groups))}
          >
            CSV
          </button>
        </div>
      </header>
      <div class="page">
        <Loaded data={usage} error={error} retry={reload}>
          {(known) => (
            <Found usage={known} before={before.data?.recordedUsage.groups} by={by} figure={figure} span={span} />
          )}
        </Loaded>
      </div>
    </Page>
  );
}

interface ChoiceProps {
  label: string;
  name: string;
  values: readonly [string, string][];
  value: string;
}

const Choice = ({ label, name, values, value }: ChoiceProps) => (
  <div class="seg choice-of" role="group" aria-label={label}>
    {values.map(([each, words]) => (
      <button key={each} type="button" aria-pressed={each === value} onClick={() => setSearch({ [name]: each }, false)}>
        {words}
      </button>
    ))}
  </div>
);

interface FoundProps {
  usage: { from: string; to: string; truncated: boolean; groups: readonly Taken[] };
  /** Undefined until it is read. */
  before: readonly TakenBefore[] | undefined;
  by: RecordedUsageGroupBy;
  figure: Figure;
  span: number;
}

function Found({ usage, before, by, figure, span }: FoundProps) {
  const { groups } = usage;
  const days = daysIn(usage.from, usage.to);
  const daysBefore = daysIn(new Date(Date.parse(usage.from) - span * 86_400_000).toISOString(), usage.from);
  const byName = BY.find(([name]) => name === by)?.[1] ?? "";
  const layers = layersOf(groups, days, figure);
  return (
    <>
      <Sums groups={groups} before={before} span={span} />
      <section class="card usage-card" aria-labelledby="by-day">
        <header>
          <h2 id="by-day">{FIGURES.find(([name]) => name === figure)?.[1]} by day</h2>
          <p class="legend">
            {layers.map(({ name }, n) => (
              <span key={name} class="row">
                <i class={`m${n + 1}`} />
                <bdi class="cut">{name}</bdi>
              </span>
            ))}
            <span class="row">
              <i class="before" />
              {span} days before
            </span>
          </p>
        </header>
        <Chart figure={figure} days={days} layers={layers} before={valuesOf(before ?? [], daysBefore, figure)} />
      </section>
      <section class="card" aria-labelledby="by-what">
        <header class="wrap">
          <h2 id="by-what" class="sr">
            Usage by {byName.toLowerCase()}
          </h2>
          <span class="only-wide" aria-hidden="true">
            By
          </span>
          <Choice label="By" name="by" values={BY} value={by} />
          <span class="acts only-wide">
            <Source source="computed" />
            <Source source="reported" />
            <Source source="none" />
          </span>
        </header>
        {groups.length === 0 ? (
          <NoUsage by={by} />
        ) : (
          <DataTable
            label="Usage"
            class="usage-list"
            rows={groups}
            columns={columnsOf({ by: byName, days, groups, before, figure })}
            keyOf={({ name }) => name}
            href={({ name }) => hrefOf(by, name)}
            sorted={figure === "cost" ? "Cost" : figure === "tokens" ? "Tokens" : "Sessions"}
          />
        )}
      </section>
      {(by === "label" || by === "issue") && (
        <p class="hint">
          A session counts whole with each {by} that it has to do with, so the rows may come to more than was spent.
        </p>
      )}
      {usage.truncated && (
        <p class="hint">Only the 50 that cost most are listed, or older events of this time are still being counted.</p>
      )}
      <Missing groups={groups} />
    </>
  );
}

function Sums({
  groups,
  before,
  span,
}: {
  groups: readonly Taken[];
  before: readonly TakenBefore[] | undefined;
  span: number;
}) {
  const input = groups.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
  const cached = groups.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
  const isKnown = groups.some(({ cost }) => cost !== null);
  return (
    <dl class="figs">
      {FIGURES.slice(0, 2).map(([figure, name]) => {
        const sum = sumOf(groups, figure);
        return (
          <div key={figure}>
            <dt>{name}</dt>
            <dd>
              {figure === "cost" && !isKnown ? "unknown" : SHOW[figure](sum)}{" "}
              <small>{before && change(sum, sumOf(before, figure))}</small>
            </dd>
          </div>
        );
      })}
      <div>
        <dt>Read from a cache</dt>
        <dd>
          {count(cached)} <small>tokens, beside {count(input)} of input</small>
        </dd>
      </div>
      <div>
        <dt>Compared with</dt>
        <dd>
          {span} days <small>before</small>
        </dd>
      </div>
    </dl>
  );
}

const SOURCES: Record<string, [name: string, drawing: string]> = {
  computed: [
    "computed",
    "M3.5 1.8h9v12.4h-9zM5.5 4h5v2.2h-5zM5.6 8.8v.1M8 8.8v.1M10.4 8.8v.1M5.6 11.4v.1M8 11.4v.1M10.4 11.4v.1",
  ],
  reported: ["reported", "M3.5 1.8h9v12.4l-2.2-1.4L8 14.2l-2.3-1.4-2.2 1.4zM6 5h4M6 8h4"],
  none: ["unknown", "M8 2.2a5.8 5.8 0 1 1-.1 0M6.4 6.4a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1v.3M8 11.3v.1"],
};

/** The source of a cost: a drawing and a word. */
function Source({ source }: { source: string }) {
  const [name, drawing] = SOURCES[source] ?? SOURCES["none"] ?? ["", ""];
  return (
    <span class={source === "none" ? "cost-source c-run" : "cost-source"}>
      <Drawing d={drawing} class="i-14" />
      {name}
    </span>
  );
}

const NoUsage = ({ by }: { by: string }) => (
  <Empty icon="usage" title="Nothing was used in this time">
    <p>
      {by === "label" || by === "issue"
        ? "No recorded session of this time has to do with an issue."
        : "Tokens and costs of recorded sessions are added up here. Choose a longer time, or connect an agent."}
    </p>
    <div class="row">
      <a class="btn" href="/connect">
        Connect an agent
      </a>
    </div>
  </Empty>
);

/** Tokens that nobody knows the price of. */
function Missing({ groups }: { groups: readonly Taken[] }) {
  const names = groups.filter(({ missingCosts }) => missingCosts > 0).map(({ name }) => name);
  if (names.length === 0) return null;
  return (
    <p class="hint">
      The sums leave out events with tokens and no cost, of <bdi>{names.slice(0, 5).join(", ")}</bdi>
      {names.length > 5 && ` and ${names.length - 5} more`}.{" "}
      {isOwner()
        ? "Set prices for their models with organizationUpdate(input: { ownPrices }), as docs/usage.md says."
        : "An owner can set prices for their models."}
    </p>
  );
}

/** The sessions that a row is about, as far as a filter of sessions can name them. */
function hrefOf(by: RecordedUsageGroupBy, name: string): string {
  const value = encodeURIComponent(name);
  if (by === "agent" || by === "user" || by === "tool") return `/sessions?${by}=${value}&sort=cost`;
  if (by === "issue") return `/issues/${value}`;
  return `/sessions?q=${value}&sort=cost`;
}

interface ColumnsProps extends Pick<FoundProps, "before" | "figure"> {
  by: string;
  days: readonly string[];
  groups: readonly Taken[];
}

function columnsOf({ by, days, groups, before, figure }: ColumnsProps): Column<Taken>[] {
  const whole = sumOf(groups, figure);
  const earlier = new Map(before?.map((group) => [group.name, group]));
  const shareOf = (group: Taken) => (whole > 0 ? (READ[figure](group) ?? 0) / whole : 0);
  const changeOf = (group: Taken) => {
    const was = earlier.get(group.name);
    return change(READ[figure](group) ?? 0, was && (READ[figure](was) ?? 0));
  };
  return [
    {
      name: by,
      class: "wide",
      sort: ({ name }) => name,
      cell: ({ name }, link) => (
        <a class="name cut" href={hrefOf(by.toLowerCase() as RecordedUsageGroupBy, name)} title={name} {...link}>
          <bdi>{name}</bdi>
        </a>
      ),
    },
    {
      name: `${days.length} days`,
      class: "only-wide",
      cell: (group) => <Spark calls={valuesOf([group], days, figure)} failures={[]} />,
    },
    {
      name: "Cost",
      class: "num strong l2",
      label: "cost",
      sort: ({ cost }) => cost ?? -1,
      cell: ({ cost }) => (cost === null ? <span class="c-run">unknown</span> : money(cost)),
    },
    { name: "Source", class: "m2 c-source", cell: ({ costSource }) => <Source source={costSource} /> },
    {
      name: "Share",
      class: "only-wide",
      cell: (group) => (
        <span class="row">
          <span class="meter" aria-hidden="true" style={{ "--v": (100 * shareOf(group)).toFixed(0) }}>
            <i />
          </span>
          <span class="mid">{Math.round(100 * shareOf(group))} %</span>
        </span>
      ),
    },
    { name: "Change", class: "num mid r1", label: "change", cell: (group) => (before ? changeOf(group) : "") },
    {
      name: "Sessions",
      class: "num mid only-wide",
      sort: ({ sessions }) => sessions,
      cell: ({ sessions }) => sessions.toLocaleString(),
    },
    {
      name: "Tokens",
      class: "num mid only-wide",
      sort: (group) => READ.tokens(group) ?? 0,
      cell: (group) => count(READ.tokens(group) ?? 0),
    },
  ];
}

const KEYS: [string[], string][] = [
  [["1", "2", "3"], "cost, tokens, sessions"],
  [["M"], "by another value"],
  [["J", "K"], "move"],
  [["↵"], "its sessions"],
];
