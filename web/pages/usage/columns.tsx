import { getOwnProperty } from "../../../formats/own.ts";
import type { RecordedUsageGroupBy } from "../../data/documents.ts";
import { PathIcon } from "../../parts/icon.tsx";
import type { Column } from "../../parts/lists/data-table.tsx";
import { Sparkline } from "../../parts/spark.tsx";
import { formatCost, formatCount } from "../../parts/texts/format.ts";
import {
  computeCostPerItem,
  formatPercentChange,
  type GroupUsage,
  type PreviousGroupUsage,
  sumFigureByDay,
  type TotalUsage,
  USAGE_FIGURE_READERS,
  type UsageFigure,
  type UsageMeasures,
} from "./figures.ts";

const SOURCES: Record<string, [name: string, drawing: string]> = {
  computed: [
    "computed",
    "M3.5 1.8h9v12.4h-9zM5.5 4h5v2.2h-5zM5.6 8.8v.1M8 8.8v.1M10.4 8.8v.1M5.6 11.4v.1M8 11.4v.1M10.4 11.4v.1",
  ],
  reported: ["reported", "M3.5 1.8h9v12.4l-2.2-1.4L8 14.2l-2.3-1.4-2.2 1.4zM6 5h4M6 8h4"],
  none: ["unknown", "M8 2.2a5.8 5.8 0 1 1-.1 0M6.4 6.4a1.7 1.7 0 1 1 2.3 1.6c-.5.2-.7.5-.7 1v.3M8 11.3v.1"],
};

/** Icon and name of a cost source. */
export function CostSourceLabel({ source }: { source: string }) {
  const [name, drawing] = getOwnProperty(SOURCES, source) ?? SOURCES["none"] ?? ["", ""];
  return (
    <span class={source === "none" ? "cost-source c-run" : "cost-source"}>
      <PathIcon d={drawing} class="i-14" />
      {name}
    </span>
  );
}

/**
 * Returns the link of a row in the usage table: to the sessions that the row covers, or to the issue. If no filter of
 * sessions fits, the link searches for the name as text.
 */
export function buildUsageHref(by: RecordedUsageGroupBy, name: string): string {
  const value = encodeURIComponent(name);
  if (by === "agent" || by === "user" || by === "tool") return `/sessions?${by}=${value}&sort=cost`;
  if (by === "issue") return `/issues/${value}`;
  return `/sessions?q=${value}&sort=cost`;
}

interface ColumnsProps {
  by: string;
  all: TotalUsage;
  /** Usage in the previous period; undefined until the usage is read. */
  before: { all: UsageMeasures; groups: readonly PreviousGroupUsage[] } | undefined;
  figure: UsageFigure;
  days: readonly string[];
}

const costOf = ({ cost }: UsageMeasures) => (cost === null ? <span class="c-run">unknown</span> : formatCost(cost));
const eachSession = (taken: UsageMeasures) => {
  const each = computeCostPerItem(taken, taken.sessions);
  return each === null ? "–" : formatCost(each);
};

/**
 * Builds the columns of the usage table. Each row shows the figures of one value, such as one agent, and the last row
 * shows the total.
 */
export function buildUsageColumns({ by, days, all, before, figure }: ColumnsProps): Column<GroupUsage>[] {
  const whole = USAGE_FIGURE_READERS[figure](all) ?? 0;
  const earlier = new Map(before?.groups.map((group) => [group.name, group]));
  const shareOf = (group: GroupUsage) => (whole > 0 ? (USAGE_FIGURE_READERS[figure](group) ?? 0) / whole : 0);
  const changeOf = (group: GroupUsage) => {
    const was = earlier.get(group.name);
    return formatPercentChange(
      USAGE_FIGURE_READERS[figure](group) ?? 0,
      was && (USAGE_FIGURE_READERS[figure](was) ?? 0),
    );
  };
  return [
    {
      name: by,
      class: "wide",
      sort: ({ name }) => name,
      cell: ({ name }, link) => (
        <a
          class="name cut"
          href={buildUsageHref(by.toLowerCase() as RecordedUsageGroupBy, name)}
          title={name}
          {...link}
        >
          <bdi>{name}</bdi>
        </a>
      ),
      total: "All",
    },
    {
      name: `${days.length} days`,
      class: "only-wide",
      cell: (group) => <Sparkline calls={sumFigureByDay([group], days, figure)} failures={[]} />,
    },
    {
      name: "Cost",
      class: "num strong l2",
      label: "cost",
      sort: ({ cost }) => cost ?? -1,
      cell: costOf,
      total: costOf(all),
    },
    { name: "Source", class: "m2 c-source", cell: ({ costSource }) => <CostSourceLabel source={costSource} /> },
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
    {
      name: "Change",
      class: "num mid r1",
      label: "change",
      cell: (group) => (before ? changeOf(group) : ""),
      total: before ? formatPercentChange(whole, USAGE_FIGURE_READERS[figure](before.all) ?? 0) : "",
    },
    {
      name: "Sessions",
      class: "num mid only-wide",
      sort: ({ sessions }) => sessions,
      cell: ({ sessions }) => sessions.toLocaleString(),
      total: all.sessions.toLocaleString(),
    },
    {
      name: "Tokens",
      class: "num mid only-wide",
      sort: (group) => USAGE_FIGURE_READERS.tokens(group) ?? 0,
      cell: (group) => formatCount(USAGE_FIGURE_READERS.tokens(group) ?? 0),
      total: formatCount(USAGE_FIGURE_READERS.tokens(all) ?? 0),
    },
    {
      name: "Per session",
      class: "num mid only-wide",
      sort: (group) => computeCostPerItem(group, group.sessions) ?? -1,
      cell: eachSession,
      total: eachSession(all),
    },
  ];
}
