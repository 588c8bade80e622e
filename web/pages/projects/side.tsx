import { type ProjectPageQuery, type ProjectUpdateInput, UpdateProject } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { OptionPicker } from "../../parts/choose/picker.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { DayField, PropertyRow } from "../../parts/property.tsx";
import { useRequest } from "../../parts/sending.ts";
import { ErrorNote } from "../../parts/states.tsx";
import { useFieldOptions } from "../issues/choices.tsx";
import type { ProjectProgressData } from "./progress.tsx";
import type { ProjectData } from "./project.tsx";

interface SideProps {
  project: ProjectData;
  statuses: ProjectPageQuery["projectStatuses"]["nodes"];
  progress: ProjectProgressData;
  reload: () => Promise<void>;
}

/** Editable properties of a project. */
export function ProjectProperties({ project, statuses, progress, reload }: SideProps) {
  const { people, teams } = useFieldOptions(undefined);
  const { error, send } = useRequest();
  const change = (input: ProjectUpdateInput) =>
    send(requestGraphQL(UpdateProject, { id: project.id, input }).then(reload));
  const { status, lead, startDate, targetDate } = project;
  const own = project.teams.nodes.map(({ id }) => id);
  const turn = (id: string) => change({ teamIds: own.includes(id) ? own.filter((one) => one !== id) : [...own, id] });
  return (
    <aside class="props" aria-label="Properties">
      <ErrorNote words={error} />
      <section aria-labelledby="properties">
        <h2 id="properties">Properties</h2>
        <dl>
          <PropertyRow name="Status">
            <OptionPicker
              label="Status"
              value={status.name}
              options={[...statuses].sort((a, b) => a.position - b.position)}
              chosen={[status.id]}
              choose={(statusId) => change({ statusId })}
            >
              <bdi class="cut">{status.name}</bdi>
            </OptionPicker>
          </PropertyRow>
          <PropertyRow name="Lead">
            <OptionPicker
              label="Lead"
              value={lead?.name ?? "No lead"}
              options={people}
              chosen={[lead?.id ?? ""]}
              choose={(leadId) => change({ leadId: leadId || null })}
            >
              {lead && <Avatar name={lead.name} />}
              <bdi class={lead ? "cut" : "cut dim"}>{lead?.name ?? "No lead"}</bdi>
            </OptionPicker>
          </PropertyRow>
          <People project={project} />
          <PropertyRow name="Start">
            <DayField label="Start" value={startDate} change={(day) => change({ startDate: day })} />
          </PropertyRow>
          <PropertyRow name="Target">
            <DayField label="Target" value={targetDate} change={(day) => change({ targetDate: day })} />
          </PropertyRow>
          <PropertyRow name="Teams">
            <OptionPicker label="Teams" value="" options={teams} chosen={own} choose={turn} many>
              <span class="sr">Teams: </span>
              {project.teams.nodes.map(({ id, name }) => (
                <span key={id} class="lbls">
                  <bdi class="cut">{name}</bdi>
                </span>
              ))}
            </OptionPicker>
          </PropertyRow>
        </dl>
      </section>
      <Verified progress={progress} />
    </aside>
  );
}

/** Members of a project. Users have round avatars, agents square avatars. */
function People({ project: { members } }: { project: ProjectData }) {
  if (members.nodes.length === 0) return null;
  return (
    <PropertyRow name="People">
      {members.nodes.map(({ id, name, app }) => (
        <span key={id} title={name}>
          <Avatar name={name} bot={app} />
          <span class="sr">{name}</span>
        </span>
      ))}
    </PropertyRow>
  );
}

/** Number of completed issues with the verdict “verified”, and number of all completed issues. */
function Verified({ progress: { data } }: { progress: ProjectProgressData }) {
  if (!data || data.done.count === 0) return null;
  return (
    <section aria-labelledby="work">
      <h2 id="work">Proof</h2>
      <dl>
        <PropertyRow name="Verified">
          {data.verified.count.toLocaleString()} of {data.done.count.toLocaleString()} completed issues
        </PropertyRow>
      </dl>
    </section>
  );
}
