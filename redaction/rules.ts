/** A secret that is known by its own spelling. */
export interface TokenRule {
  kind: string;
  /**
   * Text as it stands, and `{alphabet:least-most}` for characters of a set. The first text is what is searched for, so
   * it has at least three characters; one set of a fixed length may stand before it.
   */
  spelling: string;
}

/**
 * Kinds and spellings, as the makers of tokens, secretlint and gitleaks document them; one of several texts stands in
 * parentheses. Order counts: the first that fits is taken.
 */
const SPELLINGS = [
  "aws-access-key (AKIA|ASIA|ABIA|ACCA){base32:16}",
  "gcp-api-key AIza{word:35}",
  "google-oauth-token ya29.{word:20-400}",
  "google-client-secret GOCSPX-{word:28}",
  "azure-client-secret {word:3}(0|1|2|3|4|5|6|7|8|9)Q~{word:31-34}",
  "github-token (ghp_|gho_|ghu_|ghs_|ghr_){alnum:36}",
  "github-token github_pat_{alnum:22}_{alnum:59}",
  "gitlab-token (glpat-|glrt-|gldt-|glptt-|glsoat-|glft-|glcbt-){word:20-64}",
  "gitlab-token GR1348941{word:20}",
  "npm-token npm_{alnum:36}",
  "pypi-token pypi-AgE{word:50-400}",
  "slack-token (xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxe-|xapp-){word:24-200}",
  "slack-webhook hooks.slack.com/services/{upper:9-12}/{upper:9-12}/{alnum:24}",
  "stripe-key (sk_live_|sk_test_|rk_live_|rk_test_){alnum:24-247}",
  "webhook-secret whsec_{base64:32-64}{pad:0-2}",
  "anthropic-key sk-ant-api03-{word:95}",
  "anthropic-key sk-ant-{word:40-200}",
  "openai-key sk-proj-{word:156}",
  "openai-key (sk-proj-|sk-svcacct-|sk-admin-|sk-or-v1-){word:40-250}",
  "openai-key sk-{alnum:48}",
  "jwt eyJ{word:12-4096}.{word:8-8192}.{word:16-1024}",
  "trackway-key (trk_api_|trk_oauth_|trk_refresh_|trk_code_){hex:40-64}",
  "trackway-key sk_{hex:64}",
  "shopify-token (shpat_|shpca_|shppa_|shpss_){hex:32}",
  "databricks-token dapi{hex:32}",
  "vault-token (hvs.|hvb.){word:90-300}",
  "digitalocean-token (dop_v1_|doo_v1_|dor_v1_){hex:64}",
  "linear-key lin_api_{alnum:40}",
  "age-key AGE-SECRET-KEY-1{upper:58}",
  "sendgrid-key SG.{word:16-32}.{word:16-64}",
  "grafana-token glsa_{alnum:32}_{hex:8}",
  "huggingface-token (hf_|api_org_){alnum:34}",
  "postman-key PMAK-{hex:24}-{hex:34}",
  "docker-token dckr_pat_{word:27}",
  "new-relic-key NRAK-{upper:27}",
  "doppler-token dp.pt.{alnum:40-44}",
  "sentry-token sntrys_{base64:60-300}",
  "atlassian-token ATATT3{word:100-250}",
  "figma-token figd_{word:40}",
  "telegram-token {digit:(8|9|10)}:AA{word:33}",
];

/** The rules, each with one of its texts. */
export const TOKENS: readonly TokenRule[] = SPELLINGS.flatMap((rule) => {
  const [kind = "", spelling = ""] = rule.split(" ");
  const [choice, texts = ""] = /\((.*)\)/.exec(spelling) ?? [];
  return choice === undefined
    ? [{ kind, spelling }]
    : texts.split("|").map((text) => ({ kind, spelling: spelling.replace(choice, text) }));
});

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

/** The kinds of secrets that need no pattern of an organization: no pattern may take their names. */
export const BUILT_IN_KINDS: ReadonlySet<string> = new Set([
  ...TOKENS.map(({ kind }) => kind),
  ...["private-key", "url-password", "authorization", "bearer", "basic-auth", "cookie", "password", "secret", "header"],
  ...["random-value", "email", "phone", "iban", "card-number"],
]);
