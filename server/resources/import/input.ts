import { z } from "zod";
import { color, day, id, longText, moment, name, pastMoment, position, priority, title } from "../fields.ts";
import { IssueTemplateInput, MAX_LABELS } from "../issue/input.ts";
import { RELATION_TYPES } from "../relation/input.ts";
import { STATE_TYPES } from "../state/input.ts";

/** Maximum rows per call. */
const MAX_ROWS = 500;

/** Source of the rows. Colons are not allowed, because a colon separates the source from an id. */
const source = z
  .string()
  .regex(
    /^[a-z0-9][a-z0-9._/-]{0,63}$/,
    "must be up to 64 small letters, digits, dots, slashes and hyphens, e.g. jira",
  );

/** Input of the mutation. Each row is validated separately, so that an invalid row does not affect other rows. */
export const IssueBatchImportInput = z.strictObject({
  source,
  rows: z.array(z.unknown()).min(1, "must hold a row").max(MAX_ROWS, `must hold at most ${MAX_ROWS} rows`),
  dryRun: z.boolean().nullish(),
});

const externalId = z
  .string()
  .min(1, "must not be empty")
  .max(250, "must be at most 250 characters")
  .refine((value) => !/[\0\p{Surrogate}]/u.test(value), "must not contain U+0000 or half a character");
const reference = externalId;
const key = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z][A-Z0-9]{0,6}$/, "must be the key of a team: a letter and up to six letters or digits, e.g. ENG");
const type = z.enum(STATE_TYPES, `must be one of ${STATE_TYPES.join(", ")}`);
const email = z.string().trim().toLowerCase().max(254, "must be at most 254 characters");
const person = z.strictObject({ name, email: email.nullish() });
const identifiers = z.array(externalId).max(100, "must be at most 100").nullish();
const sourced = z
  .string()
  .max(400)
  .regex(/^[^:]+:./, "must be a source and an id, e.g. jira:SITE-7");

const team = z.strictObject({
  key,
  name: name.nullish(),
  description: longText.nullish(),
  color: color.nullish(),
  icon: name.nullish(),
  defaultState: name.nullish(),
  states: z
    .array(z.strictObject({ name, type, color: color.nullish(), description: longText.nullish(), position }))
    .max(100, "must be at most 100")
    .nullish(),
});

const label = z.strictObject({
  name,
  team: key.nullish(),
  color: color.nullish(),
  description: longText.nullish(),
  group: name.nullish(),
  isGroup: z.boolean().nullish(),
});

const PROJECT_TYPES = ["backlog", "planned", "started", "paused", "completed", "canceled"] as const;
const project = z.strictObject({
  id: id.nullish(),
  name,
  teams: z.array(key).min(1, "must name a team").max(100, "must be at most 100"),
  description: longText.nullish(),
  content: longText.nullish(),
  icon: name.nullish(),
  color: color.nullish(),
  status: z.strictObject({ name, type: z.enum(PROJECT_TYPES, `must be one of ${PROJECT_TYPES.join(", ")}`) }).nullish(),
  priority: priority.nullish(),
  sortOrder: position.nullish(),
  startDate: day.nullish(),
  targetDate: day.nullish(),
  createdAt: pastMoment.nullish(),
  updatedAt: pastMoment.nullish(),
  startedAt: pastMoment.nullish(),
  completedAt: pastMoment.nullish(),
  canceledAt: pastMoment.nullish(),
  archivedAt: pastMoment.nullish(),
});

const cycle = z
  .strictObject({
    team: key,
    number: z.number().int().min(1, "must be 1 or more").max(1_000_000, "must be at most 1000000"),
    name: name.nullish(),
    description: longText.nullish(),
    startsAt: moment,
    endsAt: moment,
    completedAt: moment.nullish(),
    archivedAt: pastMoment.nullish(),
  })
  .refine(({ startsAt, endsAt }) => endsAt > startsAt, { path: ["endsAt"], message: "must be after startsAt" });

