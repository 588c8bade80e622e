import { createHash } from "node:crypto";
import { conflict } from "../errors.ts";
import type { Result } from "./result.ts";
import type { Write } from "./write.ts";

/** A request with an Idempotency-Key: the key, where in the response the mutation stands, and what it asks for. */
export interface IdempotentRequest {
  key: string;
  /** Root response key. */
  field: string;
  input: unknown;
}

interface StoredOutcome {
  result: Result;
  lastSyncId: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * What the same request left behind, if it came in the last 24 hours.
 * @throws conflict when the key came with another input.
 */
export async function findOutcome(write: Write, request: IdempotentRequest): Promise<StoredOutcome | undefined> {
  const { organizationId, userId } = write.scope;
  const [known] = await write.trx.query<{ inputHash: Buffer; outcome: Result; lastSyncId: number }>({
    name: "find-outcome",
    text: `select "inputHash", outcome, "lastSyncId" from idempotency
      where "organizationId" = $1 and "userId" = $2 and key = $3 and field = $4 and "createdAt" > $5`,
    values: [organizationId, userId, request.key, request.field, new Date(Date.parse(write.at) - DAY_MS)],
  });
  if (!known) return undefined;
  if (!known.inputHash.equals(hashOf(request.input)))
    throw conflict("Idempotency-Key came with another input before; use a new key", undefined, "Idempotency-Key");
  return { result: known.outcome, lastSyncId: known.lastSyncId };
}

/** Stores what a request left behind, for its replays. `values`, such as a secret that is shown once, are not stored. */
export function storeOutcome(write: Write, request: IdempotentRequest, { result, lastSyncId }: StoredOutcome): void {
  const { organizationId, userId } = write.scope;
  const { id, ids, kept } = result;
  void write.trx.query({
    name: "store-outcome",
    text: `insert into idempotency ("organizationId", "userId", key, field, "inputHash", outcome, "lastSyncId", "createdAt")
      values ($1, $2, $3, $4, $5, $6, $7, $8)
      on conflict ("organizationId", "userId", key, field) do update set "inputHash" = excluded."inputHash",
        outcome = excluded.outcome, "lastSyncId" = excluded."lastSyncId", "createdAt" = excluded."createdAt"`,
    values: [
      ...[organizationId, userId, request.key, request.field, hashOf(request.input)],
      ...[JSON.stringify({ id, ids, kept }), lastSyncId, write.at],
    ],
  });
}

/**
 * Makes a function that creates an entity idempotent by the id that the client chose: the same id with the same input
 * answers the entity that is there already.
 * @throws conflict for an id that is in use, or came with another input before.
 */
export const idempotentById =
  <Input extends { id?: string | null | undefined }>(
    entity: string,
    run: (write: Write, input: Input) => Promise<Result> | Result,
  ) =>
  async (write: Write, input: Input): Promise<Result> => {
    if (!input.id) return run(write, input);
    const values = [write.scope.organizationId, input.id, hashOf({ entity, input })];
    const claimed = await write.trx.query({
      name: "claim-id",
      text: `insert into "clientId" ("organizationId", id, "inputHash") values ($1, $2, $3) on conflict do nothing returning 1`,
      values,
    });
    if (claimed.length > 0) return run(write, input);
    const table = write.model.get(entity)?.table;
    const [there] = await write.trx.query({
      text: `select 1 from "clientId" c join "${table}" t on t."organizationId" = c."organizationId" and t.id = c.id
        where c."organizationId" = $1 and c.id = $2 and c."inputHash" = $3`,
      values,
    });
    if (!there) throw conflict(`id: ${input.id} is in use already; choose another id`, undefined, "id");
    return { id: input.id };
  };

/** A hash of any JSON value; the order of members does not count. */
const hashOf = (value: unknown): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(value, (_, each) => (isObject(each) ? sorted(each) : each)))
    .digest();

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const sorted = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
