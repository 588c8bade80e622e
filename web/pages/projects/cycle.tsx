import { useState } from "preact/hooks";
import { useReloadOnChange } from "../../data/changes.ts";
import { CyclePage, UpdateCycle } from "../../data/documents.ts";
import { requestGraphQL } from "../../data/graphql.ts";
import { useQuery } from "../../data/query.ts";
import { Markdown } from "../../parts/texts/markdown.tsx";
import { EntityIssuesPage } from "../issues/of.tsx";
import { formatCycleDays, formatCycleName } from "./cycles.tsx";
import { FormDialog, readFormText, ShareBar, TextField } from "./form.tsx";

/** Page of the cycle with the given id. Shows the progress and the planned issues. */
export default function CycleDetailPage({ params: { id = "" } }: { params: Record<string, string> }) {
  const { data, error, reload } = useQuery(CyclePage, { id });
  const [editing, edit] = useState(false);
  const cycle = data?.cycle;
  useReloadOnChange(({ type }) => type === "Cycle" || type === "Issue", reload, id);
  const save = async (fields: FormData) => {
    const at = (name: string) => `${readFormText(fields, name)}T00:00:00Z`;
    const input = { name: readFormText(fields, "name"), startsAt: at("startsAt"), endsAt: at("endsAt") };
    await requestGraphQL(UpdateCycle, { id, input });
    await reload();
  };
  return (
    <EntityIssuesPage
      kind="Cycle"
      list={{ href: "/cycles", name: "Cycles" }}
      title={cycle && formatCycleName(cycle)}
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
                <ShareBar of={cycle.progress} label="Done" />
              </dd>
            </div>
            <div>
              <dt>Dates</dt>
              <dd class="cut">{formatCycleDays(cycle)}</dd>
            </div>
          </dl>
          {cycle.description && <Markdown text={cycle.description} links />}
          {editing && (
            <FormDialog title="Edit cycle" action="Save" send={save} close={() => edit(false)}>
              <TextField label="Name" name="name" value={cycle.name} />
              <TextField label="Start date" name="startsAt" type="date" value={cycle.startsAt.slice(0, 10)} required />
              <TextField label="End date" name="endsAt" type="date" value={cycle.endsAt.slice(0, 10)} required />
            </FormDialog>
          )}
        </>
      )}
    </EntityIssuesPage>
  );
}
