import { expect } from "chai";
import { inviteGuest } from "../support/members.ts";
import { sendGraphQL } from "../support/server.ts";
import { createWorkspace, performMutation, toRefusal, type Workspace } from "../support/workspace.ts";

const COMMENT = `comment { id body url editedAt resolvedAt resolvingUser { id } resolvingCommentId
  parentId issue { id } project { id } user { id } }`;
const commented = async ({ does }: Workspace, input: object) =>
  (await does("commentCreate", { input }, COMMENT)).comment;

describe("comments", () => {
  it("belong to an issue or a project, with a URL on its page", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const { project } = await space.does("projectCreate", { input: { name: "P", teamIds: ["ENG"] } }, "project { id }");
    const first = await commented(space, { issueId: "eng-1", body: "hello" });
    expect(first).to.deep.include({ issue: { id }, project: null, body: "hello", parentId: null });
    expect(first.url).to.match(new RegExp(`/issue/ENG-1/an-issue#comment-${first.id.slice(0, 8)}$`));
    expect((await commented(space, { projectId: project.id, body: "x" })).project).to.deep.equal(project);
  });

  it("are threaded one level deep: a reply to a reply joins the thread", async () => {
    const space = await createWorkspace();
    const { id } = await space.issue();
    const root = await commented(space, { issueId: id, body: "root" });
    const answer = await commented(space, { parentId: root.id, body: "answer" });
    const deeper = await commented(space, { parentId: answer.id, body: "deeper" });
    expect([answer, deeper].map(({ parentId, issue }) => [parentId, issue.id])).to.deep.equal([
      [root.id, id],
      [root.id, id],
    ]);
  });

  it("do not change their issue", async () => {
    const space = await createWorkspace();
    const { id, updatedAt } = await space.issue();
    const last = await space.last();
    await commented(space, { issueId: id, body: "hello" });
    expect((await space.log(last)).map(({ event }) => event)).to.deep.equal(["comment.created"]);
    expect((await space.read(id)).updatedAt).to.equal(updatedAt);
  });

  it("need a text, and either an issue or a project", async () => {
    const space = await createWorkspace();
    const one = await space.issue();
    await space.issue();
    const { id: parentId } = await commented(space, { issueId: one.id, body: "x" });
    const refused = async (input: object) => (await space.refuses("commentCreate", { input })).field;
    expect(await refused({ issueId: one.id, body: " \n" })).to.equal("input.body");
    expect(await refused({ issueId: one.id })).to.equal("input.body");
    expect(await refused({ body: "x" })).to.equal("issueId");
    expect(await refused({ body: "x", issueId: "ENG-2", parentId })).to.equal("parentId");
  });

  it("are changed and deleted only by their author, not even by an owner", async () => {
    const space = await createWorkspace();
    const { id: issueId } = await space.issue();
    const member = await inviteGuest(space);
    const asMember = {
      graphql: (query: string, variables?: Record<string, unknown>) =>
        sendGraphQL(space.url, `Bearer ${member.accessToken}`, { query, variables }),
    };
    const reply = await performMutation(asMember, "commentCreate", { input: { issueId, body: "mine" } }, COMMENT);
    const { id } = reply.data.commentCreate.comment;
    for (const [mutation, args] of [
      ["commentUpdate", { id, input: { body: "x" } }],
      ["commentDelete", { id }],
    ] as const) {
      expect((await space.refuses(mutation, args)).code).to.equal("FORBIDDEN");
    }
    expect(toRefusal.length).to.equal(1);
    expect((await performMutation(asMember, "commentDelete", { id })).data.commentDelete.success).to.equal(true);
  });

  it("store the time of an edit, unless the edit asks not to", async () => {
    const space = await createWorkspace();
    await space.issue();
    const { id } = await commented(space, { issueId: "ENG-1", body: "old" });
    const edit = async (body: string, skipEditedAt: boolean) =>
      (await space.does("commentUpdate", { id, input: { body }, skipEditedAt }, COMMENT)).comment;
    expect(await edit("new", true)).to.include({ body: "new", editedAt: null });
    expect((await edit("newer", false)).editedAt).to.be.a("string");
  });

  it("are deleted with their replies, each with a change in the log", async () => {
    const space = await createWorkspace();
    await space.issue();
    const root = await commented(space, { issueId: "ENG-1", body: "root" });
    await commented(space, { parentId: root.id, body: "answer" });
    const last = await space.last();
    await space.does("commentDelete", { id: root.id });
    const told = (await space.log(last)).map(({ event, action, data }) => `${event} ${action} ${data.body}`);
    expect(told).to.deep.equal(["comment.deleted remove answer", "comment.deleted remove root"]);
    expect((await space.gql("{ comments { nodes { id } } }")).comments.nodes).to.deep.equal([]);
  });

  it("are resolved as a thread, optionally by a reply, and reopened", async () => {
    const space = await createWorkspace();
    await space.issue();
    const root = await commented(space, { issueId: "ENG-1", body: "root" });
    const answer = await commented(space, { parentId: root.id, body: "answer" });
    const args = { id: answer.id, resolvingCommentId: answer.id };
    const { comment } = await space.does("commentResolve", args, COMMENT);
    expect(comment).to.deep.include({ id: root.id, resolvingUser: root.user, resolvingCommentId: answer.id });
    const opened = (await space.does("commentUnresolve", { id: root.id }, COMMENT)).comment;
    expect(opened).to.deep.include({ resolvedAt: null, resolvingUser: null, resolvingCommentId: null });
  });
});
