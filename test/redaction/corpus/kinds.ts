import { ALNUM, BASE32, BASE64, DIGITS, HEX, LOWER, type Random, UPPER, WORD } from "./random.ts";

/** A kind of planted secret. A seeded generator makes all values, so no value is a real credential. */
export interface Kind {
  name: string;
  make(random: Random): string;
  /** Variable names of the secret, for a value that only the name before the value reveals. */
  names?: readonly string[];
  /** Returns a text with a form of its own, such as a header. `parts` contains the secret parts. */
  form?(random: Random, value: string): { text: string; parts: string[] };
}

const base64 = (text: string) => Buffer.from(text).toString("base64");
const base64url = (text: string) => Buffer.from(text).toString("base64url");
const token = (name: string, ...spelled: ((random: Random) => string)[]): Kind => ({
  name,
  make: (random) => random.pick(spelled)(random),
});
/** Returns a password as people and generators create passwords, with a digit. */
const password = (random: Random) =>
  random.chars(ALNUM, 4) +
  random.pick(["!", "#", "%", "-", "_", "*", ""]) +
  random.chars(DIGITS, 2) +
  random.chars(ALNUM, 7);
const plain = (random: Random) => random.chars(ALNUM, 5) + random.chars(DIGITS, 1) + random.chars(ALNUM, 9);

const jwt = (random: Random) => {
  const head = base64url(JSON.stringify({ alg: random.pick(["HS256", "RS256", "ES256"]), typ: "JWT" }));
  const body = base64url(
    JSON.stringify({ sub: random.chars(DIGITS, 8), iat: 1700000000 + random.below(9e7), scope: "all" }),
  );
  return `${head}.${body}.${random.chars(WORD.replace("-", ""), random.pick([43, 86]))}`;
};

const pem = (random: Random) => {
  const label = random.pick([
    "RSA PRIVATE KEY",
    "PRIVATE KEY",
    "EC PRIVATE KEY",
    "OPENSSH PRIVATE KEY",
    "ENCRYPTED PRIVATE KEY",
  ]);
  const lines = Array.from({ length: 4 + random.below(20) }, () => random.chars(BASE64, 64));
  return [`-----BEGIN ${label}-----`, ...lines, `${random.chars(BASE64, 30)}==`, `-----END ${label}-----`].join("\n");
};

const url = (name: string, schemes: readonly string[], host: string): Kind => ({
  name,
  make: plain,
  form(random, value) {
    const user = random.pick(["app", "admin", "svc_orders", "root"]);
    return { text: `${random.pick(schemes)}://${user}:${value}@${host}`, parts: [value] };
  },
});

const header = (name: string, make: Kind["make"], form: (random: Random, value: string) => string): Kind => ({
  name,
  make,
  form: (random, value) => ({ text: form(random, value), parts: [value] }),
});

