// The tokens live in this page's memory alone: a reload signs out, and no script of another page can read them.
let tokens;

const KINDS = {
  "api-keys": {
    list: "apiKeys",
    naming: "label",
    secret: "token",
    verb: "Delete",
    shown: (key) => [`trk_api_…${key.last4}`],
  },
  "ingest-keys": {
    list: "ingestKeys",
    naming: "name",
    secret: "key",
    verb: "Delete",
    shown: (key) => [`${key.prefix}…${key.last4}`],
  },
  connections: {
    list: "connections",
    naming: "clientName",
    verb: "End",
    shown: ({ redirectHost, scopes }) => [redirectHost, scopes.join(", ")],
  },
};

const find = (selector, within = document) => within.querySelector(selector);

find("#sign-in").addEventListener("submit", (event) => attempt(event, signIn));
find("#sign-out").addEventListener("click", (event) => attempt(event, signOut));
find("#once-copy").addEventListener("click", (event) =>
  attempt(event, () => navigator.clipboard.writeText(find("#once-key").textContent)),
);
find("#once-done").addEventListener("click", hideOnce);
for (const kind of Object.keys(KINDS)) {
  find(`#${kind} form`)?.addEventListener("submit", (event) => attempt(event, () => create(kind, event.target)));
}

/** Runs what a person asked for; says so when it fails. */
async function attempt(event, work) {
  event.preventDefault();
  find("#problem").hidden = true;
  try {
    await work(event);
  } catch (error) {
    find("#problem").textContent = error.message;
    find("#problem").hidden = false;
  }
}

async function signIn(event) {
  const { email, password, organization } = Object.fromEntries(new FormData(event.target));
  const body = { email, password, ...(organization && { organization }) };
  tokens = await send("POST", "/api/auth/login", body);
  event.target.reset();
  find("#who-name").textContent = tokens.user.email;
  show(true);
  for (const kind of Object.keys(KINDS)) await list(kind);
}

async function signOut() {
  const { refreshToken } = tokens;
  tokens = undefined;
  show(false);
  hideOnce();
  await send("POST", "/api/auth/logout", { refreshToken });
}

function show(signedIn) {
  find("#sign-in").hidden = signedIn;
  find("#who").hidden = !signedIn;
  for (const kind of Object.keys(KINDS)) {
    find(`#${kind}`).hidden = !signedIn;
    find(`#${kind} tbody`).replaceChildren();
  }
}

/** Members who are no owners have no ingest keys to manage: that section goes. */
async function list(kind) {
  const section = find(`#${kind}`);
  const reply = await authorized("GET", `/api/${kind}`).catch((error) => {
    if (error.code !== "forbidden") throw error;
    section.hidden = true;
  });
  if (reply) find("tbody", section).replaceChildren(...reply[KINDS[kind].list].map((key) => row(kind, key)));
}

function row(kind, key) {
  const { naming, shown, verb } = KINDS[kind];
  const remove = Object.assign(document.createElement("button"), { type: "button", textContent: verb });
  remove.setAttribute("aria-label", `${verb} ${key[naming]}`);
  remove.addEventListener("click", (event) =>
    attempt(event, async () => {
      if (!confirm(`${verb} “${key[naming]}”? Whatever uses it stops working at once.`)) return;
      await authorized("DELETE", `/api/${kind}/${key.id}`);
      await list(kind);
    }),
  );
  const cells = [key[naming], ...shown(key), when(key.createdAt), when(key.lastUsedAt), remove];
  const line = document.createElement("tr");
  for (const cell of cells) line.insertCell().append(cell);
  return line;
}

const when = (timestamp) => (timestamp ? new Date(timestamp).toLocaleString() : "never");

async function create(kind, form) {
  const { naming, secret } = KINDS[kind];
  const made = await authorized("POST", `/api/${kind}`, { [naming]: new FormData(form).get("name") });
  form.reset();
  find("#once-key").textContent = made[secret];
  find("#once").hidden = false;
  await list(kind);
}

function hideOnce() {
  find("#once-key").textContent = "";
  find("#once").hidden = true;
}

/** Sends with the access token; when that has ended, trades the refresh token once and sends again. */
async function authorized(method, path, body) {
  try {
    return await send(method, path, body, tokens.accessToken);
  } catch (error) {
    if (error.code !== "unauthorized") throw error;
    tokens = { ...tokens, ...(await send("POST", "/api/auth/refresh", { refreshToken: tokens.refreshToken })) };
    return send(method, path, body, tokens.accessToken);
  }
}

async function send(method, path, body, accessToken) {
  const headers = {
    ...(body && { "Content-Type": "application/json" }),
    ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
  };
  const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const reply = await response.json();
  if (!response.ok) throw Object.assign(new Error(reply.error), { code: reply.code });
  return reply;
}
