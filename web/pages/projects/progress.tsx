import { useRef } from "preact/hooks";
import { ProjectProgress, type ProjectProgressQuery, States, type StatesQuery } from "../../data/documents.ts";
import { useQuery } from "../../data/query.ts";
import { useRecount } from "../../data/touched.ts";
import { Failure } from "../../parts/states.tsx";
import { plural } from "../../parts/texts/format.ts";
import { TYPES } from "../issues/filter/keys.ts";
import { StateIcon } from "../issues/marks.tsx";
import type { ProjectData } from "./project.tsx";

/** The number of issues, and of those that are done. */
export interface Counts {
  shown: number;
  done: number;
}

/** The counts of a project as far as they are read. */
export interface ProgressRead {
  data: ProjectProgressQuery | undefined;
  /** The states of its teams, by whose types the counts are in order. */
  states: StatesQuery["workflowStates"]["nodes"];
  /** Those of the issues planned for a milestone, or of those for none: its id is null. Undefined for one that is not counted. */
  counts: ((milestone: string | null) => Counts | undefined) | undefined;
  error: Error | undefined;
  retry: () => void;
}

/** Reads how far a project is: by state and by milestone, all at once. */
export function useProgress({ id, teams }: ProjectData): ProgressRead {
  const { data: counted, error, reload } = useQuery(ProjectProgress, { id });
  const { data: known, error: untold } = useQuery(States, {
    filter: { team: { id: { in: teams.nodes.map((team) => team.id) } } },
  });
  // Those of before stay while the teams change; without any, the parts would stand in another order and then change places.
  const states = useRef(known?.workflowStates.nodes);
  states.current = known?.workflowStates.nodes ?? states.current;
  const data = states.current || untold ? counted : undefined;
  useRecount(reload);
  const counts = ({ planned, done }: ProjectProgressQuery, milestone: string | null): Counts | undefined => {
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

/** The issues of a milestone among counted ones; undefined where only the largest groups were counted, and it is none of them. */
function countIn({ groups, groupCount }: ProjectProgressQuery["planned"], milestone: string | null) {
  const found = groups.find(({ key }) => key === milestone)?.count;
  return found ?? (groupCount > groups.length ? undefined : 0);
}

/** The place of a type in the bar: what is done, then what is nearest to that, then what never will be. */
const placeOf = (type: string): number =>
  (["canceled", "duplicate"].includes(type) ? 1 : -1) * (TYPES.indexOf(type) + 1);

interface CardProps {
  project: ProjectData;
  progress: ProgressRead;
}

/** The issues of a project by their states: a bar, and what it is made of. */
export function ProgressCard({ project, progress: { data, states, error, retry } }: CardProps) {
  if (!data) return <Failure words={error?.message ?? ""} retry={retry} />;
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

/** The done part of issues in words: “21 of 34 issues, 62 %”. */
const shareOf = ({ shown, done }: Counts): string =>
  shown === 0 ? "no issues" : `${done.toLocaleString()} of ${plural(shown, "issue")}, ${percentOf({ shown, done })} %`;

/** The done part of issues in percent. */
export const percentOf = ({ shown, done }: Counts): number => (shown === 0 ? 0 : Math.floor((100 * done) / shown));
