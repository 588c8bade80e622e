import { createHash } from "node:crypto";
import { z } from "zod";
import { isUuid } from "../../../formats/uuid.ts";
import { buildIssueInput } from "../../arguments/issue-input.ts";
import { fetchNamedEntities } from "../../arguments/names.ts";
import { ISSUE_DOCUMENTS } from "../../documents/issue.ts";
import { ToolError } from "../../errors.ts";
import { ANNOTATIONS, defineTool } from "../../registry/define-tool.ts";
import { PRIORITIES, type Priority, toPriorityNumber } from "../../results.ts";

const MOST = 50;
const MOST_BLOCKS = 100;

const fields = {
  ref: z.string().optional(),
  title: z.string().min(1).max(512),
  description: z.string().optional(),
  priority: z.enum(PRIORITIES).optional(),
  labels: z.array(z.string()).optional(),
  blocks: z.array(z.string()).optional(),
};
/**
 * The schema spells out three levels of nesting instead of using `$ref`, because some clients do not support
 * references.
 */
const lowest = z.strictObject(fields);
const middle = z.strictObject({ ...fields, children: z.array(lowest).optional() });
const highest = z.strictObject({
  ...fields,
  ref: fields.ref.describe("your name for it"),
  blocks: fields.blocks.describe("refs, or issues that there are"),
  children: z.array(middle).optional(),
});

/** Issue of a plan, on any level. */
interface Planned {
  ref?: string | undefined;
  title: string;
  description?: string | undefined;
  priority?: Priority | undefined;
  labels?: string[] | undefined;
  blocks?: string[] | undefined;
  children?: Planned[] | undefined;
}

/** Creates a tree of issues with blocking relations. Creates either all issues or none. */
export const planIssues = defineTool({
  name: "plan_issues",
  title: "Plan issues",
  description:
    "Create up to 50 issues with parents and blockers, either all or none. Repeating a plan on the same day creates no duplicates.",
  toolset: "plan",
  annotations: { ...ANNOTATIONS.adds, idempotentHint: true },
  inputSchema: z.strictObject({
    team: z.string(),
    issues: z.array(highest).min(1).max(MOST),
    project: z.string().optional(),
    cycle: z.string().optional(),
    milestone: z.string().optional(),
    parent: z.string().optional(),
  }),
  outputSchema: z.object({ issues: z.array(z.object({ ref: z.string(), id: z.string() })) }),
  async handler({ issues, parent, ...common }, { graphql }) {
    const entries = entriesOf(issues);
    const parentId = (await fetchNamedEntities(graphql, { issue: parent })).namedIssue?.id;
    const texts = [...new Set(entries.flatMap(({ labels = [] }) => labels))];
    const { labelIds, ...shared } = await buildIssueInput(graphql, {
      ...common,
      labels: texts.length > 0 ? texts : undefined,
    });
    const labelOf = new Map(texts.map((text, at) => [text, (labelIds as string[])[at]]));
    const inputs = entries.map(({ title, description, priority, labels, under }) => ({
      ...shared,
      title,
      ...(description !== undefined && { description }),
      ...(priority && { priority: toPriorityNumber(priority) }),
      ...(labels?.length && { labelIds: labels.map((text) => labelOf.get(text)) }),
      under,
    }));
    const ids = idsOf([parentId, inputs]);
    const input = {
      issues: inputs.map(({ under, ...rest }, at) => ({
        ...rest,
        id: ids(at),
        parentId: under === undefined ? parentId : ids(under),
      })),
      relations: relationsOf(entries, ids),
    };
    type Data = { issueBatchCreate: { issues: { identifier: string; trashed: boolean | null }[] } };
    const { issues: made } = (await graphql<Data>(ISSUE_DOCUMENTS.plan, { input })).issueBatchCreate;
    const trashed = made.find((issue) => issue.trashed);
    if (trashed)
      throw new ToolError(
        `The same plan was made today, and ${trashed.identifier} of it is in the trash. Change the plan.`,
      );
    return { issues: entries.map(({ ref, title }, at) => ({ ref: ref ?? title, id: made[at]?.identifier ?? "" })) };
  },
});

interface Entry extends Omit<Planned, "children"> {
  /** Index of the parent among the entries. */
  under?: number | undefined;
}

/**
 * Flattens a tree of issues into a list in which each parent precedes its children. @throws ToolError for too many
 * issues or a repeated ref
 */
function entriesOf(issues: readonly Planned[]): Entry[] {
  const entries: Entry[] = [];
  const add = (planned: readonly Planned[], under?: number) => {
    for (const { children, ...issue } of planned) {
      entries.push({ ...issue, under });
      add(children ?? [], entries.length - 1);
    }
  };
  add(issues);
  if (entries.length > MOST)
    throw new ToolError(`issues: a plan has at most ${MOST}, and this one has ${entries.length}. Make several calls.`);
  const refs = entries.flatMap(({ ref }) => ref?.toLowerCase() ?? []);
  const twice = refs.find((ref, at) => refs.indexOf(ref) !== at);
  if (twice !== undefined) throw new ToolError(`issues: the ref "${twice}" comes twice. Give each issue its own.`);
  return entries;
}

/**
 * Converts the `blocks` of each issue to relations. A text in `blocks` names an issue of the plan by its ref, or an
 * existing issue by identifier or id. @throws ToolError for an unknown ref or too many relations
 */
function relationsOf(entries: readonly Entry[], ids: (at: number) => string) {
  const places = new Map(entries.flatMap(({ ref }, at) => (ref === undefined ? [] : [[ref.toLowerCase(), at]])));
  const idOf = (text: string) => {
    const at = places.get(text.toLowerCase());
    if (at !== undefined) return ids(at);
    if (isUuid(text) || /^\w+-\d+$/.test(text)) return text;
    throw new ToolError(`blocks: no issue of the plan has the ref "${text}". Give one that ref, or name an issue.`);
  };
  const relations = entries.flatMap(({ blocks = [] }, at) =>
    blocks.map((text) => ({ type: "blocks", issueId: ids(at), relatedIssueId: idOf(text) })),
  );
  if (relations.length > MOST_BLOCKS)
    throw new ToolError(
      `blocks: a plan has at most ${MOST_BLOCKS}, and this one has ${relations.length}. Leave some out.`,
    );
  return relations;
}

/**
 * Derives the ids of the new issues, in ascending order, from the plan and the current day. A repeated call on the same
 * day therefore creates no issue twice.
 */
function idsOf(plan: unknown): (at: number) => string {
  const day = new Date().toISOString().slice(0, 10);
  const hash = createHash("sha256")
    .update(`${day} ${JSON.stringify(plan)}`)
    .digest("hex");
  return (at) =>
    [
      hash.slice(0, 8),
      hash.slice(8, 12),
      `8${hash.slice(12, 15)}`,
      `8${hash.slice(15, 18)}`,
      `${hash.slice(18, 26)}${at.toString(16).padStart(4, "0")}`,
    ].join("-");
}
