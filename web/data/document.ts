/** Text of a GraphQL document, typed with the document's result and variables. */
export type Document<Result, Variables> = string & { readonly __types?: (variables: Variables) => Result };

/** Types a text with the result and the variables of a GraphQL document. */
export const toDocument = <Result, Variables>(text: string): Document<Result, Variables> => text;