/** The thirty kinds for which rules may be tuned. */
const OPEN: readonly Kind[] = [
  token("aws-access-key", (r) => random4(r, ["AKIA", "ASIA"]) + r.chars(BASE32, 16)),
  {
    name: "aws-secret-key",
    make: (r) => r.chars(BASE64, 40),
    names: ["AWS_SECRET_ACCESS_KEY", "aws_secret_access_key", "SecretAccessKey"],
  },
  token("gcp-api-key", (r) => `AIza${r.chars(WORD, 34)}${r.chars(ALNUM, 1)}`),
  token("google-oauth-token", (r) => `ya29.${r.chars(WORD, 80 + r.below(60))}${r.chars(ALNUM, 1)}`),
  token("google-client-secret", (r) => `GOCSPX-${r.chars(WORD, 27)}${r.chars(ALNUM, 1)}`),
  { name: "azure-storage-key", make: (r) => `${r.chars(BASE64, 86)}==`, names: ["AccountKey", "AZURE_STORAGE_KEY"] },
  token("azure-client-secret", (r) => `${r.chars(ALNUM, 3)}${r.chars(DIGITS, 1)}Q~${r.chars(ALNUM, 34)}`),
  token(
    "github-token",
    ...["ghp", "gho", "ghu", "ghs", "ghr"].map((kind) => (r: Random) => `${kind}_${r.chars(ALNUM, 36)}`),
  ),
  token("github-fine-grained", (r) => `github_pat_${r.chars(ALNUM, 22)}_${r.chars(ALNUM, 59)}`),
  token(
    "gitlab-token",
    (r) => `glpat-${r.chars(ALNUM, 20)}`,
    (r) => `glrt-${r.chars(ALNUM, 20)}`,
  ),
  token("npm-token", (r) => `npm_${r.chars(ALNUM, 36)}`),
  token("pypi-token", (r) => `pypi-AgEIcHlwaS5vcmc${r.chars(WORD, 70 + r.below(80))}${r.chars(ALNUM, 1)}`),
  token(
    "slack-token",
    (r) => `xox${r.pick(["b", "p", "a"])}-${r.chars(DIGITS, 12)}-${r.chars(DIGITS, 12)}-${r.chars(ALNUM, 24)}`,
  ),
  header(
    "slack-webhook",
    (r) => `T${r.chars(UPPER + DIGITS, 8)}/B${r.chars(UPPER + DIGITS, 8)}/${r.chars(ALNUM, 24)}`,
    (_, value) => `https://hooks.slack.com/services/${value}`,
  ),
  token("stripe-key", (r) => `${r.pick(["sk", "rk"])}_${r.pick(["live", "test"])}_${r.chars(ALNUM, r.pick([24, 99]))}`),
  token("webhook-secret", (r) => `whsec_${r.chars(ALNUM, 32)}`),
  token(
    "openai-key",
    (r) => `sk-proj-${r.chars(WORD, 74)}T3BlbkFJ${r.chars(WORD, 73)}${r.chars(ALNUM, 1)}`,
    (r) => `sk-${r.chars(ALNUM, 20)}T3BlbkFJ${r.chars(ALNUM, 20)}`,
  ),
  token("anthropic-key", (r) => `sk-ant-api03-${r.chars(WORD, 93)}AA`),
  token("jwt", jwt),
  token("private-key", pem),
  url("postgres-url", ["postgres", "postgresql", "mysql"], "db.internal:5432/orders?sslmode=require"),
  url("mongodb-url", ["mongodb+srv", "amqps", "redis"], "cluster0.example.net/app"),
  url("git-url", ["https", "http"], "git.example.com/team/repo.git"),
  header(
    "bearer",
    (r) => r.chars(ALNUM, 32 + r.below(20)),
    (r, value) => `${r.pick(["Authorization", "authorization"])}: Bearer ${value}`,
  ),
  header(
    "basic",
    (r) => base64(`${r.pick(["ci", "deploy"])}:${password(r)}`),
    (_, value) => `Authorization: Basic ${value}`,
  ),
  header(
    "cookie",
    (r) => r.chars(ALNUM, 40),
    (r, value) =>
      `${r.pick(["Cookie", "Set-Cookie", "cookie"])}: ${r.pick(["sessionid", "connect.sid", "sid"])}=${value}`,
  ),
  {
    name: "env-password",
    make: password,
    names: ["DB_PASSWORD", "POSTGRES_PASSWORD", "SMTP_PASS", "password", "db_password"],
  },
  {
    name: "env-secret",
    make: plain,
    names: ["CLIENT_SECRET", "SESSION_SECRET", "SERVICE_API_KEY", "DEPLOY_TOKEN", "api_key", "client_secret"],
  },
  token(
    "trackway-key",
    (r) => `trk_${r.pick(["api", "oauth"])}_${r.chars(HEX, r.pick([40, 64]))}`,
    (r) => `sk_${r.chars(HEX, 64)}`,
  ),
  { name: "docker-auth", make: (r) => base64(`${r.chars(LOWER, 6)}:${password(r)}`), names: ["auth", "_auth"] },
];

/** Held out: rules must not be tuned on the results for these kinds. */
const HELD_OUT_KINDS: readonly Kind[] = [
  token("shopify-token", (r) => `shp${r.pick(["at", "ca", "pa", "ss"])}_${r.chars(HEX, 32)}`),
  token("databricks-token", (r) => `dapi${r.chars(HEX, 32)}`),
  token("vault-token", (r) => `hvs.${r.chars(ALNUM, 90 + r.below(20))}`),
  token("digitalocean-token", (r) => `do${r.pick(["p", "o", "r"])}_v1_${r.chars(HEX, 64)}`),
  token("linear-key", (r) => `lin_api_${r.chars(ALNUM, 40)}`),
  token("age-key", (r) => `AGE-SECRET-KEY-1${r.chars("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)}`),
  token("sendgrid-key", (r) => `SG.${r.chars(ALNUM, 22)}.${r.chars(ALNUM, 43)}`),
  token("grafana-token", (r) => `glsa_${r.chars(ALNUM, 32)}_${r.chars(HEX, 8)}`),
  token("huggingface-token", (r) => `hf_${r.chars(LOWER + UPPER, 34)}`),
  token("postman-key", (r) => `PMAK-${r.chars(HEX, 24)}-${r.chars(HEX, 34)}`),
];

const random4 = (random: Random, prefixes: readonly string[]) => random.pick(prefixes);

/** Names of the kinds that are held out. */
export const HELD_OUT: ReadonlySet<string> = new Set(HELD_OUT_KINDS.map(({ name }) => name));

/** The forty kinds. */
export const KINDS: readonly Kind[] = [...OPEN, ...HELD_OUT_KINDS];
