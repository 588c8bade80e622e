export const SECRET = "a secret of the benches, long enough to be one";
