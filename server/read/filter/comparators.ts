/** SQL of one comparison. */
interface Comparator {
  sql(value: string, operand: string): string;
  /** Turns a text operand into a LIKE pattern. */
  pattern?(text: string): string;
}

const like = (text: string) => text.replace(/[\\%_]/g, "\\$&");
const within = (text: string) => `%${like(text)}%`;

/** Every comparator by its name in filters; `null`, `and` and `or` are none. */
export const COMPARATORS: Record<string, Comparator> = {
  eq: { sql: (value, operand) => `${value} = ${operand}` },
  neq: { sql: (value, operand) => `${value} is distinct from ${operand}` },
  in: { sql: (value, operand) => `${value} = any(${operand})` },
  nin: { sql: (value, operand) => `(${value} is null or ${value} <> all(${operand}))` },
  lt: { sql: (value, operand) => `${value} < ${operand}` },
  lte: { sql: (value, operand) => `${value} <= ${operand}` },
  gt: { sql: (value, operand) => `${value} > ${operand}` },
  gte: { sql: (value, operand) => `${value} >= ${operand}` },
  eqIgnoreCase: { sql: (value, operand) => `lower(${value}) = lower(${operand})` },
  neqIgnoreCase: { sql: (value, operand) => `lower(${value}) is distinct from lower(${operand})` },
  contains: { sql: (value, operand) => `${value} like ${operand}`, pattern: within },
  notContains: { sql: (value, operand) => `(${value} like ${operand}) is not true`, pattern: within },
  containsIgnoreCase: { sql: (value, operand) => `${value} ilike ${operand}`, pattern: within },
  notContainsIgnoreCase: { sql: (value, operand) => `(${value} ilike ${operand}) is not true`, pattern: within },
  startsWith: { sql: (value, operand) => `${value} like ${operand}`, pattern: (text) => `${like(text)}%` },
  startsWithIgnoreCase: { sql: (value, operand) => `${value} ilike ${operand}`, pattern: (text) => `${like(text)}%` },
  notStartsWith: {
    sql: (value, operand) => `(${value} like ${operand}) is not true`,
    pattern: (text) => `${like(text)}%`,
  },
  endsWith: { sql: (value, operand) => `${value} like ${operand}`, pattern: (text) => `%${like(text)}` },
  notEndsWith: {
    sql: (value, operand) => `(${value} like ${operand}) is not true`,
    pattern: (text) => `%${like(text)}`,
  },
};
