import { NAMES, NAMES_VARIABLES } from "./names.ts";

/** The document of list_projects. */
export const PROJECT = {
  list: `query ListProjects($filter: ProjectFilter, $first: Int, $after: String, ${NAMES_VARIABLES}) {
  projects(filter: $filter, first: $first, after: $after) {
    edges {
      cursor
      node { name description state progress targetDate lead { name } teams(first: 10) { nodes { key } } }
    }
    pageInfo { hasNextPage }
  }
  ...Names
}
${NAMES}`,
} as const;
