import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { LineBlame } from "../../cli/blame/blame.ts";
import { processNewEvents } from "../../server/jobs/mentions/new-events.ts";
import type { BlamedLine } from "../support/blamed/repository.ts";
import { RepositoryStory } from "../support/blamed/story.ts";
import { createAgentShell } from "../support/cli/cli.ts";
import { startSharedServer } from "../support/server.ts";
import { createWorkspace, type Workspace } from "../support/workspace.ts";

const REPOSITORIES = 10;

/** A blamed line with the expected result. Sessions are identified by the ids of their agents. */
interface Judged {
  place: string;
  truth: BlamedLine;
  writer: string | undefined;
  committer: string | undefined;
  by: LineBlame["by"];
}

/** Returns the lines for which blame names the wrong session. */
const wrongIn = (judged: readonly Judged[]): Judged[] =>
  judged.filter(
    ({ truth, writer, committer }) =>
      (writer !== undefined && writer !== truth.writer) || (committer !== undefined && committer !== truth.committer),
  );

/** Describes a judged line in a sentence. */
const told = ({ place, truth, writer, committer, by }: Judged): string =>
  `${place} "${truth.text}" ${truth.form}: ${writer} for ${truth.writer}, ${committer} for ${truth.committer}, by ${by}`;

async function externalIds(space: Workspace): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  for (let after: string | null = null; ; ) {
    const { recordedSessions } = await space.gql(
      "query ($after: String) { recordedSessions(first: 250, after: $after) { nodes { id externalId } pageInfo { hasNextPage endCursor } } }",
      { after },
    );
    for (const { id, externalId } of recordedSessions.nodes) ids.set(id, externalId ?? id);
    after = recordedSessions.pageInfo.endCursor;
    if (!recordedSessions.pageInfo.hasNextPage) return ids;
  }
}

describe("trackway blame in ten repositories with known authors", function () {
  this.timeout(480_000);
  const judged: Judged[] = [];
  const blamed: LineBlame[] = [];

  before(async () => {
    const space = await createWorkspace();
    const folder = mkdtempSync(join(tmpdir(), "trackway-blame-"));
    const shell = createAgentShell(space.url, space.apiKey);
    const stories = Array.from(
      { length: REPOSITORIES },
      (_, at) => new RepositoryStory(space, join(folder, `r${at}`), at + 1),
    );
    for (const story of stories) await story.tell();
    // A server derives the actions twice a minute. This call derives the actions of the latest sessions.
    await processNewEvents((await startSharedServer()).runtime.db);
    const ids = await externalIds(space);
    for (const { repository } of stories) {
      expect(repository.isTrue()).to.equal(true);
      for (const [path, lines] of repository.files) {
        const answer: LineBlame[] = (await shell.tells("blame", join(repository.folder, path))).lines;
        expect(answer.map(({ text }) => text)).to.deep.equal(lines.map(({ text }) => text));
        blamed.push(...answer);
        for (const [at, { written, committed, by }] of answer.entries())
          judged.push({
            place: `${repository.folder}/${path}:${at + 1}`,
            truth: lines[at] as BlamedLine,
            writer: written ? ids.get(written.session) : undefined,
            committer: committed ? ids.get(committed.session) : undefined,
            by,
          });
      }
    }
  });

  const of = (...forms: BlamedLine["form"][]) => judged.filter(({ truth }) => forms.includes(truth.form));
  const byAgents = (some: readonly Judged[]) =>
    some.filter(({ truth }) => truth.writer !== "hand" && truth.writer !== "bot");

  it("names no wrong session or committer", () => {
    expect(judged.length).to.be.at.least(200);
    expect(wrongIn(judged).map(told)).to.deep.equal([]);
    expect(judged.filter(({ writer, committer }) => writer ?? committer).length).to.be.at.least(200);
  });

  it("names the session for at least 90 % of lines whose commits are unchanged or rebased", () => {
    const known = byAgents(of("unchanged", "rebased"));
    const found = known.filter(({ truth, writer }) => writer === truth.writer);
    expect(known.length).to.be.at.least(100);
    expect(found.length / known.length, `${found.length} of ${known.length}`).to.be.at.least(0.9);
  });

  it("recognizes commits by id and patch, and lines of rewritten commits", () => {
    const ways = (some: readonly Judged[]) => [...new Set(byAgents(some).map(({ by }) => by))].sort();
    expect(ways(of("unchanged"))).to.deep.equal(["id"]);
    expect(ways(of("rebased"))).to.deep.equal(["patch"]);
    expect(ways(of("amended", "squashed")))
      .to.include("lines")
      .and.not.include.members(["id"]);
  });

  it("names no session for lines that a person or a bot wrote", () => {
    const others = of("by others").filter(({ truth }) => ["hand", "bot"].includes(truth.writer));
    expect(others.length).to.be.at.least(50);
    expect(others.filter(({ by }) => by !== null).map(told)).to.deep.equal([]);
  });

  it("returns the prompt and, if known, the cost", () => {
    const [line] = blamed.filter(({ written }) => written);
    expect(line?.written?.asked).to.match(/^Mend r\d+$/);
    expect(line?.written).to.include({ cost: null, costSource: "none" });
  });

  it("control: the measure detects a committer taken for the writer, and a wrong session", () => {
    const careless = judged.map((each) => ({ ...each, writer: each.writer ?? each.committer }));
    expect(wrongIn(careless).length).to.be.greaterThan(0);
    const writers = [...new Set(judged.flatMap(({ writer }) => writer ?? []))];
    const other = (writer: string) => writers[(writers.indexOf(writer) + 1) % writers.length];
    const named = judged.filter(({ writer }) => writer !== undefined);
    const mistaken = named.map((each) => ({ ...each, writer: other(each.writer ?? "") }));
    expect(wrongIn(mistaken)).to.have.length(named.length);
  });
});
