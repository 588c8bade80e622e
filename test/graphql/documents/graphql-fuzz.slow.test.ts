import { setTimeout } from "node:timers/promises";
import { expect } from "chai";
import fc from "fast-check";
import { getNamedType, getNullableType, isInputObjectType, isLeafType, isListType } from "graphql";
import { isConstant } from "../../../server/graphql/document/constant.ts";
import { combinedSchema } from "../../../server/graphql/schema.ts";
import { MUTATION_SAMPLES } from "../../support/graphql/mutations.ts";
import {
  buildDocument,
  buildPlaceArguments,
  type InputPlace,
  type InputPosition,
  replaceValue,
} from "../../support/graphql/places.ts";
import { sample, scaleRuns } from "../../support/run/runs.ts";
import { sendGraphQL } from "../../support/server.ts";
import { createWorkspace, type Workspace } from "../../support/workspace.ts";

const NOBODY = "01980000-0000-7000-8000-000000000000";
const LONG = "x".repeat(1_000_000);
/** Texts that are difficult for PostgreSQL, JSON, LIKE or human readers. */
const TEXTS = [
  ...[
    "",
    " ",
    "\0",
    "a\0b",
    "\ud800",
    "a\udfff",
    "\ud83d\ude00",
    "\u202eabc\u202c",
    "\ufeff",
    "\uffff",
    "%",
    "_",
    "\\",
  ],
  ...["'", '"', "$1", "null", "ENG-1", "ENG-99999999999999999999", "ENG-\0", NOBODY, `${NOBODY}0`, "0", "-1", "P9999Y"],
  ...[
    "-P31D",
    "PT99999999S",
    "infinity",
    "-infinity",
    "now",
    "0000-01-01",
    "9999-12-31T23:59:59.999Z",
    "+010000-01-01",
  ],
  ...["2026-02-30", "__proto__", "constructor", "e\u0301\u0301\u0301", "x".repeat(3_000)],
];
/** Limits of the range of times, and values that round beyond the limits. */
const MOMENTS = [
  "0001-01-01",
  "0000-01-01",
  "9999-12-31T23:59:59.999Z",
  "9999-12-31",
  "-P9999Y",
  "P7900Y",
  "PT99999999S",
];
const NUMBERS = [
  0,
  -1,
  -0,
  1.5,
  250,
  251,
  2 ** 31 - 1,
  2 ** 31,
  -(2 ** 31),
  2 ** 53,
  -(2 ** 53),
  1e21,
  1e308,
  5e-324,
  9e15,
];
const OTHERS = [true, false, null, [], {}, [null], [[]], { a: { b: { c: {} } } }, { __proto__: null, eq: null }];
const hostile = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 20 }) },
  { weight: 3, arbitrary: fc.constantFrom(...NUMBERS) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(...OTHERS) },
);

const placesIn = (kind: InputPlace["kind"]): InputPlace[] =>
  Object.values(
    (kind === "query" ? combinedSchema.getQueryType() : combinedSchema.getMutationType())?.getFields() ?? {},
  )
    .filter((field) => !isConstant(field))
    .flatMap((field) => field.args.flatMap((arg) => below(kind, field.name, arg, [], 3)));

/** Returns the place of an argument and the places in the argument's value; filters are nested to a limited depth. */
function below(
  kind: InputPlace["kind"],
  root: string,
  field: InputPosition,
  above: string[],
  depth: number,
): InputPlace[] {
  const path = [...above, field.name];
  const type = getNamedType(field.type);
  const within = isInputObjectType(type) && depth > 0 ? Object.values(type.getFields()) : [];
  return [
    { kind, root, path, type: field.type },
    ...within.flatMap((each) => below(kind, root, each, path, depth - 1)),
  ];
}

const QUERIES = placesIn("query");
const MUTATIONS = placesIn("mutation");
const SEED = Number(process.env["FUZZ_SEED"] ?? Date.now() % 2 ** 31);
const CASES = scaleRuns(2_000);
const TOGETHER = 8;

