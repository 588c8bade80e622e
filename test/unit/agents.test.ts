import { expect } from "chai";
import { agents, findAgent } from "../../server/agents/index.ts";

describe("the declaration of an agent", () => {
  it("has the same name as its hooks, transcripts and telemetry", () => {
    for (const { name, otherNames = [], hooks, transcript, telemetry } of agents) {
      const sources = [hooks, transcript, telemetry].flatMap((part) => part?.source ?? []);
      expect(new Set([name, ...sources]), name).to.deep.equal(new Set([name]));
      expect([name, ...otherNames].map((each) => findAgent(each)?.name)).to.deep.equal(
        [name, ...otherNames].map(() => name),
      );
    }
  });
});
