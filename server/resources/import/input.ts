import { z } from "zod";
import {
  colorSchema,
  dateSchema,
  idSchema,
  longTextSchema,
  nameSchema,
  pastTimestampSchema,
  positionSchema,
  prioritySchema,
  timestampSchema,
  titleSchema,
} from "../fields.ts";
import { IssueTemplateInput, MAX_LABELS } from "../issue/input.ts";
import { RELATION_TYPES } from "../relation/input.ts";
import { WORKFLOW_STATE_TYPES } from "../state/input.ts";

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
const type = z.enum(WORKFLOW_STATE_TYPES, `must be one of ${WORKFLOW_STATE_TYPES.join(", ")}`);
const email = z.string().trim().toLowerCase().max(254, "must be at most 254 characters");
const person = z.strictObject({ name: nameSchema, email: email.nullish() });
const identifiers = z.array(externalId).max(100, "must be at most 100").nullish();
const sourced = z
  .string()
  .max(400)
  .regex(/^[^:]+:./, "must be a source and an id, e.g. jira:SITE-7");

const team = z.strictObject({
  key,
  name: nameSchema.nullish(),
  description: longTextSchema.nullish(),
  color: colorSchema.nullish(),
  icon: nameSchema.nullish(),
  defaultState: nameSchema.nullish(),
  states: z
    .array(
      z.strictObject({
        name: nameSchema,
        type,
        color: colorSchema.nullish(),
        description: longTextSchema.nullish(),
        position: positionSchema,
      }),
    )
    .max(100, "must be at most 100")
    .nullish(),
});

const label = z.strictObject({
  name: nameSchema,
  team: key.nullish(),
  color: colorSchema.nullish(),
  description: longTextSchema.nullish(),
  group: nameSchema.nullish(),
  isGroup: z.boolean().nullish(),
});

const PROJECT_TYPES = ["backlog", "planned", "started", "paused", "completed", "canceled"] as const;
const project = z.strictObject({
  id: idSchema.nullish(),
  name: nameSchema,
  teams: z.array(key).min(1, "must name a team").max(100, "must be at most 100"),
  description: longTextSchema.nullish(),
  content: longTextSchema.nullish(),
  icon: nameSchema.nullish(),
  color: colorSchema.nullish(),
  status: z
    .strictObject({ name: nameSchema, type: z.enum(PROJECT_TYPES, `must be one of ${PROJECT_TYPES.join(", ")}`) })
    .nullish(),
  priority: prioritySchema.nullish(),
  sortOrder: positionSchema.nullish(),
  startDate: dateSchema.nullish(),
  targetDate: dateSchema.nullish(),
  createdAt: pastTimestampSchema.nullish(),
  updatedAt: pastTimestampSchema.nullish(),
  startedAt: pastTimestampSchema.nullish(),
  completedAt: pastTimestampSchema.nullish(),
  canceledAt: pastTimestampSchema.nullish(),
  archivedAt: pastTimestampSchema.nullish(),
});

const cycle = z
  .strictObject({
    team: key,
    number: z.number().int().min(1, "must be 1 or more").max(1_000_000, "must be at most 1000000"),
    name: nameSchema.nullish(),
    description: longTextSchema.nullish(),
    startsAt: timestampSchema,
    endsAt: timestampSchema,
    completedAt: timestampSchema.nullish(),
    archivedAt: pastTimestampSchema.nullish(),
  })
  .refine(({ startsAt, endsAt }) => endsAt > startsAt, { path: ["endsAt"], message: "must be after startsAt" });

const named = {
  id: idSchema.nullish(),
  externalId: externalId.nullish(),
  externalIds: z.array(sourced).max(20).nullish(),
};
const hasName = ({ id: own, externalId: foreign }: { id?: unknown; externalId?: unknown }) => Boolean(own || foreign);
const NAMELESS = { path: ["externalId"], message: "must be given, or id: by it a second import knows the row" };

