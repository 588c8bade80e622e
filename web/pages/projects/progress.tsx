import { useRef } from "preact/hooks";
import { ProjectProgress, type ProjectProgressQuery, States, type StatesQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useRecountOnEvents } from "../../data/touched.ts";
import { LoadError } from "../../parts/states.tsx";
import { formatPlural } from "../../parts/texts/format.ts";
import { WORKFLOW_STATE_TYPES } from "../issues/filter/keys.ts";
import { StateIcon } from "../issues/marks.tsx";
import type { ProjectData } from "./project.tsx";

/** Number of issues, and number of completed issues. */
export interface ProgressCounts {
  shown: number;
  done: number;
}

/** Numbers of a project's issues. `data` and `counts` are undefined until they are read. */
export interface ProjectProgressData {
  data: ProjectProgressQuery | undefined;
  /** Workflow states of the project's teams. The progress bar sorts the counts by the types of the states. */
  states: StatesQuery["workflowStates"]["nodes"];
  /**
   * Returns the counts of the issues in a milestone; the argument null stands for issues without a milestone. Returns
   * undefined if the server did not count the milestone.
   */
  counts: ((milestone: string | null) => ProgressCounts | undefined) | undefined;
  error: Error | undefined;
  retry: () => void;
}

/** Reads the progress of a project, by state and by milestone, with one request. */
export function useProjectProgress({ id, teams }: ProjectData): ProjectProgressData {
  const { data: counted, error, reload } = useQuery(ProjectProgress, { id });
  const { data: known, error: untold } = useQuery(States, {
    filter: { team: { id: { in: teams.nodes.map((team) => team.id) } } },
  });
  // Keeps the previous states while new states are read. Without states, the parts of the bar would appear in a wrong
  // order and then change places.
  const states = useRef(known?.workflowStates.nodes);
  states.current = known?.workflowStates.nodes ?? states.current;
  const data = states.current || untold ? counted : undefined;
  useRecountOnEvents(reload);
  const counts = ({ planned, done }: ProjectProgressQuery, milestone: string | null): ProgressCounts | undefined => {
    const [shown, completed] = [countIn(planned, milestone), countIn(done, milestone)];
    return shown === undefined || completed === undefined ? undefined : { shown, done: completed };
  };
  return {
    data,
    states: states.current ?? [],
    counts: data && ((milestone) => counts(data, milestone)),
    error,
    retry: () => void reload(),
  };
}

/**
 * Returns the number of a milestone's issues; undefined if the server counted only the largest groups and the
 * milestone is not among the counted groups.
 */
function countIn({ groups, groupCount }: ProjectProgressQuery["planned"], milestone: string | null) {
  const found = groups.find(({ key }) => key === milestone)?.count;
  return found ?? (groupCount > groups.length ? undefined : 0);
}

/**
 * Returns the sort position of a state type in the progress bar. Completed comes first, then the types that are closest
 * to completion. Canceled and duplicate come last.
 */
const placeOf = (type: string): number =>
  (["canceled", "duplicate"].includes(type) ? 1 : -1) * (WORKFLOW_STATE_TYPES.indexOf(type) + 1);

interface CardProps {
  project: ProjectData;
  progress: ProjectProgressData;
}

/** Issues of a project by state: a bar with a legend. */
export function ProgressCard({ project, progress: { data, states, error, retry } }: CardProps) {
  if (!data) return <LoadError words={error?.message ?? ""} retry={retry} />;
  const typeOf = (name: string | null) => states.find((state) => state.name === name)?.type ?? "unstarted";
  const groups = data.all.groups
    .map(({ key, count }) => ({ name: key ?? "", type: typeOf(key), count }))
    .sort((a, b) => placeOf(a.type) - placeOf(b.type));
  const { done, planned } = data;
  return (
    <section class="progress card" aria-labelledby="progress">
      <header>
        <h2 id="progress">Progress</h2>
        <span class="dim">{shareOf({ shown: planned.count, done: done.count })}</span>
      </header>
      <div class="stacked" aria-hidden="true">
        {groups.map(({ name, type, count }) => (
          <i key={name} class={type} style={{ "flex-grow": String(count) }} />
        ))}
      </div>
      <ul class="legend" aria-label="Issues by state">
        {groups.map(({ name, type, count }) => (
          <li key={name}>
            <a class="row few" href={`/issues?${new URLSearchParams({ project: project.name, state: name })}`}>
              <StateIcon state={{ name, type }} />
              <bdi class="cut">{name}</bdi>
              <b>{count.toLocaleString()}</b>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Formats the completed share of issues: “21 of 34 issues, 62 %”. */
const shareOf = ({ shown, done }: ProgressCounts): string =>
  shown === 0
    ? "no issues"
    : `${done.toLocaleString()} of ${formatPlural(shown, "issue")}, ${computeCompletedPercent({ shown, done })} %`;

/** Returns the percentage of completed issues, rounded down. */
export const computeCompletedPercent = ({ shown, done }: ProgressCounts): number =>
  shown === 0 ? 0 : Math.floor((100 * done) / shown);
