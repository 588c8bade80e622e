import { z } from "zod";
import { knex, toStatement } from "../../../../db/builder.ts";
import { isUuid } from "../../../../formats/uuid.ts";
import { writeAuditEntry } from "../../../accounts/audit.ts";
import { checkRowLimit } from "../../../accounts/bound.ts";
import { inputError, notFound } from "../../../errors.ts";
import type { MutationResult, WriteContext } from "../../../write/write.ts";
import { timestampSchema } from "../../fields.ts";
import type { Mutation } from "../../resource.ts";

/** Maximum number of groups that an organization may ignore. */
const MOST = 10_000;

const IgnoreInput = z.strictObject({
  until: timestampSchema.nullish(),
  untilCount: z.number().int().positive().nullish(),
});
type Input = z.infer<typeof IgnoreInput>;

/**
 * Ignores a failure group, or changes how long the group is ignored. @throws notFound, inputError, conflict
 * `limit_reached`
 */
async function ignore(write: WriteContext, group: string, { until, untilCount }: Input): Promise<MutationResult> {
  const failures = await failuresOf(write, group);
  if (until && Date.parse(until) <= Date.parse(write.at)) throw inputError("until must be in the future", "until");
  if (untilCount && untilCount <= failures)
    throw inputError(`untilCount must be more than the current count of ${failures}`, "untilCount");
  const row = { organizationId: write.scope.organizationId, groupId: group };
  const others = knex("failureIgnore").where({ organizationId: row.organizationId }).whereNot({ groupId: group });
  const full = `There are ${MOST} ignored groups of failures, which is the maximum; stop ignoring one to ignore another.`;
  await checkRowLimit(write, { table: "failureIgnore", rows: others, most: MOST, full });
  const values = { ignoredAt: write.at, until: until ?? null, untilCount: untilCount ?? null };
  const insert = knex("failureIgnore").insert({ ...row, ...values });
  const put = insert.onConflict(["organizationId", "groupId"]).merge(values);
  await write.trx.query(toStatement(put));
  return note(write, group, "ignored", { until, untilCount });
}

/** Stops ignoring a failure group. Does nothing for a group that is not ignored. @throws notFound */
async function unignore(write: WriteContext, group: string): Promise<MutationResult> {
  await failuresOf(write, group);
  const own = knex("failureIgnore").where({ organizationId: write.scope.organizationId, groupId: group });
  const [ended] = await write.trx.query(toStatement(own.delete("groupId")));
  return ended ? note(write, group, "unignored", {}) : { id: group };
}

/** Returns the number of failures in a group. @throws notFound */
async function failuresOf(write: WriteContext, group: string): Promise<number> {
  const own = knex("recorded_failure_group").where({ organization_id: write.scope.organizationId, group_id: group });
  const [found] = isUuid(group) ? await write.trx.query<{ failures: string }>(toStatement(own.select("failures"))) : [];
  if (!found) throw notFound("recorded failure group", group);
  return Number(found.failures);
}

async function note(write: WriteContext, id: string, verb: string, detail: object): Promise<MutationResult> {
  write.direct = true;
  const { organizationId, userId: accountId } = write.scope;
  const event = `recordedFailureGroup.${verb}`;
  await writeAuditEntry(write.trx, { event, organizationId, accountId, detail: { id, ...detail } });
  return { id };
}

/** Mutations by which members ignore known failures. */
export const ignoreFailureMutations: Record<string, Mutation> = {
  recordedFailureGroupIgnore: {
    needs: "member",
    input: IgnoreInput,
    run: (write, { id, input }) => ignore(write, String(id), input as Input),
  },
  recordedFailureGroupUnignore: { needs: "member", run: (write, { id }) => unignore(write, String(id)) },
};
