import { Avatar } from "../../parts/marks.tsx";
import { formatCost, formatPlural } from "../../parts/texts/format.ts";
import type { FullFailureGroup } from "./panel.tsx";

type Counted = FullFailureGroup["agentCounts"];

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** Agents of a group, each with the number of failures. In a large group the server counts only the latest failures. */
export function FailureCountsByAgent({ group: { agentCounts, count } }: { group: FullFailureGroup }) {
  const counted = sum(agentCounts.map((agent) => agent.count));
  if (counted === 0) return <>–</>;
  return (
    <ul class="agent-counts" aria-label="Failures by agent">
      {agentCounts.map((agent) => (
        <li key={agent.name}>
          <Avatar name={agent.name} bot />
          <bdi>{agent.name || "unknown"}</bdi> {agent.count.toLocaleString()}
        </li>
      ))}
      {counted < count && <li class="dim">of the latest {counted.toLocaleString()} failures</li>}
    </ul>
  );
}

/** Known cost of the sessions that contain the failure. */
export function FailureCost({ agents }: { agents: Counted }) {
  const known = agents.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return (
    <>
      {known.length > 0 ? formatCost(sum(known)) : "unknown"}{" "}
      <span class="dim">
        for {formatPlural(sum(agents.map(({ sessions }) => sessions)), "session")} with this failure
      </span>
    </>
  );
}
