/** The text of a GraphQL document, which knows what it answers and what it takes. */
export type Document<Result, Variables> = string & { readonly __types?: (variables: Variables) => Result };

/** Gives a text the types of its answer and its variables. */
export const document = <Result, Variables>(text: string): Document<Result, Variables> => text;
