/** Secret with a recognizable format. */
export interface TokenRule {
  kind: string;
  /**
   * Sequence of literal texts and character sets. `{alphabet:least-most}` stands for characters of a set, with their
   * minimum and maximum number. The search looks for the first literal text, which must have at least three characters;
   * one set of fixed length may precede this text.
   */
  spelling: string;
}

/**
 * Kinds and spellings: prefix, alphabet and length, from the documentation of the token issuers and the lists of
 * secretlint and gitleaks (github.com/gitleaks/gitleaks, config/gitleaks.toml, commit b58d3f10). Parentheses contain
 * alternative texts. Order matters: the first matching rule wins.
 */
const SPELLINGS = `
1password-key ops_eyJ{base64:200-2000}{pad:0-3}
1password-key A3-{upper:6}-{upper:6}-{upper:5}-{upper:5}-{upper:5}-{upper:5}
1password-key A3-{upper:6}-{upper:11}-{upper:5}-{upper:5}-{upper:5}
adobe-secret p8e-{alnum:32}
age-key AGE-SECRET-KEY-1{upper:58}
alibaba-access-key LTAI{alnum:20}
anthropic-key sk-ant-api03-{word:95}
anthropic-key sk-ant-{word:40-200}
artifactory-key AKCp{alnum:69}
artifactory-key cmVmd{alnum:59}
assembled-key esecret_{alnum:26-48}
atlassian-token ATATT3{token68:100-300}
atlassian-token (ATCTT3|ATBB|ATSTT3){token68:32-300}
authress-key (scauth_|authress_){lower:5-30}.{lower:4-6}.acc{word:11-33}.{token68:30-120}
aws-access-key (AKIA|ASIA|ABIA|ACCA){base32:16}
aws-bedrock-key ABSK{base64:40-300}{pad:0-2}
aws-bedrock-key bedrock-api-key-{token68:20-4096}
axiom-token (xaat-|xapt-|xait-){hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
azure-client-secret {word:3}(0|1|2|3|4|5|6|7|8|9)Q~{token68:31-34}
braintree-token access_token$(production|sandbox)\${lower:16}\${hex:32}
browserbase-key (bb_live_|bb_test_){word:20-80}
buildkite-token (bkua_|bkaa_|bkct_){hex:40}
cal-key (cal_live_|cal_test_){hex:32}
cerebras-key csk-{alnum:32-64}
circleci-token (CCIPAT_|CCIPRJ_){alnum:16-32}_{hex:40}
clickhouse-secret 4b1d{alnum:38}
clojars-token (CLOJARS_|clojars_){alnum:60}
cloudflare-key v1.0-{hex:24}-{hex:146}
contentful-token CFPAT-{word:43}
cursor-key (crsr_|key_){hex:64}
databricks-token dapi{hex:32}
daytona-key dtn_{hex:64}
defined-networking-token dnkey-{word:26}-{word:52}
digitalocean-token (dop_v1_|doo_v1_|dor_v1_){hex:64}
discord-webhook discord.com/api/webhooks/{digit:17-20}/{word:60-80}
discord-webhook discordapp.com/api/webhooks/{digit:17-20}/{word:60-80}
docker-token (dckr_pat_|dckr_oat_){word:27-40}
doppler-token (dp.pt.|dp.ct.|dp.sa.|dp.scim.|dp.audit.){alnum:40-44}
doppler-token dp.st.{token68:40-80}
duffel-token (duffel_live_|duffel_test_){token68:43}
dynatrace-token (dt0c01.|dt0s01.|dt0s02.){alnum:8-24}.{alnum:64}
e2b-key (e2b_|sk_e2b_){hex:40}
easypost-key (EZAK|EZTK){alnum:54}
elevenlabs-key sk_{hex:48}
facebook-token (EAAM|EAAC|EAAG|EAAB){alnum:100-400}
figma-token figd_{word:40-60}
firecrawl-key fc-{hex:32}
fireworks-key fw_{alnum:22-24}
flutterwave-key (FLWSECK_TEST-|FLWSECK-|FLWPUBK_TEST-){lower:12-40}
flyio-token fo1_{word:43}
flyio-token (fm1a_|fm1r_|fm2_){base64:100-4096}{pad:0-3}
frameio-token fio-u-{token68:64}
gcp-api-key AIza{word:35}
github-token (ghp_|gho_|ghu_|ghs_|ghr_){alnum:36}
github-token ghs_{token68:37-600}
github-token github_pat_{alnum:22}_{alnum:59}
gitlab-token (glpat-|glrt-|gldt-|glptt-|glsoat-|glft-|glcbt-|glffct-|glimt-|glagent-|gloas-|glrtr-){token68:20-320}
gitlab-token GR1348941{word:20}
google-client-secret GOCSPX-{word:28}
google-oauth-token ya29.{word:20-400}
grafana-token glsa_{alnum:32}_{anyhex:8}
grafana-token glc_{base64:32-400}{pad:0-3}
grafana-token eyJrIjoi{alnum:70-400}{pad:0-3}
groq-key gsk_{alnum:40-60}
helicone-key (sk-helicone-|pk-helicone-){word:20-60}
heroku-key HRKU-{word:30-80}
honeycomb-key (hcaik_|hcxik_|hcamk_|hcalk_|hcxmk_|hcxlk_){lower:50-64}
hubspot-token (pat-na1-|pat-na2-|pat-na3-|pat-eu1-|pat-ap1-){anyhex:8}-{anyhex:4}-{anyhex:4}-{anyhex:4}-{anyhex:12}
huggingface-token (hf_|api_org_){alnum:34}
infracost-key ico-{alnum:32}
intra42-secret (s-s4t2ud-|s-s4t2af-){hex:64}
jetbrains-token (perm:|perm-){token68:40-200}
jina-key jina_{alnum:50-64}
jwt eyJ{word:12-4096}.{word:8-8192}.{word:16-1024}
langfuse-key (sk-lf-|pk-lf-){word:20-60}
langsmith-key (lsv2_pt_|lsv2_sk_){hex:32}_{hex:10}
langsmith-key (lsv2_pt_|lsv2_sk_|ls__){alnum:32-64}
launchdarkly-key (sdk-|mob-|api-){hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
linear-key (lin_api_|lin_oauth_){alnum:40-64}
lob-key (live_pub_|test_pub_){hex:31}
logfire-token (pylf_v1_us_|pylf_v1_eu_|pylf_v2_us_|pylf_v2_eu_){alnum:40-60}
mailersend-token mlsn.{hex:64}
mailgun-key (pubkey-|key-){hex:32}
mapbox-token sk.eyJ{word:40-200}.{word:20-30}
maxmind-key {word:36}_mmk
neon-key napi_{alnum:60-70}
netlify-token nfp_{alnum:36-46}
new-relic-key NRAK-{upper:27}
new-relic-key NRJS-{hex:19}
new-relic-key (NRII-|NRIQ-|NRRA-){word:32}
new-relic-key {hex:36}NRAL
notion-token ntn_{digit:11}{alnum:35}
notion-token secret_{alnum:43}
npm-token npm_{alnum:36}
nuget-key oy2{lower:43}
nvidia-key nvapi-{word:60-72}
octopus-key API-{upper:26}
openai-key sk-proj-{word:156}
openai-key (sk-proj-|sk-svcacct-|sk-admin-|sk-or-v1-|sk-None-){word:40-250}
openai-key sk-{alnum:48}
openai-key sk-{hex:32}
openshift-token sha256~{word:43}
perplexity-key pplx-{alnum:40-64}
pinecone-key pcsk_{word:40-90}
plaid-token (access-sandbox-|access-development-|access-production-){hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
planetscale-token (pscale_tkn_|pscale_oauth_|pscale_pw_){token68:32-64}
posthog-key (phx_|phs_){alnum:40-56}
postman-key PMAK-{anyhex:24}-{anyhex:34}
prefect-key (pnu_|pnb_){alnum:36}
pulumi-token pul-{hex:40}
pypi-token pypi-AgE{word:50-1000}
razorpay-key (rzp_live_|rzp_test_){alnum:14}
readme-key rdme_{lower:70}
replicate-token r8_{alnum:37-40}
rubygems-key rubygems_{hex:48}
scalingo-token tk-us-{word:48}
sendgrid-key SG.{word:16-32}.{word:16-64}
sendinblue-key (xkeysib-|xsmtpsib-){hex:64}-{alnum:16}
sentry-token sntryu_{hex:64}
sentry-token sntrys_{token68:60-600}
settlemint-token (sm_aat_|sm_pat_|sm_sat_){alnum:16}
shippo-token (shippo_live_|shippo_test_){anyhex:40}
shopify-token (shpat_|shpca_|shppa_|shpss_|shpua_){anyhex:32}
slack-token (xoxb-|xoxp-|xoxa-|xoxr-|xoxs-|xoxo-|xapp-){word:12-250}
slack-token (xoxe-|xoxe.xoxb-|xoxe.xoxp-){word:24-250}
slack-webhook (hooks.slack.com/services/|hooks.slack.com/workflows/|hooks.slack.com/triggers/){base64:40-80}
sonar-token (squ_|sqp_|sqa_){token68:40}
sourcegraph-token (sgp_local_|sgp_){hex:40}
sourcegraph-token sgp_{anyhex:16}_{anyhex:40}
square-token (EAAA|sq0atp-|sq0csp-){word:22-60}
stripe-key (sk_live_|sk_test_|sk_prod_|rk_live_|rk_test_|rk_prod_){alnum:10-247}
supabase-key sbp_{hex:40}
supabase-key (sb_secret_|sbp_oauth_|sbp_v0_){word:30-60}
tailscale-key (tskey-auth-|tskey-api-|tskey-client-|tskey-scim-|tskey-webhook-){word:20-80}
tavily-key tvly-{word:20-64}
teams-webhook webhook.office.com/webhookb2/{token68:36}@{word:36}/IncomingWebhook/{alnum:32}/{word:36}
telegram-token {digit:(8|9|10)}:AA{word:33}
terraform-token {alnum:14}.atlasv1.{token68:60-70}
together-key (tgp_v1_|tgp_){word:30-64}
trackway-key (trk_api_|trk_oauth_|trk_refresh_|trk_code_){hex:40-64}
trackway-key sk_{hex:64}
twilio-key SK(0|1|2|3|4|5|6|7|8|9|a|b|c|d|e|f){hex:31}
twilio-key SK(A|B|C|D|E|F){anyhex:31}
typeform-token tfp_{token68:40-64}
vault-token (hvs.|hvb.|hvr.){word:24-300}
vercel-token (vcp_|vci_|vca_|vcr_|vck_){alnum:24-60}
vercel-token vercel_blob_rw_{alnum:16}_{alnum:30-40}
wakatime-key waka_{hex:8}-{hex:4}-{hex:4}-{hex:4}-{hex:12}
wandb-key wandb_v1_{word:40-90}
webhook-secret whsec_{base64:32-64}{pad:0-2}
xai-key xai-{alnum:60-90}
yandex-token t1.{word:12-160}.{word:86}{pad:0-2}
yandex-key AQVN{word:35-38}
yandex-key YCAJ{word:36}
zapier-secret (zpka_|zps_){alnum:30-60}
`;

/** One rule for each alternative text. */
export const TOKEN_RULES: readonly TokenRule[] = SPELLINGS.trim()
  .split("\n")
  .flatMap((rule) => {
    const [kind = "", spelling = ""] = rule.split(" ");
    const [choice, texts = ""] = /\((.*)\)/.exec(spelling) ?? [];
    return choice === undefined
      ? [{ kind, spelling }]
      : texts.split("|").map((text) => ({ kind, spelling: spelling.replace(choice, () => text) }));
  });
