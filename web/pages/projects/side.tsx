import { type ProjectPageQuery, type ProjectUpdateInput, UpdateProject } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { Picker } from "../../parts/choose/picker.tsx";
import { Avatar } from "../../parts/marks.tsx";
import { DayField, Property } from "../../parts/property.tsx";
import { useSending } from "../../parts/sending.ts";
import { Problem } from "../../parts/states.tsx";
import { useFieldOptions } from "../issues/choices.tsx";
import type { ProgressRead } from "./progress.tsx";
import type { ProjectData } from "./project.tsx";

interface SideProps {
  project: ProjectData;
  statuses: ProjectPageQuery["projectStatuses"]["nodes"];
  progress: ProgressRead;
  reload: () => Promise<void>;
}

/** The properties of a project, to be changed in place. */
export function Side({ project, statuses, progress, reload }: SideProps) {
  const { people, teams } = useFieldOptions(undefined);
  const { error, send } = useSending();
  const change = (input: ProjectUpdateInput) => send(request(UpdateProject, { id: project.id, input }).then(reload));
  const { status, lead, startDate, targetDate } = project;
  const own = project.teams.nodes.map(({ id }) => id);
  const turn = (id: string) => change({ teamIds: own.includes(id) ? own.filter((one) => one !== id) : [...own, id] });
  return (
    <aside class="props" aria-label="Properties">
      <Problem words={error} />
      <section aria-labelledby="properties">
        <h2 id="properties">Properties</h2>
        <dl>
          <Property name="Status">
            <Picker
              label="Status"
              value={status.name}
              options={[...statuses].sort((a, b) => a.position - b.position)}
              chosen={[status.id]}
              choose={(statusId) => change({ statusId })}
            >
              <bdi class="cut">{status.name}</bdi>
            </Picker>
          </Property>
          <Property name="Lead">
            <Picker
              label="Lead"
              value={lead?.name ?? "Nobody"}
              options={people}
              chosen={[lead?.id ?? ""]}
              choose={(leadId) => change({ leadId: leadId || null })}
            >
              {lead && <Avatar name={lead.name} />}
              <bdi class={lead ? "cut" : "cut dim"}>{lead?.name ?? "Nobody"}</bdi>
            </Picker>
          </Property>
          <People project={project} />
          <Property name="Start">
            <DayField label="Start" value={startDate} change={(day) => change({ startDate: day })} />
          </Property>
          <Property name="Target">
            <DayField label="Target" value={targetDate} change={(day) => change({ targetDate: day })} />
          </Property>
          <Property name="Teams">
            <Picker label="Teams" value="" options={teams} chosen={own} choose={turn} many>
              <span class="sr">Teams: </span>
              {project.teams.nodes.map(({ id, name }) => (
                <span key={id} class="lbls">
                  <bdi class="cut">{name}</bdi>
                </span>
              ))}
            </Picker>
          </Property>
        </dl>
      </section>
      <Verified progress={progress} />
    </aside>
  );
}

/** The members of a project: people round, agents square. */
function People({ project: { members } }: { project: ProjectData }) {
  if (members.nodes.length === 0) return null;
  return (
    <Property name="People">
      {members.nodes.map(({ id, name, app }) => (
        <span key={id} title={name}>
          <Avatar name={name} bot={app} />
          <span class="sr">{name}</span>
        </span>
      ))}
    </Property>
  );
}

/** The number of done issues that the record proves. */
function Verified({ progress: { data } }: { progress: ProgressRead }) {
  if (!data || data.done.count === 0) return null;
  return (
    <section aria-labelledby="work">
      <h2 id="work">Proof</h2>
      <dl>
        <Property name="Verified">
          {data.verified.count.toLocaleString()} of {data.done.count.toLocaleString()} done
        </Property>
      </dl>
    </section>
  );
}
