/** A secret that is known by its own spelling. */
export interface TokenRule {
  kind: string;
  /**
   * Text as it stands, and `{alphabet:least-most}` for characters of a set. The first text is what is searched for, so
   * it has at least three characters; one set of a fixed length may stand before it.
   */
  spelling: string;
}

/** Prefixes, lengths and alphabets as their makers, secretlint and gitleaks document them. Order counts: the first that fits is taken. */
export const TOKENS: readonly TokenRule[] = [
  ...["AKIA", "ASIA", "ABIA", "ACCA"].map((prefix) => ({ kind: "aws-access-key", spelling: `${prefix}{base32:16}` })),
  { kind: "gcp-api-key", spelling: "AIza{word:35}" },
  { kind: "google-oauth-token", spelling: "ya29.{word:20-400}" },
  { kind: "google-client-secret", spelling: "GOCSPX-{word:28}" },
  ...[..."0123456789"].map((digit) => ({ kind: "azure-client-secret", spelling: `{word:3}${digit}Q~{word:31-34}` })),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((prefix) => ({
    kind: "github-token",
    spelling: `${prefix}{alnum:36}`,
  })),
  { kind: "github-token", spelling: "github_pat_{alnum:22}_{alnum:59}" },
  ...["glpat-", "glrt-", "gldt-", "glptt-", "glsoat-", "glft-", "glcbt-"].map((prefix) => ({
    kind: "gitlab-token",
    spelling: `${prefix}{word:20-64}`,
  })),
  { kind: "gitlab-token", spelling: "GR1348941{word:20}" },
  { kind: "npm-token", spelling: "npm_{alnum:36}" },
  { kind: "pypi-token", spelling: "pypi-AgE{word:50-400}" },
  ...["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xapp-"].map((prefix) => ({
    kind: "slack-token",
    spelling: `${prefix}{word:24-200}`,
  })),
  { kind: "slack-webhook", spelling: "hooks.slack.com/services/{upper:9-12}/{upper:9-12}/{alnum:24}" },
  ...["sk_live_", "sk_test_", "rk_live_", "rk_test_"].map((prefix) => ({
    kind: "stripe-key",
    spelling: `${prefix}{alnum:24-247}`,
  })),
  { kind: "webhook-secret", spelling: "whsec_{base64:32-64}{pad:0-2}" },
  { kind: "anthropic-key", spelling: "sk-ant-api03-{word:95}" },
  { kind: "anthropic-key", spelling: "sk-ant-{word:40-200}" },
  { kind: "openai-key", spelling: "sk-proj-{word:156}" },
  ...["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-or-v1-"].map((prefix) => ({
    kind: "openai-key",
    spelling: `${prefix}{word:40-250}`,
  })),
  { kind: "openai-key", spelling: "sk-{alnum:48}" },
  { kind: "jwt", spelling: "eyJ{word:12-4096}.{word:8-8192}.{word:16-1024}" },
  ...["trk_api_", "trk_oauth_", "trk_refresh_", "trk_code_"].map((prefix) => ({
    kind: "trackway-key",
    spelling: `${prefix}{hex:40-64}`,
  })),
  { kind: "trackway-key", spelling: "sk_{hex:64}" },
  ...["shpat_", "shpca_", "shppa_", "shpss_"].map((prefix) => ({
    kind: "shopify-token",
    spelling: `${prefix}{hex:32}`,
  })),
  { kind: "databricks-token", spelling: "dapi{hex:32}" },
  ...["hvs.", "hvb."].map((prefix) => ({ kind: "vault-token", spelling: `${prefix}{word:90-300}` })),
  ...["dop_v1_", "doo_v1_", "dor_v1_"].map((prefix) => ({ kind: "digitalocean-token", spelling: `${prefix}{hex:64}` })),
  { kind: "linear-key", spelling: "lin_api_{alnum:40}" },
  { kind: "age-key", spelling: "AGE-SECRET-KEY-1{upper:58}" },
  { kind: "sendgrid-key", spelling: "SG.{word:16-32}.{word:16-64}" },
  { kind: "grafana-token", spelling: "glsa_{alnum:32}_{hex:8}" },
  ...["hf_", "api_org_"].map((prefix) => ({ kind: "huggingface-token", spelling: `${prefix}{alnum:34}` })),
  { kind: "postman-key", spelling: "PMAK-{hex:24}-{hex:34}" },
  { kind: "docker-token", spelling: "dckr_pat_{word:27}" },
  { kind: "new-relic-key", spelling: "NRAK-{upper:27}" },
  { kind: "doppler-token", spelling: "dp.pt.{alnum:40-44}" },
  { kind: "sentry-token", spelling: "sntrys_{base64:60-300}" },
  { kind: "atlassian-token", spelling: "ATATT3{word:100-250}" },
  { kind: "figma-token", spelling: "figd_{word:40}" },
  ...[8, 9, 10].map((digits) => ({ kind: "telegram-token", spelling: `{digit:${digits}}:AA{word:33}` })),
];

/** Parts of names beside which a value is a secret; in lower case, met in any. */
export const NAME_WORDS = [
  ...["password", "passwd", "passphrase", "_pass", "pwd", "secret", "token", "apikey", "api_key", "api-key"],
  ...[
    "access_key",
    "accesskey",
    "access-key",
    "accountkey",
    "account_key",
    "storage_key",
    "storage-key",
    "private_key",
    "private-key",
    "privatekey",
  ],
  ...["credential", "dockerconfigjson", "authorization", "_auth", `"auth`, "auth:", "auth=", "auth ="],
] as const;

/** A whole name of that sort: nothing but these may follow the word. */
export const NAME =
  /(?:pass(?:word|wd|phrase)|_pass|pwd|secret|token|(?:api|access|account|storage|private|secret|auth)[-_.]?key|_KEY|credentials?|dockerconfigjson|(?:^|[_.])auth)(?:[-_]?(?:key|value|base|hash|prod|dev|old|new|\d{1,3}))*$/i;

/** Names that end the same way and hide nothing. */
export const HARMLESS_NAME =
  /(?<![a-z])(?:public|primary|foreign|sort|cache|partition|idempotency|next|page|next_?page|continuation|sync|csrf|host|ssh_auth|max|min|num|count|total|input|output|cached?|prompt|completion|stop|pad|eos|bos|unk|mask|sep|cls)[-_.]?(?:tokens?|_?key)$/i;

/** Values that stand for one. */
export const PLACEHOLDER =
  /^(?:[$<{%*[(]|process\.env|os\.|env[.(]|true$|false$|null$|none$|undefined$|nil$|yes$|no$|x+$|\.+$|-+$|(?:your|my|the|some|change|replace|insert|example|dummy|fake|sample|test|placeholder|redacted|pass|password|passwd|pwd|secret|token|user|key|string|value|required|optional|hidden|masked|omitted)(?:[-_ .]?(?:me|this|here|key|token|secret|password|value|123|1234))*$)/i;
