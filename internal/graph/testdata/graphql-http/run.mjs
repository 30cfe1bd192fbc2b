// Audits the address in AUDIT_URL, with the bearer token in AUDIT_TOKEN. Prints one JSON object for each audit.
import { serverAudits } from 'graphql-http';

const { AUDIT_URL: url, AUDIT_TOKEN: token } = process.env;

function fetchFn(address, options = {}) {
  return fetch(address, { ...options, headers: { ...options.headers, authorization: `Bearer ${token}` } });
}

for (const audit of serverAudits({ url, fetchFn })) {
  const { id, name, status, reason } = await audit.fn();
  console.log(JSON.stringify({ id, name, status, reason }));
}