const named = { id: id.nullish(), externalId: externalId.nullish(), externalIds: z.array(sourced).max(20).nullish() };
const hasName = ({ id: own, externalId: foreign }: { id?: unknown; externalId?: unknown }) => Boolean(own || foreign);
const NAMELESS = { path: ["externalId"], message: "must be given, or id: by it a second import knows the row" };

const issue = z
  .strictObject({
    ...named,
    team: key,
    identifier: externalId.nullish(),
    previousIdentifiers: identifiers,
    title,
    description: longText.nullish(),
    state: name.nullish(),
    stateType: type.nullish(),
    priority: priority.nullish(),
    estimate: z.number().int().min(0, "must be 0 or more").max(1_000, "must be at most 1000").nullish(),
    sortOrder: position.nullish(),
    labels: z.array(name).max(MAX_LABELS, `must be at most ${MAX_LABELS}`).nullish(),
    creator: person.nullish(),
    assignee: person.nullish(),
    project: reference.nullish(),
    milestone: id.nullish(),
    cycle: z.number().int().nullish(),
    dueDate: day.nullish(),
    createdAt: pastMoment,
    updatedAt: pastMoment.nullish(),
    startedAt: pastMoment.nullish(),
    completedAt: pastMoment.nullish(),
    canceledAt: pastMoment.nullish(),
    archivedAt: pastMoment.nullish(),
  })
  .refine(hasName, NAMELESS);

const comment = z
  .strictObject({
    ...named,
    issue: reference,
    parent: reference.nullish(),
    body: longText.refine((text) => text.trim().length > 0, "must not be empty"),
    author: person.nullish(),
    createdAt: pastMoment,
    updatedAt: pastMoment.nullish(),
    editedAt: pastMoment.nullish(),
    resolvedAt: pastMoment.nullish(),
  })
  .refine(hasName, NAMELESS);

const parent = z.strictObject({ issue: reference, parent: reference });

const relation = z.strictObject({
  id: id.nullish(),
  type: z.enum(RELATION_TYPES, `must be one of ${RELATION_TYPES.join(", ")}`),
  issue: reference,
  relatedIssue: reference,
  createdAt: pastMoment.nullish(),
  updatedAt: pastMoment.nullish(),
});

const milestone = z.strictObject({ id: id.nullish(), name, project: reference, targetDate: day.nullish() });

const shown = { id: id.nullish(), name, description: longText.nullish(), icon: name.nullish(), color: color.nullish() };

const view = z.strictObject({
  ...shown,
  shared: z.boolean().nullish(),
  filterData: z.record(z.string(), z.unknown()).nullish(),
  team: key.nullish(),
  project: reference.nullish(),
});

/** Ids in a template's values have no meaning in another system. */
const LINKS = { stateId: true, assigneeId: true, delegateId: true, parentId: true, projectId: true } as const;

const template = z.strictObject({
  ...shown,
  team: key.nullish(),
  sortOrder: position.nullish(),
  templateData: IssueTemplateInput.omit({ ...LINKS, projectMilestoneId: true, cycleId: true, labelIds: true }),
  state: name.nullish(),
  labels: z.array(name).max(MAX_LABELS, `must be at most ${MAX_LABELS}`).nullish(),
  project: reference.nullish(),
});

/** Validation of a row, by kind. */
export const KINDS = {
  ...{ team, label, project, cycle, issue, comment, parent, relation },
  ...{ milestone, view, template },
} as const;

export type Kind = keyof typeof KINDS;

/** Fields of a row of a kind. */
export type ImportRow<Of extends Kind> = z.infer<(typeof KINDS)[Of]>;

/** A person as described in a row. */
export type Person = z.infer<typeof person>;

/** A validated row. */
export type Row = { [Of in Kind]: { kind: Of; fields: ImportRow<Of> } }[Kind];
