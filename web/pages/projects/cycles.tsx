import { useState } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { CreateCycle, type CycleRowFragment, Cycles } from "../../data/documents.ts";
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

/** Returns the name of a cycle, or "Cycle" and the number. */
export const formatCycleName = ({ name, number }: Pick<CycleRowFragment, "name" | "number">): string =>
  name ?? `Cycle ${number}`;

/** Formats the first and the last day of a cycle. */
export const formatCycleDays = ({ startsAt, endsAt }: Pick<CycleRowFragment, "startsAt" | "endsAt">): string =>
  `${startsAt.slice(0, 10)} to ${endsAt.slice(0, 10)}`;

const COLUMNS: Column<CycleRowFragment>[] = [
  {
    name: "Cycle",
    class: "wide grows",
    cell: (cycle, link) => (
      <span class="row">
        <a class="name cut" href={`/cycles/${cycle.id}`} {...link}>
          <bdi>{formatCycleName(cycle)}</bdi>
        </a>
        {cycle.isActive && <span class="badge acc">current</span>}
      </span>
    ),
  },
  { name: "Team", class: "l2", sort: ({ team }) => team.key, cell: ({ team }) => <bdi>{team.name}</bdi> },
  {
    name: "Done",
    class: "r2",
    sort: ({ progress }) => progress,
    cell: (cycle) => <ShareBar of={cycle.progress} label={`Completed issues of ${formatCycleName(cycle)}`} />,
  },
  { name: "Dates", class: "num l3", sort: ({ startsAt }) => startsAt, cell: (cycle) => formatCycleDays(cycle) },
];

/** Page of the cycles of all teams, latest first. */
export default function CyclesPage() {
  const { data, error, reload } = useQuery(Cycles, {});
  const [open, setOpen] = useState(false);
  useReloadOnChange(({ type }) => type === "Cycle", reload, "cycles");
  return (
    <Page title="Cycles" fixed>
      <header class="head">
        <h1>Cycles</h1>
        <div class="acts">
          <button class="btn pri" type="button" onClick={() => setOpen(true)}>
            <Icon name="plus" class="i-14" />
            New cycle
          </button>
        </div>
      </header>
      <div class="scroll">
        <LoadedContent data={data?.cycles} error={error} retry={reload}>
          {({ nodes, pageInfo }) =>
            nodes.length === 0 ? (
              <EmptyState icon="clock" title="No cycles">
                <p>A cycle is a period, such as two weeks, in which a team plans to complete issues.</p>
              </EmptyState>
            ) : (
              <>
                <DataTable
                  label="Cycles"
                  rows={nodes}
                  columns={COLUMNS}
                  keyOf={({ id }) => id}
                  href={({ id }) => `/cycles/${id}`}
                  sorted="Dates"
                />
                {pageInfo.hasNextPage && <p class="pad dim">The list shows the 100 newest cycles.</p>}
              </>
            )
          }
        </LoadedContent>
      </div>
      {open && <NewCycle close={() => setOpen(false)} />}
    </Page>
  );
}

function NewCycle({ close }: { close: () => void }) {
  const { teams } = useFieldOptions(undefined);
  const send = async (fields: FormData) => {
    const input = {
      teamId: String(fields.get("team")),
      name: readFormText(fields, "name"),
      startsAt: `${readFormText(fields, "startsAt")}T00:00:00Z`,
      endsAt: `${readFormText(fields, "endsAt")}T00:00:00Z`,
    };
    const { cycleCreate } = await requestGraphQL(CreateCycle, { input });
    if (cycleCreate.cycle) navigate(`/cycles/${cycleCreate.cycle.id}`);
  };
  return (
    <FormDialog title="New cycle" action="Create cycle" send={send} close={close} isReady={teams.length > 0}>
      <fieldset class="stack">
        <legend>Team</legend>
        {teams.map(({ id, name }, at) => (
          <label key={id} class="row">
            <input type="radio" name="team" value={id} defaultChecked={at === 0} required />
            <bdi>{name}</bdi>
          </label>
        ))}
      </fieldset>
      <TextField label="Name" name="name" />
      <TextField label="Start date" name="startsAt" type="date" required />
      <TextField label="End date" name="endsAt" type="date" required />
    </FormDialog>
  );
}
