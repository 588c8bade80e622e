import { Command } from "commander";
import { ISSUE } from "../../api/documents.ts";
import { addJsonOption, addPageOptions, type PageOptions } from "../../options.ts";
import { printResult, toOneLine } from "../../output/print.ts";
import { addIssueToNotFoundError, createCommandContext } from "../../work/caller.ts";
import { formatPage, type GraphqlPage, PRIORITIES, readNextCursor, toCommandLineFieldName } from "../../work/issue.ts";
import { addIssueArgument } from "../../work/issues.ts";

type Value = string | number | { name: string | number } | null;

interface ChangeNode {
  id: string;
  createdAt: string;
  event: string;
  actor: { name: string } | null;
  updatedDescription: boolean | null;
  addedLabels: { name: string }[] | null;
  removedLabels: { name: string }[] | null;
  archived: boolean | null;
  trashed: boolean | null;
  relationChanges: { identifier: string; type: string }[] | null;
}

/** Fields for which the history contains an old and a new value. */
const FIELDS = [
  ...["title", "identifier", "state", "priority", "assignee", "delegate"],
  ...["project", "projectMilestone", "cycle", "parent", "estimate", "dueDate"],
];

const AFTER = `
Example:
  trackway history ENG-12 --limit 5
`;

/** `trackway history`: lists the changes of an issue. */
export const createHistoryCommand = (): Command =>
  addJsonOption(
    addPageOptions(
      addIssueArgument(new Command("history").description("list the changes of an issue, the newest first")),
    ),
  )
    .addHelpText("after", AFTER)
    .action(run);

async function run(id: string, { json, limit, after }: PageOptions): Promise<void> {
  const who = await createCommandContext();
  const asked = who.ask<{ issue: { history: GraphqlPage<ChangeNode> } }>(ISSUE.history, { id, first: limit, after });
  const { history } = (await addIssueToNotFoundError(id, asked)).issue;
  printResult(json, { changes: history.nodes.map(changeRow), next: readNextCursor(history) }, () =>
    formatPage(history, changeLine, "No changes."),
  );
}

const changeRow = (node: ChangeNode) => ({
  id: node.id,
  at: node.createdAt,
  by: node.actor?.name ?? null,
  event: node.event,
  fields: fieldsOf(node),
});

interface FieldChange {
  field: string;
  from: string | null;
  to: string | null;
}

function fieldsOf(node: ChangeNode): FieldChange[] {
  const values = new Map(Object.entries(node)) as Map<string, Value | undefined>;
  const valued = FIELDS.flatMap((field) => {
    const name = field.charAt(0).toUpperCase() + field.slice(1);
    const [from, to] = [`from${name}`, `to${name}`].map((key) => textOf(field, values.get(key) ?? null));
    return from || to ? [{ field: toCommandLineFieldName(field), from: from ?? null, to: to ?? null }] : [];
  });
  const names = (field: string, from: string[], to: string[]): FieldChange[] => [
    ...from.map((text) => ({ field, from: text, to: null })),
    ...to.map((text) => ({ field, from: null, to: text })),
  ];
  const labels = (list: { name: string }[] | null) => list?.map(({ name }) => name) ?? [];
  const relations = (node.relationChanges ?? []).map(({ type, identifier }) => `${type} ${identifier}`);
  const flags = (["archived", "trashed"] as const).filter((flag) => node[flag] !== null);
  return [
    ...valued,
    ...(node.updatedDescription ? [{ field: "description", from: null, to: null }] : []),
    ...names("label", labels(node.removedLabels), labels(node.addedLabels)),
    ...names("relation", [], relations),
    ...flags.map((field) => ({ field, from: String(!node[field]), to: String(node[field]) })),
  ];
}

function textOf(field: string, value: Value): string | null {
  if (value === null) return null;
  if (field === "priority") return PRIORITIES[Number(value)] ?? null;
  return String(typeof value === "object" ? value.name : value);
}

function changeLine(node: ChangeNode): string {
  const { at, by, event, fields } = changeRow(node);
  const changes = fields.map(({ field, from, to }) => {
    const values = from !== null && to !== null ? `${from} → ${to}` : (to ?? (from === null ? "" : `without ${from}`));
    return toOneLine(`${field} ${values}`, 120);
  });
  return `${at.slice(0, 19)}Z ${toOneLine(by ?? "the system", 40)} ${toOneLine(event, 60)} ${changes.join("; ")}`.trimEnd();
}
