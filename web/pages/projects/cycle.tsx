import { useState } from "preact/hooks";
import { useChanges } from "../../data/changes.ts";
import { CyclePage, UpdateCycle } from "../../data/documents.ts";
import { request } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { Of } from "../issues/of.tsx";
import { daysOf, nameOfCycle } from "./cycles.tsx";
import { Field, FormDialog, Progress, textOf } from "./form.tsx";

/** A cycle, by its id: its progress, and the issues planned for it. */
export default function Cycle({ params: { id = "" } }: { params: Record<string, string> }) {
  const { data, error, reload } = useQuery(CyclePage, { id });
  const [editing, edit] = useState(false);
  const cycle = data?.cycle;
  useChanges(({ type }) => type === "Cycle" || type === "Issue", reload, id);
  const save = async (fields: FormData) => {
    const at = (name: string) => `${textOf(fields, name)}T00:00:00Z`;
    const input = { name: textOf(fields, "name"), startsAt: at("startsAt"), endsAt: at("endsAt") };
    await request(UpdateCycle, { id, input });
    await reload();
  };
  return (
    <Of
      kind="Cycle"
      list={{ href: "/cycles", name: "Cycles" }}
      title={cycle && nameOfCycle(cycle)}
      error={error}
      retry={reload}
      {...(cycle && { edit: () => edit(true), filter: { cycle: { id: { eq: cycle.id } } } })}
    >
      {cycle && (
        <>
          <dl class="figs">
            <div>
              <dt>Team</dt>
              <dd class="cut">{cycle.team.name}</dd>
            </div>
            <div>
              <dt>Done</dt>
              <dd>
                <Progress of={cycle.progress} label="Done" />
              </dd>
            </div>
            <div>
              <dt>Days</dt>
              <dd class="cut">{daysOf(cycle)}</dd>
            </div>
          </dl>
          {cycle.description && <Markdown text={cycle.description} links />}
          {editing && (
            <FormDialog title="Edit cycle" action="Save" send={save} close={() => edit(false)}>
              <Field label="Name" name="name" value={cycle.name} />
              <Field label="First day" name="startsAt" type="date" value={cycle.startsAt.slice(0, 10)} required />
              <Field label="End" name="endsAt" type="date" value={cycle.endsAt.slice(0, 10)} required />
            </FormDialog>
          )}
        </>
      )}
    </Of>
  );
}
