import { Avatar } from "../../parts/marks.tsx";
import { money, plural } from "../../parts/texts/format.ts";
import type { FullGroup } from "./panel.tsx";

type Counted = FullGroup["agentCounts"];

const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);

/** The agents of a group, each with how often it failed so; of a large group only its last failures are counted. */
export function Agents({ group: { agentCounts, count } }: { group: FullGroup }) {
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
      {counted < count && <li class="dim">of the last {counted.toLocaleString()}</li>}
    </ul>
  );
}

/** The cost of the sessions that failed so, as far as it is known. */
export function CostOf({ agents }: { agents: Counted }) {
  const known = agents.flatMap(({ cost }) => (cost === null ? [] : [cost]));
  return (
    <>
      {known.length > 0 ? money(sum(known)) : "unknown"}{" "}
      <span class="dim">of {plural(sum(agents.map(({ sessions }) => sessions)), "session")} that failed so</span>
    </>
  );
}
