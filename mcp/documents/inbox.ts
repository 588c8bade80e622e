/** The document of the tool about the inbox. */
export const INBOX = {
  list: `query ListInbox($first: Int, $after: String) {
  inbox(first: $first, after: $after) {
    edges { cursor node {
      id type createdAt question
      session { id source clientConfig metadata } event { id }
      issue { identifier } failureGroup { id } comment { id user { name } } holder { name }
    } }
    pageInfo { hasNextPage }
  }
}`,
} as const;
