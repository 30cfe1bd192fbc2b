// Runs documents through the reference implementation. Each line of standard input is one JSON object, each line of
// standard output the answer to one:
//
//   {"schema": SDL}                                       sets the schema             {}
//   {"data": OBJECTS}                                     sets the data               {}
//   {"document": …, "variables": …, "operationName": …}   runs a document             {"data": …, "errors": …, "log": […]}
//   {"introspection": OPTIONS}                            writes the usual document   {"document": …}
//   {"client": DATA}                                      reads what it was answered  {"document": SDL, "errors": …}
//
// OBJECTS has an object for each name; "query" and "mutation" are the roots. Their fields are the answers, where
// {"$ref": NAME} stands for another object, and {"$error": TEXT} for a failure.
import { createInterface } from 'node:readline';
import {
  buildClientSchema, buildSchema, executeSync, getIntrospectionQuery, lexicographicSortSchema, parse, printSchema, validate, validateSchema,
} from 'graphql';

let schema;
let objects;

function value(stored) {
  if (Array.isArray(stored)) return stored.map(value);
  if (stored?.$ref !== undefined) return objects[stored.$ref];
  if (stored?.$error !== undefined) return new Error(stored.$error);
  return stored;
}

function withSortedKeys(_, any) {
  if (any === null || typeof any !== 'object' || Array.isArray(any)) return any;
  return Object.fromEntries(Object.keys(any).sort().map((key) => [key, any[key]]));
}

function fieldResolver(source, args, { log }, { parentType, fieldName }) {
  source ??= objects[parentType.name.toLowerCase()];
  switch (`${parentType.name}.${fieldName}`) {
    case 'Query.node': return objects[args.id] ?? null;
    case 'Log.items': return log;
    case 'Log.length': return log.length;
    case 'Log.log': return source;
  }
  switch (parentType.name) {
    case 'Inputs': return JSON.stringify(args, withSortedKeys);
    case 'Mutation': log.push(`${fieldName} ${args.item}`);
  }
  let result = value(source[fieldName]);
  if (Array.isArray(result) && typeof args.first === 'number') result = result.slice(0, Math.max(args.first, 0));
  if (Array.isArray(result) && args.reversed) result = [...result].reverse();
  return result;
}

const typeResolver = (object) => object.__typename;

let checked = {}; // the last document, which is often asked again with other variables

function check(source) {
  if (checked.source === source) return checked;
  checked = { source };
  try {
    checked.document = parse(source);
    checked.errors = validate(schema, checked.document);
  } catch (syntaxError) {
    checked.errors = [syntaxError];
  }
  return checked;
}

function answer(request) {
  if (request.schema !== undefined) {
    schema = buildSchema(request.schema);
    return {};
  }
  if (request.data !== undefined) {
    objects = request.data;
    return {};
  }
  if (request.introspection !== undefined) {
    return { document: getIntrospectionQuery(request.introspection) };
  }
  if (request.client !== undefined) {
    const built = buildClientSchema(request.client);
    return { document: printSchema(lexicographicSortSchema(built)), errors: validateSchema(built) };
  }
  const { document, errors: faults } = check(request.document);
  if (faults.length > 0) return { errors: faults };
  const log = [];
  const { data, errors } = executeSync({
    schema,
    document,
    variableValues: request.variables,
    operationName: request.operationName,
    contextValue: { log },
    fieldResolver,
    typeResolver,
  });
  return { data, errors, log };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + '\n');
}
