/** Text of a GraphQL document, typed with the document's result and variables. */
export type GraphQLDocument<Result, Variables> = string & { readonly __types?: (variables: Variables) => Result };

/** Adds the TypeScript types of the result and the variables to the text of a GraphQL document. */
export const toGraphQLDocument = <Result, Variables>(text: string): GraphQLDocument<Result, Variables> => text;
