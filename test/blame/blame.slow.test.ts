import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "chai";
import type { Blamed } from "../../cli/blame/blame.ts";
import { readNewEvents } from "../../server/jobs/mentions/new-events.ts";
import type { Line } from "../support/blamed/repository.ts";
import { Story } from "../support/blamed/story.ts";
import { shellOf } from "../support/cli/cli.ts";
import { sharedServer } from "../support/server.ts";
import { freshWorkspace, type Workspace } from "../support/workspace.ts";

const REPOSITORIES = 10;

/** A line as it was blamed, beside the truth about it. Sessions go by the ids that their agents gave them. */
interface Judged {
  place: string;
  truth: Line;
  writer: string | undefined;
  committer: string | undefined;
  by: Blamed["by"];
}

/** Lines of which somebody is named who did not do it. */
const wrongIn = (judged: readonly Judged[]): Judged[] =>
  judged.filter(
    ({ truth, writer, committer }) =>
      (writer !== undefined && writer !== truth.writer) || (committer !== undefined && committer !== truth.committer),
  );

/** A judged line in a sentence. */
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

describe("trackway blame, over ten repositories of known truth", function () {
  this.timeout(480_000);
  const judged: Judged[] = [];
  const blamed: Blamed[] = [];

  before(async () => {
    const space = await freshWorkspace();
    const folder = mkdtempSync(join(tmpdir(), "trackway-blame-"));
    const shell = shellOf(space.url, space.apiKey);
    const stories = Array.from({ length: REPOSITORIES }, (_, at) => new Story(space, join(folder, `r${at}`), at + 1));
    for (const story of stories) await story.tell();
    // A server does so twice a minute; a read derives what the latest sessions did.
    await readNewEvents((await sharedServer()).runtime.db);
    const ids = await externalIds(space);
    for (const { repository } of stories) {
      expect(repository.isTrue()).to.equal(true);
      for (const [path, lines] of repository.files) {
        const answer: Blamed[] = (await shell.tells("blame", join(repository.folder, path))).lines;
        expect(answer.map(({ text }) => text)).to.deep.equal(lines.map(({ text }) => text));
        blamed.push(...answer);
        for (const [at, { written, committed, by }] of answer.entries())
          judged.push({
            place: `${repository.folder}/${path}:${at + 1}`,
            truth: lines[at] as Line,
            writer: written ? ids.get(written.session) : undefined,
            committer: committed ? ids.get(committed.session) : undefined,
            by,
          });
      }
    }
  });

  const of = (...forms: Line["form"][]) => judged.filter(({ truth }) => forms.includes(truth.form));
  const byAgents = (some: readonly Judged[]) =>
    some.filter(({ truth }) => truth.writer !== "hand" && truth.writer !== "bot");

  it("names nobody who did not do it", () => {
    expect(judged.length).to.be.at.least(200);
    expect(wrongIn(judged).map(told)).to.deep.equal([]);
    expect(judged.filter(({ writer, committer }) => writer ?? committer).length).to.be.at.least(200);
  });

  it("names at least nine in ten of those whose commits are unchanged or rebased", () => {
    const known = byAgents(of("unchanged", "rebased"));
    const found = known.filter(({ truth, writer }) => writer === truth.writer);
    expect(known.length).to.be.at.least(100);
    expect(found.length / known.length, `${found.length} of ${known.length}`).to.be.at.least(0.9);
  });

  it("knows commits by their ids and patches, and lines of commits that became others", () => {
    const ways = (some: readonly Judged[]) => [...new Set(byAgents(some).map(({ by }) => by))].sort();
    expect(ways(of("unchanged"))).to.deep.equal(["id"]);
    expect(ways(of("rebased"))).to.deep.equal(["patch"]);
    expect(ways(of("amended", "squashed")))
      .to.include("lines")
      .and.not.include.members(["id"]);
  });

  it("names nobody for what a person or a bot committed that no agent wrote", () => {
    const others = of("by others").filter(({ truth }) => ["hand", "bot"].includes(truth.writer));
    expect(others.length).to.be.at.least(50);
    expect(others.filter(({ by }) => by !== null).map(told)).to.deep.equal([]);
  });

  it("says what was asked, and what it cost as far as that is known", () => {
    const [line] = blamed.filter(({ written }) => written);
    expect(line?.written?.asked).to.match(/^Mend r\d+$/);
    expect(line?.written).to.include({ cost: null, costSource: "none" });
  });

  it("would be found out by this measure if it took who committed a line for who wrote it, or any session for another", () => {
    const careless = judged.map((each) => ({ ...each, writer: each.writer ?? each.committer }));
    expect(wrongIn(careless).length).to.be.greaterThan(0);
    const writers = [...new Set(judged.flatMap(({ writer }) => writer ?? []))];
    const other = (writer: string) => writers[(writers.indexOf(writer) + 1) % writers.length];
    const named = judged.filter(({ writer }) => writer !== undefined);
    const mistaken = named.map((each) => ({ ...each, writer: other(each.writer ?? "") }));
    expect(wrongIn(mistaken)).to.have.length(named.length);
  });
});
