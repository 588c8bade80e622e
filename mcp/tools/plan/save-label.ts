import { z } from "zod";
import { needed, resolverOf, save } from "../../arguments/save.ts";
import { PLAN } from "../../documents/plan.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { nonEmpty } from "../../results/format.ts";

interface LabelNode {
  name: string;
  color: string;
  description: string | null;
  team: { key: string } | null;
}

/** Creates a label, or changes one. */
export const saveLabel = defineTool({
  name: "save_label",
  title: "Save label",
  description: "Create a label, or change the one that label names. Without team it is every team's.",
  toolset: "plan",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({
    label: z.string().optional(),
    name: z.string().min(1).optional(),
    color: z.string().optional().describe("#rrggbb"),
    description: z.string().optional(),
    team: z.string().optional(),
  }),
  outputSchema: z.object({
    label: z.object({
      name: z.string(),
      color: z.string(),
      description: z.string().optional(),
      team: z.string().optional(),
    }),
  }),
  async handler({ label, name, color, description, team }, { graphql }) {
    const resolve = await resolverOf(graphql, { team, labels: label === undefined ? [] : [label] });
    const teamId = team === undefined ? undefined : (await resolve.team()).id;
    const [known] = label === undefined ? [] : await resolve.labels(teamId, [label]);
    const values = {
      name: known ? name : needed("name", name),
      color,
      description,
      teamId: known ? undefined : teamId,
    };
    const documents = { create: PLAN.createLabel, update: PLAN.updateLabel };
    const row = await save<LabelNode>(graphql, documents, known?.id, values);
    const { name: called, color: shown } = row;
    return { label: { name: called, color: shown, description: nonEmpty(row.description), team: row.team?.key } };
  },
});
