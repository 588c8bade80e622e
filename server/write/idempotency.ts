import { createHash, createHmac } from "node:crypto";
import { compiled, knex, toStatement } from "../../db/builder.ts";
import { isObject } from "../../formats/json.ts";
import { DAY_MS } from "../../formats/time.ts";
import { conflict } from "../errors.ts";
import type { Result, Write } from "./write.ts";

/** A request with an Idempotency-Key: the key, where in the response the mutation stands, and what it asks for. */
export interface IdempotentRequest {
  /** The key as it is stored. */
  key: string;
  /** The key as it was sent: releases up to 0.2.0, which may run beside, store and look for that one. */
  sent: string;
  /** Root response key. */
  field: string;
  input: unknown;
}

/** A key that nobody reads out of the database: keyed by the server's secret, and of one organization. */
export const digestKey = ({ secret, organizationId }: Write["scope"], key: string): string =>
  `digest ${createHmac("sha256", secret).update(`idempotency key ${organizationId} ${key}`).digest("base64url")}`;

interface StoredOutcome {
  result: Result;
  lastSyncId: number;
}

/**
 * The outcome that the same request left, if it came in the last 24 hours.
 * @throws conflict when the key came with another input.
 */
export async function findOutcome(write: Write, request: IdempotentRequest): Promise<StoredOutcome | undefined> {
  const { organizationId, userId } = write.scope;
  const { key, sent, field } = request;
  const since = new Date(Date.parse(write.at) - DAY_MS);
  const [known] = await write.trx.query<{ inputHash: Buffer; outcome: Result; lastSyncId: number }>(
    selectOutcome({ organizationId, userId, key, sent, field, since }),
  );
  if (!known) return undefined;
  if (!known.inputHash.equals(hashOf(request.input)))
    throw conflict("Idempotency-Key came with another input before; use a new key", undefined, "Idempotency-Key");
  return { result: known.outcome, lastSyncId: known.lastSyncId };
}

/** Stores what a request left behind, for its replays. `values`, such as a secret that is shown once, are not stored. */
export function storeOutcome(write: Write, request: IdempotentRequest, { result, lastSyncId }: StoredOutcome): void {
  const { organizationId, userId } = write.scope;
  const { id, ids, kept } = result;
  const { key, field, input } = request;
  const outcome = JSON.stringify({ id, ids, kept });
  const row = { organizationId, userId, key, field, inputHash: hashOf(input), outcome, lastSyncId };
  void write.trx.query(upsertOutcome({ ...row, createdAt: write.at }));
}

const KEY = ["organizationId", "userId", "key", "field"] as const;
const STORED = ["inputHash", "outcome", "lastSyncId", "createdAt"] as const;

const selectOutcome = compiled(
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

const upsertOutcome = compiled(
  "store-outcome",
  [...KEY, ...STORED],
  (row) => knex("idempotency").insert(row).onConflict(KEY).merge(STORED),
  { reads: [], writes: ["idempotency"] },
);

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
    const { organizationId } = write.scope;
    const claim = { organizationId, id: input.id, inputHash: hashOf({ entity, input }) };
    const claimed = await write.trx.query(claimId(claim));
    if (claimed.length > 0) return run(write, input);
    const table = write.model.get(entity)?.table;
    const same = knex("clientId").where(claim).select("organizationId", "id");
    const made = knex(`${table}`).whereIn(["organizationId", "id"], same);
    const [there] = await write.trx.query(toStatement(made.select("id")));
    if (!there) throw conflict(`id: ${input.id} is in use already; choose another id`, undefined, "id");
    return { id: input.id };
  };

const claimId = compiled(
  "claim-id",
  ["organizationId", "id", "inputHash"],
  (row) => knex("clientId").insert(row, "id").onConflict().ignore(),
  { reads: [], writes: ["clientId"] },
);

/** A hash of any JSON value; the order of members does not count. */
const hashOf = (value: unknown): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(value, (_, each) => (isObject(each) ? sorted(each) : each)))
    .digest();

const sorted = (value: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
