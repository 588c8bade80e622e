import type { Migration } from "./index.ts";

/** What a comment's removal looks for: the thread that it resolved. */
export const resolvingComment: Migration = {
  id: "0007-resolving-comment",
  statements: [
    `create index if not exists comment_resolving on comment ("organizationId", "resolvingCommentId")
      where "resolvingCommentId" is not null`,
  ],
};
