// The login lives in this page's memory alone, and ends when it is left: no cookie could be used by another page.
let tokens;

const query = location.search.slice(1);
const find = (selector) => document.querySelector(selector);

find("#sign-in").addEventListener("submit", (event) => attempt(event, signIn));
find("#decide").addEventListener("submit", (event) => attempt(event, allow));
find("#deny").addEventListener("click", (event) => attempt(event, () => decide({ decision: "deny" })));
find("#decide").elements.write.addEventListener("change", ({ target }) => {
  if (target.checked) find("#decide").elements.read.checked = true;
});
find("#decide").elements.read.addEventListener("change", ({ target }) => {
  if (!target.checked) find("#decide").elements.write.checked = false;
});

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
  const { email, password } = Object.fromEntries(new FormData(event.target));
  tokens = await send("/api/auth/login", { email, password });
  event.target.reset();
  find("#sign-in").hidden = true;
  show(await send("/oauth/consent/request", { query }));
}

function show({ client, redirectHost, scopes, resource, account, organizations }) {
  if (organizations.length === 0) throw new Error("You belong to no organization yet: create or join one first.");
  find("#client").textContent = client.name;
  find("#client-host").textContent = client.host ?? "";
  find("#client-host-row").hidden = client.host === null;
  find("#redirect-host").textContent = redirectHost;
  find("#account").textContent = account.email;
  find("#resource").textContent = resource;
  const { elements } = find("#decide");
  elements.organization.replaceChildren(
    ...organizations.map(({ id, name, urlKey }) => new Option(`${name} (${urlKey})`, id)),
  );
  for (const scope of ["read", "write", "record"]) {
    find(`#${scope}-row`).hidden = !scopes.includes(scope) && scope !== "record";
    elements[scope].checked = scopes.includes(scope);
  }
  find("#consent").hidden = false;
}

function allow(event) {
  const { elements } = event.target;
  const scopes = ["read", "write", "record"].filter((scope) => elements[scope].checked);
  if (scopes.length === 0) throw new Error("Allow at least one of these, or deny.");
  return decide({ decision: "allow", organizationId: elements.organization.value, scopes });
}

async function decide(decision) {
  const { redirect } = await send("/oauth/consent", { query, ...decision });
  await send("/api/auth/logout", { refreshToken: tokens.refreshToken }).catch(() => {});
  tokens = undefined;
  find("#consent").hidden = true;
  location.replace(redirect);
}

async function send(path, body) {
  const headers = {
    "Content-Type": "application/json",
    ...(tokens && { Authorization: `Bearer ${tokens.accessToken}` }),
  };
  const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const reply = await response.json();
  if (!response.ok) throw new Error(reply.error_description ?? reply.error);
  return reply;
}
