import { useState } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { CreateProject, Projects, type ProjectsQuery } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { LoadedContent } from "../../parts/lists/loaded.tsx";
import { EmptyState } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";
import { navigate } from "../../shell/router.ts";
import { useFieldOptions } from "../issues/choices.tsx";
import { FormDialog, readFormText, ShareBar, TextField } from "./form.tsx";

type Row = ProjectsQuery["projects"]["nodes"][number];

const COLUMNS: Column<Row>[] = [
  {
    name: "Project",
    class: "wide grows",
    sort: ({ name }) => name,
    cell: ({ name, slugId }, link) => (
      <a class="name cut" href={`/projects/${slugId}`} title={name} {...link}>
        <bdi>{name}</bdi>
      </a>
    ),
  },
  { name: "Status", class: "l2", sort: ({ status }) => status.name, cell: ({ status }) => status.name },
  {
    name: "Done",
    class: "r2",
    sort: ({ progress }) => progress,
    cell: ({ progress, name }) => <ShareBar of={progress} label={`Completed issues of ${name}`} />,
  },
  {
    name: "Milestones",
    class: "num only-wide",
    sort: ({ projectMilestones }) => projectMilestones.nodes.length,
    cell: ({ projectMilestones: { nodes } }) => (nodes.length < 5 ? nodes.length : "5+"),
  },
  {
    name: "Lead",
    class: "only-wide",
    sort: ({ lead }) => lead?.name ?? "",
    cell: ({ lead }) => (lead ? <bdi>{lead.name}</bdi> : <span class="dim">–</span>),
  },
  {
    name: "Target",
    class: "num l3",
    sort: ({ targetDate }) => targetDate ?? "9999",
    cell: ({ targetDate }) => targetDate ?? <span class="dim">–</span>,
  },
];

export default function ProjectsPage() {
  const { data, error, reload } = useQuery(Projects, {});
  const [open, setOpen] = useState(false);
  useReloadOnChange(({ type }) => type === "Project", reload, "projects");
  return (
    <Page title="Projects" fixed>
      <header class="head">
        <h1>Projects</h1>
        <div class="acts">
          <button class="btn pri" type="button" onClick={() => setOpen(true)}>
            <Icon name="plus" class="i-14" />
            New project
          </button>
        </div>
      </header>
      <div class="scroll">
        <LoadedContent data={data?.projects} error={error} retry={reload}>
          {({ nodes, pageInfo }) =>
            nodes.length === 0 ? (
              <EmptyState icon="projects" title="No projects">
                <p>A project groups issues with a common goal, such as a release or a migration.</p>
              </EmptyState>
            ) : (
              <>
                <DataTable
                  label="Projects"
                  rows={nodes}
                  columns={COLUMNS}
                  keyOf={({ id }) => id}
                  href={({ slugId }) => `/projects/${slugId}`}
                />
                {pageInfo.hasNextPage && <p class="pad dim">The list shows the 100 newest projects.</p>}
              </>
            )
          }
        </LoadedContent>
      </div>
      {open && <NewProject close={() => setOpen(false)} />}
    </Page>
  );
}

function NewProject({ close }: { close: () => void }) {
  const { teams } = useFieldOptions(undefined);
  const send = async (fields: FormData) => {
    const teamIds = fields.getAll("team").map(String);
    const input = { name: readFormText(fields, "name") ?? "", teamIds, targetDate: readFormText(fields, "targetDate") };
    const { projectCreate } = await requestGraphQL(CreateProject, { input });
    if (projectCreate.project) navigate(`/projects/${projectCreate.project.slugId}`);
  };
  return (
    <FormDialog title="New project" action="Create project" send={send} close={close} isReady={teams.length > 0}>
      <TextField label="Name" name="name" required />
      <fieldset class="stack">
        <legend>Teams</legend>
        {teams.map(({ id, name }, at) => (
          <label key={id} class="row">
            <input type="checkbox" class="check" name="team" value={id} defaultChecked={at === 0} />
            <bdi>{name}</bdi>
          </label>
        ))}
      </fieldset>
      <TextField label="Target date" name="targetDate" type="date" />
    </FormDialog>
  );
}
