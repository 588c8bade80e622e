import { createHash, createHmac } from "node:crypto";
import { definePreparedStatement, knex, toStatement } from "../../db/builder.ts";
import { isObject } from "../../formats/json.ts";
import { DAY_MS } from "../../formats/time.ts";
import { conflict } from "../errors.ts";
import type { MutationResult, WriteContext } from "./write.ts";

/** A request with an Idempotency-Key: the key, the response key of the mutation, and its input. */
export interface IdempotentRequest {
  /** Key as stored in the database. */
  key: string;
  /** Key as the client sent it. Releases up to 0.2.0, which may run at the same time, store and look up this form. */
  sent: string;
  /** Response key of the mutation. */
  field: string;
  input: unknown;
}

/**
 * Returns a keyed hash of an idempotency key, made with the server's secret and the organization. A reader of the
 * database cannot recover the key.
 */
export const hashIdempotencyKey = ({ secret, organizationId }: WriteContext["scope"], key: string): string =>
  `digest ${createHmac("sha256", secret).update(`idempotency key ${organizationId} ${key}`).digest("base64url")}`;

interface StoredOutcome {
  result: MutationResult;
  lastSyncId: number;
}

/**
 * Returns the stored outcome of the same request, if that request came in the last 24 hours.
 * @throws conflict if the key came with a different input.
 */
export async function findStoredOutcome(
  write: WriteContext,
  request: IdempotentRequest,
): Promise<StoredOutcome | undefined> {
  const { organizationId, userId } = write.scope;
  const { key, sent, field } = request;
  const since = new Date(Date.parse(write.at) - DAY_MS);
  const [known] = await write.trx.query<{ inputHash: Buffer; outcome: MutationResult; lastSyncId: number }>(
    selectOutcome({ organizationId, userId, key, sent, field, since }),
  );
  if (!known) return undefined;
  if (!known.inputHash.equals(hashOf(request.input)))
    throw conflict("this Idempotency-Key was used with another input; use a new key", undefined, "Idempotency-Key");
  return { result: known.outcome, lastSyncId: known.lastSyncId };
}

/** Stores the outcome of a request for replays. Does not store `values`, such as a secret that is shown once. */
export function storeOutcome(
  write: WriteContext,
  request: IdempotentRequest,
  { result, lastSyncId }: StoredOutcome,
): void {
  const { organizationId, userId } = write.scope;
  const { id, ids, kept } = result;
  const { key, field, input } = request;
  const outcome = JSON.stringify({ id, ids, kept });
  const row = { organizationId, userId, key, field, inputHash: hashOf(input), outcome, lastSyncId };
  void write.trx.query(upsertOutcome({ ...row, createdAt: write.at }));
}

const KEY = ["organizationId", "userId", "key", "field"] as const;
const STORED = ["inputHash", "outcome", "lastSyncId", "createdAt"] as const;

const selectOutcome = definePreparedStatement(
  "find-outcome",
  [...KEY, "sent", "since"],
  ({ key, sent, since, ...where }) =>
    knex("idempotency")
      .where(where)
      .whereIn("key", [key, sent])
      .where("createdAt", ">", since)
      .select("inputHash", "outcome", "lastSyncId")
      .limit(1),
  { reads: ["idempotency"] },
);

const upsertOutcome = definePreparedStatement(
  "store-outcome",
  [...KEY, ...STORED],
  (row) => knex("idempotency").insert(row).onConflict(KEY).merge(STORED),
  { reads: [], writes: ["idempotency"] },
);

/**
 * Makes a create function idempotent by the client's id. The same id with the same input returns the existing entity.
 * @throws conflict for an id that is already in use, or that came with a different input before.
 */
export const idempotentById =
  <Input extends { id?: string | null | undefined }>(
    entity: string,
    run: (write: WriteContext, input: Input) => Promise<MutationResult> | MutationResult,
  ) =>
  async (write: WriteContext, input: Input): Promise<MutationResult> => {
    if (!input.id) return run(write, input);
    const { organizationId } = write.scope;
    const claim = { organizationId, id: input.id, inputHash: hashOf({ entity, input }) };
    const claimed = await write.trx.query(claimId(claim));
    if (claimed.length > 0) return run(write, input);
    const table = write.model.get(entity)?.table;
    const same = knex("clientId").where(claim).select("organizationId", "id");
    const made = knex(`${table}`).whereIn(["organizationId", "id"], same);
    const [there] = await write.trx.query(toStatement(made.select("id")));
    if (!there) throw conflict(`id: ${input.id} is already in use; choose another id`, undefined, "id");
    return { id: input.id };
  };

const claimId = definePreparedStatement(
  "claim-id",
  ["organizationId", "id", "inputHash"],
  (row) => knex("clientId").insert(row, "id").onConflict().ignore(),
  { reads: [], writes: ["clientId"] },
);

/** Returns a hash of any JSON value. The order of an object's members does not change the hash. */
const hashOf = (value: unknown): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(value, (_, each) => (isObject(each) ? sorted(each) : each)))
    .digest();

const sorted = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