describe("fuzzing /graphql", () => {
  let space: Workspace;
  before(async () => {
    space = await createWorkspace();
    await space.issue();
  });

  /** @throws if a response blames the server for a case */
  async function judge(about: string, body: { query: string; variables?: Record<string, unknown> }): Promise<void> {
    let reply = await sendGraphQL(space.url, space.apiKey, body);
    // A machine under load may be busy, whereas a faulty input fails again.
    for (let tries = 1; reply.status === 503 && tries <= 3; tries += 1) {
      await setTimeout(tries * 1_000);
      reply = await sendGraphQL(space.url, space.apiKey, body);
    }
    const codes = (reply.errors ?? []).map(({ extensions }) => extensions?.code);
    if (reply.status < 500 && codes.every((code) => typeof code === "string" && !/INTERNAL|UNAVAILABLE/.test(code)))
      return;
    throw new Error(`${about}: ${reply.status} ${codes} for ${JSON.stringify(body).slice(0, 600)}`);
  }

  it(`causes no server error with ${CASES} values in every place, seed ${SEED}`, async () => {
    const values = fc.sample(fc.tuple(hostile, fc.boolean(), fc.nat()), { seed: SEED, numRuns: CASES });
    const failures: string[] = [];
    let next = 0;
    const worker = async () => {
      for (let n = next++; n < CASES && failures.length < 20; n = next++) {
        const [value, inline, at] = values[n] ?? [null, false, 0];
        const places = n % 2 === 0 ? QUERIES : MUTATIONS;
        const place = places[at % places.length] as InputPlace;
        const body = buildDocument(place, buildPlaceArguments(space, place, value), inline === true);
        await judge(`FUZZ_SEED=${SEED} case ${n}, ${place.root} ${place.path.join(".")}`, body).catch((error) =>
          failures.push(error.message),
        );
      }
    };
    await Promise.all(Array.from({ length: TOGETHER }, worker));
    expect(failures).to.deep.equal([]);
  });

  it("causes no server error with the first and last times in every time argument", async () => {
    const places = [...QUERIES, ...MUTATIONS].filter(
      ({ path, type }) => /^DateTime/.test(String(getNamedType(type))) && !path.includes("and") && !path.includes("or"),
    );
    expect(places.map(({ root, path }) => [root, ...path].join("."))).to.include("recordedUsage.to");
    const tried = places
      .filter(({ kind, path }) => kind === "mutation" || path.length < 3)
      .flatMap((place) => MOMENTS.map((moment) => [place, moment] as const));
    const failures: string[] = [];
    for (let from = 0; from < tried.length; from += TOGETHER)
      await Promise.all(
        tried
          .slice(from, from + TOGETHER)
          .map(([place, moment]) =>
            judge(
              `${moment} ${place.root} ${place.path.join(".")}`,
              buildDocument(place, buildPlaceArguments(space, place, moment), false),
            ).catch((error) => failures.push(error.message)),
          ),
      );
    expect(tried.length).to.be.greaterThan(400);
    expect(failures).to.deep.equal([]);
  });

  it("gives an error with the input's name for an empty text as the id of a mutation", async () => {
    const places = MUTATIONS.filter(({ path, type }) => {
      return /(^id|Ids?)$/.test(path.at(-1) ?? "") && isLeafType(getNamedType(type));
    });
    expect(places.map(({ root, path }) => [root, ...path].join("."))).to.include(
      "issueBatchCreate.input.issues.teamId",
    );
    const wrong: string[] = [];
    for (const place of places) {
      const value = isListType(getNullableType(place.type)) ? [""] : "";
      const args = replaceValue({ ...(await MUTATION_SAMPLES[place.root]?.(space)) }, place.path, value);
      const { errors = [] } = await sendGraphQL(space.url, space.apiKey, buildDocument(place, args, false));
      const code = String(errors[0]?.extensions.code);
      const named = JSON.stringify(errors[0] ?? {}).includes(place.path.at(-1)?.replace(/s$/, "") ?? "");
      if (!named || !/^(INVALID_INPUT|INPUT_ERROR|NOT_FOUND)$/.test(code))
        wrong.push(`${place.root} ${place.path.join(".")}: ${code} ${errors[0]?.message}`);
    }
    expect(wrong).to.deep.equal([]);
  });

  it("causes no server error with 1 MB of text in every argument of a root field", async () => {
    const roots = [...QUERIES, ...MUTATIONS].filter(
      ({ path, type }) => path.length === 1 && /^(String|ID|UUID|DateTime)/.test(String(type)),
    );
    for (const place of sample(roots))
      await judge(place.root, buildDocument(place, buildPlaceArguments(space, place, LONG), false));
  });

  it("gives an error for subscriptions that says where to follow changes", async () => {
    for (const query of ["subscription { x }", "subscription S { issues { id } }", "subscription { __typename }"]) {
      const reply = await sendGraphQL(space.url, space.apiKey, { query });
      expect(reply.status).to.equal(200);
      expect(reply.errors?.[0]?.extensions.code).to.equal("GRAPHQL_VALIDATION_FAILED");
      expect(reply.errors?.[0]?.message).to.include("docs/realtime.md");
    }
  });
});
