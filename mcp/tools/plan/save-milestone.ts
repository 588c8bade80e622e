import { z } from "zod";
import { parseDay } from "../../arguments/dates.ts";
import { NAME_OR_WORD } from "../../arguments/filters.ts";
import { needed, resolverOf, save } from "../../arguments/save.ts";
import { PLAN } from "../../documents/plan.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { nonEmpty } from "../../results/format.ts";

interface MilestoneNode {
  name: string;
  targetDate: string | null;
  project: { name: string };
}

/** Creates a milestone of a project, or changes one. */
export const saveMilestone = defineTool({
  name: "save_milestone",
  title: "Save milestone",
  description: "Create a project's milestone, or change the one that milestone names.",
  toolset: "plan",
  annotations: ANNOTATIONS.changes,
  inputSchema: z.strictObject({
    milestone: z.string().optional(),
    project: z.string().optional(),
    name: z.string().min(1).optional(),
    target: NAME_OR_WORD.optional().describe("ISO date, P7D or none"),
  }),
  outputSchema: z.object({
    milestone: z.object({ name: z.string(), project: z.string(), target: z.string().optional() }),
  }),
  async handler({ milestone, project, name, target }, { graphql }) {
    const resolve = await resolverOf(graphql, { project, milestone });
    const projectId = project === undefined ? undefined : (await resolve.project()).id;
    const id = milestone === undefined ? undefined : (await resolve.milestone(projectId)).id;
    const values = {
      name: id ? name : needed("name", name),
      projectId: id ? undefined : needed("project", projectId),
      targetDate: target === "none" ? null : target === undefined ? undefined : parseDay("target", target),
    };
    const documents = { create: PLAN.createMilestone, update: PLAN.updateMilestone };
    const row = await save<MilestoneNode>(graphql, documents, id, values);
    return { milestone: { name: row.name, project: row.project.name, target: nonEmpty(row.targetDate) } };
  },
});