const issue = z
  .strictObject({
    ...named,
    team: key,
    identifier: externalId.nullish(),
    previousIdentifiers: identifiers,
    title: titleSchema,
    description: longTextSchema.nullish(),
    state: nameSchema.nullish(),
    stateType: type.nullish(),
    priority: prioritySchema.nullish(),
    estimate: z.number().int().min(0, "must be 0 or more").max(1_000, "must be at most 1000").nullish(),
    sortOrder: positionSchema.nullish(),
    labels: z.array(nameSchema).max(MAX_LABELS, `must be at most ${MAX_LABELS}`).nullish(),
    creator: person.nullish(),
    assignee: person.nullish(),
    project: reference.nullish(),
    milestone: idSchema.nullish(),
    cycle: z.number().int().nullish(),
    dueDate: dateSchema.nullish(),
    createdAt: pastTimestampSchema,
    updatedAt: pastTimestampSchema.nullish(),
    startedAt: pastTimestampSchema.nullish(),
    completedAt: pastTimestampSchema.nullish(),
    canceledAt: pastTimestampSchema.nullish(),
    archivedAt: pastTimestampSchema.nullish(),
  })
  .refine(hasName, NAMELESS);

const comment = z
  .strictObject({
    ...named,
    issue: reference,
    parent: reference.nullish(),
    body: longTextSchema.refine((text) => text.trim().length > 0, "must not be empty"),
    author: person.nullish(),
    createdAt: pastTimestampSchema,
    updatedAt: pastTimestampSchema.nullish(),
    editedAt: pastTimestampSchema.nullish(),
    resolvedAt: pastTimestampSchema.nullish(),
  })
  .refine(hasName, NAMELESS);

const parent = z.strictObject({ issue: reference, parent: reference });

const relation = z.strictObject({
  id: idSchema.nullish(),
  type: z.enum(RELATION_TYPES, `must be one of ${RELATION_TYPES.join(", ")}`),
  issue: reference,
  relatedIssue: reference,
  createdAt: pastTimestampSchema.nullish(),
  updatedAt: pastTimestampSchema.nullish(),
});

const milestone = z.strictObject({
  id: idSchema.nullish(),
  name: nameSchema,
  project: reference,
  targetDate: dateSchema.nullish(),
});

const shown = {
  id: idSchema.nullish(),
  name: nameSchema,
  description: longTextSchema.nullish(),
  icon: nameSchema.nullish(),
  color: colorSchema.nullish(),
};

const view = z.strictObject({
  ...shown,
  shared: z.boolean().nullish(),
  filterData: z.record(z.string(), z.unknown()).nullish(),
  team: key.nullish(),
  project: reference.nullish(),
});

/**
 * Fields of a template that contain ids. A row cannot contain these fields, because the ids have no meaning in another
 * system. The row contains the names of the state and the project instead.
 */
const LINKS = { stateId: true, assigneeId: true, delegateId: true, parentId: true, projectId: true } as const;

const template = z.strictObject({
  ...shown,
  team: key.nullish(),
  sortOrder: positionSchema.nullish(),
  templateData: IssueTemplateInput.omit({ ...LINKS, projectMilestoneId: true, cycleId: true, labelIds: true }),
  state: nameSchema.nullish(),
  labels: z.array(nameSchema).max(MAX_LABELS, `must be at most ${MAX_LABELS}`).nullish(),
  project: reference.nullish(),
});

/** Validation of a row, by kind. */
export const IMPORT_ROW_SCHEMAS = {
  ...{ team, label, project, cycle, issue, comment, parent, relation },
  ...{ milestone, view, template },
} as const;

export type ImportRowKind = keyof typeof IMPORT_ROW_SCHEMAS;

/** Fields of an imported row of the given kind. */
export type ImportRow<Of extends ImportRowKind> = z.infer<(typeof IMPORT_ROW_SCHEMAS)[Of]>;

/** A person as described in a row. */
export type Person = z.infer<typeof person>;

/** A validated row. */
export type ValidImportRow = { [Of in ImportRowKind]: { kind: Of; fields: ImportRow<Of> } }[ImportRowKind];
