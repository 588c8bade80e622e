import { readdirSync, readFileSync } from "node:fs";
import { expect } from "chai";
import fc from "fast-check";
import { postHook, readSession, type Shown, treeOf } from "./support/observed-sessions.ts";
import { freshOrganization, type Tenant } from "./support/server.ts";

/** Everything that was captured of one run of an agent: its hooks, its logs, its spans. */
interface Run {
  agent: string;
  bodies: string[];
  totals: object;
  calls: number;
}

const RUNS: Run[] = [
  {
    agent: "claude-code",
    bodies: ["01", "02", "04", "05", "06", "07", "08", "09", "13"]
      .map((start) => file("agents/claude", start))
      .concat(file("otlp/claude", "10"), file("otlp/claude", "11")),
    totals: { events: 5, failures: 1, turns: 1, toolCalls: 2, inputTokens: 2401, outputTokens: 101, cost: 0.02228 },
    calls: 2,
  },
  {
    agent: "codex",
    bodies: ["01", "02", "03", "04", "05", "06", "07", "08"]
      .map((start) => file("agents/codex", start))
      .concat(["09", "10", "11", "12"].map((start) => file("otlp/codex", start))),
    totals: { events: 5, failures: 1, turns: 1, toolCalls: 2, inputTokens: 2401, outputTokens: 101, cost: 0 },
    calls: 2,
  },
  {
    agent: "gemini-cli",
    bodies: ["01", "02", "07", "08", "09", "10", "11", "12"]
      .map((start) => file("agents/gemini", start))
      .concat(["13", "14"].map((start) => file("otlp/gemini", start))),
    totals: { events: 5, failures: 1, turns: 1, toolCalls: 2, inputTokens: 2401, outputTokens: 101, cost: 0 },
    calls: 2,
  },
];

function file(folder: string, start: string): string {
  const at = new URL(`fixtures/${folder}/`, import.meta.url);
  const name = readdirSync(at).find((each) => each.startsWith(`${start}-`) && each.endsWith(".json"));
  if (!name) throw new Error(`no fixture ${start} in ${folder}`);
  return `${folder}/${name}`;
}

async function post(tenant: Tenant, agent: string, path: string): Promise<void> {
  const body = readFileSync(new URL(`fixtures/${path}`, import.meta.url), "utf8");
  if (path.startsWith("agents/")) {
    expect((await postHook(tenant, agent, body)).status).to.equal(204);
    return;
  }
  const { url, ingestKey } = tenant;
  const response = await fetch(`${url}/v1/${isLog(path) ? "logs" : "traces"}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", "x-api-key": ingestKey },
    body,
  });
  expect([response.status, await response.json()]).to.deep.equal([200, {}]);
}

async function played(agent: string, paths: readonly string[]) {
  const tenant = await freshOrganization();
  for (const path of paths) await post(tenant, agent, path);
  const { recordedSessions } = await tenant.gql("{ recordedSessions { nodes { id } } }");
  if (recordedSessions.nodes.length === 0) return { tree: [], totals: {} };
  const session = await readSession(tenant);
  return { tree: treeOf(session), totals: session.totals };
}

/**
 * Hooks tell no time of their own. Where the end of a turn or session arrives before its beginning does, and no log says
 * when either was, the end may as well be that of what was before: whether the beginning is still open, or its calls are
 * lost, cannot be decided from what was told. So openness is not compared; what a source told of the outcome is.
 */
const settled = (tree: readonly Shown[]): unknown[] =>
  tree.map(({ open, failed, result, under, ...rest }) => {
    const isLost = open || failed?.includes("reported no end");
    // A closed turn without a reply shows its last model call's, which is compared there.
    const isShown = rest.kind === "turn" && under?.some((each) => each.kind === "llm" && each.result === result);
    return {
      ...rest,
      ...(!isLost && failed !== undefined && { failed }),
      ...(!isLost && !isShown && result !== undefined && { result }),
      ...(under && { under: settled(under) }),
    };
  });

const count = (tree: readonly Shown[], kind: string): number =>
  tree.reduce((sum, each) => sum + Number(each.kind === kind) + count(each.under ?? [], kind), 0);

/** The body in which a log names a trace and its turn. */
const NAMES_BOTH: Record<string, string> = { "claude-code": "11-otlp-logs", codex: "10-otlp-logs-2" };
const isLog = (path: string) => path.includes("logs");

const orderOf = (paths: readonly string[]) =>
  fc.shuffledSubarray([...paths], { minLength: paths.length, maxLength: paths.length });

for (const { agent, bodies, totals, calls } of RUNS) {
  describe(`hooks and telemetry of one run of ${agent}`, () => {
    it("meet in one event each, three times over, in any order", async () => {
      const [first] = [await played(agent, bodies)];
      expect(first.totals).to.deep.include(totals);
      expect(first.tree).to.have.length(1);
      await fc.assert(
        fc.asyncProperty(orderOf([...bodies, ...bodies, ...bodies]), async (order) => {
          const { tree, totals: counted } = await played(agent, order);
          expect(tree).to.deep.equal(first.tree);
          expect(counted).to.deep.equal(first.totals);
        }),
        { numRuns: 4 },
      );
    }).timeout(120_000);

    it("with parts missing come to the same in any order, and nothing is double", async () => {
      const some = fc
        .subarray(bodies, { minLength: 1 })
        .chain((part) => fc.tuple(fc.constant(part), orderOf([...part, ...part])));
      await fc.assert(
        fc.asyncProperty(some, async ([part, order]) => {
          const [one, other] = [await played(agent, part), await played(agent, order)];
          expect(settled(other.tree)).to.deep.equal(settled(one.tree));
          // Where no log names both a trace and its turn, what is told under the trace stands by itself.
          const isApart =
            NAMES_BOTH[agent] !== undefined && !part.some((path) => path.includes(NAMES_BOTH[agent] ?? ""));
          const { turns = 0, toolCalls = 0, inputTokens = 0 } = other.totals as Record<string, number>;
          expect([turns, toolCalls]).to.deep.equal([count(other.tree, "turn"), count(other.tree, "tool")]);
          expect([turns <= (isApart ? 2 : 1), toolCalls <= calls, inputTokens]).to.deep.equal([
            true,
            true,
            (one.totals as Record<string, number>)["inputTokens"] ?? 0,
          ]);
        }),
        { numRuns: 8 },
      );
    }).timeout(120_000);
  });
}
