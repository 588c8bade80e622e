import { useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { CreateCycle, type CycleRowFragment, Cycles } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Icon } from "../../parts/icon.tsx";
import { type Column, DataTable } from "../../parts/lists/data-table.tsx";
import { Loaded } from "../../parts/lists/loaded.tsx";
import { Empty } from "../../parts/states.tsx";
import { Page } from "../../shell/page.tsx";
import { navigate } from "../../shell/router.ts";
import { useFieldOptions } from "../issues/choices.tsx";
import { Field, FormDialog, Progress, textOf } from "./form.tsx";

/** The name of a cycle, or its number. */
export const nameOfCycle = ({ name, number }: Pick<CycleRowFragment, "name" | "number">): string =>
  name ?? `Cycle ${number}`;

/** The days from which to which a cycle goes. */
export const daysOf = ({ startsAt, endsAt }: Pick<CycleRowFragment, "startsAt" | "endsAt">): string =>
  `${startsAt.slice(0, 10)} to ${endsAt.slice(0, 10)}`;

const COLUMNS: Column<CycleRowFragment>[] = [
  {
    name: "Cycle",
    class: "wide grows",
    cell: (cycle, link) => (
      <span class="row">
        <a class="name cut" href={`/cycles/${cycle.id}`} {...link}>
          <bdi>{nameOfCycle(cycle)}</bdi>
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
    cell: (cycle) => <Progress of={cycle.progress} label={`Done of ${nameOfCycle(cycle)}`} />,
  },
  { name: "Days", class: "num l3", sort: ({ startsAt }) => startsAt, cell: (cycle) => daysOf(cycle) },
];

/** The cycles of all teams, the latest first. */
export default function CyclesPage() {
  const { data, error, reload } = useQuery(Cycles, {});
  const [open, setOpen] = useState(false);
  useChanges(({ type }) => type === "Cycle", reload, "cycles");
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
        <Loaded data={data?.cycles} error={error} retry={reload}>
          {({ nodes, pageInfo }) =>
            nodes.length === 0 ? (
              <Empty icon="clock" title="No cycles">
                <p>A cycle is a stretch of a team’s time, such as two weeks, with the issues planned for it.</p>
              </Empty>
            ) : (
              <>
                <DataTable
                  label="Cycles"
                  rows={nodes}
                  columns={COLUMNS}
                  keyOf={({ id }) => id}
                  href={({ id }) => `/cycles/${id}`}
                  sorted="Days"
                />
                {pageInfo.hasNextPage && <p class="pad dim">The 100 newest.</p>}
              </>
            )
          }
        </Loaded>
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
      name: textOf(fields, "name"),
      startsAt: `${textOf(fields, "startsAt")}T00:00:00Z`,
      endsAt: `${textOf(fields, "endsAt")}T00:00:00Z`,
    };
    const { cycleCreate } = await request(CreateCycle, { input });
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
      <Field label="Name" name="name" />
      <Field label="First day" name="startsAt" type="date" required />
      <Field label="End" name="endsAt" type="date" required />
    </FormDialog>
  );
}
