// Asks the address in AUDIT_URL, with the bearer token in AUDIT_TOKEN, for its schema, as tools do. Prints one JSON object: the schema
// that a client builds from the answer, and the one that standard input has, both in the same form.
import { text } from 'node:stream/consumers';
import { assertValidSchema, buildClientSchema, buildSchema, getIntrospectionQuery, lexicographicSortSchema, printSchema } from 'graphql';

const { AUDIT_URL: url, AUDIT_TOKEN: token } = process.env;

function print(schema) {
  assertValidSchema(schema);
  return printSchema(lexicographicSortSchema(schema));
}

const query = getIntrospectionQuery({ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true });
const response = await fetch(url, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify({ query }),
});
const { data } = await response.json();
console.log(JSON.stringify({ served: print(buildClientSchema(data)), published: print(buildSchema(await text(process.stdin))) }));
