/** The secret that the servers of benches sign with. */
export const SECRET = "a secret of the benches, long enough to be one";
