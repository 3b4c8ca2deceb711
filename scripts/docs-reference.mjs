// @ts-check
// node scripts/docs-reference.mjs (after npm run build:packages): writes docs/reference from schemas and code. A test fails when a page is stale.
import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { variables } from '../server/platform/base/variables.mjs'
import { metrics } from '../server/platform/observability/metrics.mjs'
import { ROOT } from './build-steps.mjs'
import { findShape, listDeclared, listMembers } from './docstrings.mjs'
import { listAllBlocks } from './document-blocks.mjs'

/**
 * @typedef {object} Schema
 * @property {string} [type]
 * @property {unknown} [const]
 * @property {readonly unknown[]} [enum]
 * @property {string} [description]
 * @property {string} [$ref]
 * @property {readonly Schema[]} [anyOf]
 * @property {readonly Schema[]} [oneOf]
 * @property {Schema} [items]
 * @property {Readonly<Record<string, Schema>>} [properties]
 * @property {Readonly<Record<string, Schema>>} [$defs]
 * @property {readonly string[]} [required]
 * @property {Schema | false} [additionalProperties]
 * @property {number} [minimum]
 * @property {number} [maximum]
 * @property {number} [exclusiveMinimum]
 * @property {number} [maxLength]
 * @property {number} [maxItems]
 *
 * @typedef {object} Operation
 * @property {string} summary
 * @property {string} [description]
 * @property {readonly string[]} [tags]
 * @property {string} [x-scope]
 * @property {{ readonly content: Readonly<Record<string, { readonly schema: Schema }>> }} [requestBody]
 *
 * @typedef {{ readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>, readonly tags?: readonly { readonly name: string, readonly description: string }[] }} OpenApi
 *
 * @typedef {object} Code what cannot be read from a file
 * @property {(words: readonly string[]) => Promise<string>} help of a command
 * @property {Pick<typeof import('@signalbox/core/lint'), 'EXPRESSION_VARIABLES' | 'EXPRESSION_FUNCTIONS'>} lint
 * @property {object} agentApi an OpenAPI document
 */

/** @param {string} file @returns {any} */
const readJson = (file) => JSON.parse(fs.readFileSync(path.join(ROOT, file), 'utf8'))
/** Code spans keep their characters. @param {string} text */
const cell = (text) =>
  text
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
    .replaceAll(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found))
/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |\n`).join('')
/** @param {string} title @param {string} about @param {readonly string[]} parts */
const page = (title, about, parts) =>
  `# ${title}\n\n${[about, ...parts.map((part) => part.trimEnd())].join('\n\n')}\n`

/** @param {Schema} root @param {Schema | undefined} schema @returns {Schema} */
function resolve(root, schema) {
  const name = schema?.$ref?.split('/').at(-1)
  return (name === undefined ? schema : root.$defs?.[name]) ?? {}
}

/** @param {Schema} root @param {Schema | undefined} schema @returns {readonly Schema[]} every form that a value may have */
function listForms(root, schema) {
  const whole = resolve(root, schema)
  const forms = whole.anyOf ?? whole.oneOf
  return forms === undefined ? [whole] : forms.flatMap((form) => listForms(root, form))
}

/** @param {Schema} root @param {Schema | undefined} schema @returns {string} */
function describeType(root, schema) {
  const names = listForms(root, schema).map((form) => {
    if (form.const !== undefined) return `\`${JSON.stringify(form.const)}\``
    if (form.enum !== undefined)
      return form.enum.map((one) => `\`${JSON.stringify(one)}\``).join(', ')
    if (form.type === 'array') return `list of ${describeType(root, form.items)}`
    if (form.properties !== undefined) return 'object'
    if (form.type === 'object')
      return `map of ${describeType(root, form.additionalProperties || {})}`
    return form.type ?? 'any value'
  })
  return [...new Set(names)].join(', or ')
}

const formatCount = new Intl.NumberFormat('en').format

/** @param {Schema} schema */
function describeBounds({ minimum, exclusiveMinimum, maximum, maxLength, maxItems }) {
  const most = maximum !== undefined && maximum < 2 ** 31 - 1 ? maximum : undefined
  const bounds = [
    minimum === undefined || minimum === 0 ? '' : `at least ${formatCount(minimum)}`,
    exclusiveMinimum === undefined ? '' : `above ${formatCount(exclusiveMinimum)}`,
    most === undefined ? '' : `at most ${formatCount(most)}`,
    maxLength === undefined ? '' : `at most ${formatCount(maxLength)} characters`,
    maxItems === undefined ? '' : `at most ${formatCount(maxItems)} entries`,
  ]
    .filter(Boolean)
    .join(', ')
  return bounds === '' ? '' : `${bounds[0]?.toUpperCase()}${bounds.slice(1)}.`
}

/** @param {Schema} root @param {Schema} schema @param {readonly string[]} [leftOut] */
function fieldTable(root, { properties = {}, required = [] }, leftOut = []) {
  const rows = Object.entries(properties)
    .filter(([name]) => !leftOut.includes(name))
    .map(([name, field]) => [
      `\`${name}\``,
      required.includes(name) ? 'yes' : '',
      cell(describeType(root, field)),
      cell(
        [field.description ?? resolve(root, field).description ?? '', describeBounds(field)]
          .filter(Boolean)
          .join(' '),
      ),
    ])
  return table(['Field', 'Required', 'Value', 'Meaning'], rows)
}

function configPage() {
  /** @type {Schema} */
  const schema = readJson('specs/schemas/config-v1.json')
  const {
    policies,
    content,
    feedback_providers,
    task_completion_checker,
    redaction,
    sections,
    limits,
    lease,
  } = schema.properties ?? {}
  /** @param {string} heading @param {string} about @param {Schema | undefined} list */
  const kinds = (heading, about, list) => {
    const forms = listForms(schema, list)
    const parts = forms.map((form) => {
      const discriminator = form.properties?.['type'] === undefined ? 'kind' : 'type'
      const type = form.properties?.[discriminator]?.const
      const name = typeof type === 'string' ? `\`${type}\`` : 'Custom types'
      const words =
        form.description ??
        'A type that code of your runtime implements, with its settings in `params`.'
      return `\n### ${name}\n\n${words}\n\n${fieldTable(schema, form, [discriminator])}`.trimEnd()
    })
    return [`## ${heading}\n\n${about}`, ...parts].join('\n')
  }
  /** @param {string} heading @param {Schema | undefined} part */
  const plain = (heading, part) => {
    const [form = {}] = listForms(schema, part)
    return `## ${heading}\n\n${part?.description ?? ''}\n\n${fieldTable(schema, form)}`
  }
  return page(
    'Config reference',
    'Every field of a config document, version 1. Unknown fields are refused. Editors complete a file that names `/schemas/config-v1.json` of your server in `$schema`. [Config](../../specs/config.md) has the rules that a schema cannot express.',
    [
      `## Top level\n\n${fieldTable(schema, schema)}`,
      kinds(
        'Policies',
        'Entries of `policies`, and of `policies` in a section. A policy can deny a call before it runs.',
        policies?.items,
      ),
      kinds(
        'Content rules',
        'Entries of `content`, and of `content` in a section, by `kind`. A content rule inspects arguments or results. [Content rules](../../specs/content-rules.md) has what each kind finds.',
        content?.items,
      ),
      kinds(
        'Feedback providers',
        'Entries of `feedback_providers`. A provider advises the agent after a call.',
        feedback_providers?.items,
      ),
      kinds(
        'Checkers',
        'Values of `task_completion_checker`. A checker decides whether the agent may stop.',
        task_completion_checker,
      ),
      plain('Sections', sections?.items),
      plain('Redaction', redaction?.items),
      plain('Limits', limits),
      plain('Lease', lease),
    ],
  )
}

/** @param {string} name */
const nameShape = (name) =>
  name.replaceAll(/(?<!^)([A-Z])/g, (_, letter) => ` ${letter.toLowerCase()}`)
/** @param {string} name */
const linkShape = (name) =>
  `[${nameShape(name)}](#${nameShape(name).toLowerCase().replaceAll(' ', '-')})`

/**
 * Throws where the docstring is missing, or does not state what absence means.
 * @param {string} name @param {import('./docstrings.mjs').Member | undefined} member @param {boolean} isRequired
 */
function requireDocstring(name, member, isRequired) {
  if (member === undefined || member.text === '') throw new Error(`${name} has no docstring.`)
  if (!isRequired && !/\babsent\b/i.test(member.text))
    throw new Error(`The docstring of ${name} does not state what absence means.`)
  return member
}

/**
 * Rows of an object, with docstrings.
 * @param {Schema} root
 * @param {{ object: Schema, members: readonly import('./docstrings.mjs').Member[] }} described
 * @param {{ prefix?: string, shapes: Map<string, Schema> }} around `shapes`: of the interfaces that were linked
 * @returns {readonly (readonly string[])[]}
 */
function memberRows(root, { object, members }, { prefix = '', shapes }) {
  const { properties = {}, required = [] } = object
  return Object.entries(properties).flatMap(([name, field]) => {
    const isRequired = required.includes(name)
    const shown = `${prefix}${name}`
    const found = members.find((one) => one.name === name)
    const { text, type } = requireDocstring(shown, found, isRequired)
    const shape = findShape(type)
    const inner = findObject(root, field)
    const value = describeType(root, field)
    const meaning = [text, describeBounds(field)].filter(Boolean).join(' ')
    const row = [`\`${shown}\``, isRequired ? 'yes' : '']
    if (shape !== null && inner !== null) {
      shapes.set(shape, inner)
      return [[...row, cell(value.replace('object', linkShape(shape))), cell(meaning)]]
    }
    const innerMembers = listMembers(type)
    const described = {
      object: innerMembers.length > 0 && inner !== null ? inner : {},
      members: innerMembers,
    }
    const below = memberRows(root, described, { prefix: `${shown}.`, shapes })
    return [[...row, cell(value), cell(meaning)], ...below]
  })
}

/** The object that a value is, or that the entries of a list or map are; null: none. @param {Schema} root @param {Schema} schema @returns {Schema | null} */
function findObject(root, schema) {
  for (const form of listForms(root, schema)) {
    if (form.properties !== undefined) return form
    const entry = form.items ?? (form.additionalProperties || undefined)
    const found = entry === undefined ? null : findObject(root, entry)
    if (found !== null) return found
  }
  return null
}

function eventsPage() {
  /** @type {Schema} */
  const schema = readJson('specs/schemas/event-v1.json')
  const forms = listForms(schema, schema)
  const head = ['Field', 'Required', 'Value', 'Meaning']
  /** @type {Map<string, Schema>} */
  const shapes = new Map()
  const { properties = {}, required = [] } = forms[0] ?? {}
  const envelope = {
    required,
    properties: { ...properties, type: { type: 'string' }, data: { type: 'object' } },
  }
  const types = listDeclared('EventData')
  const parts = forms.map((form, index) => {
    const name = form.properties?.['type']?.const
    const data = resolve(schema, form.properties?.['data'])
    const type = types.find((one) => one.name === name)
    if (type === undefined || type.example === '') throw new Error(`${name} has no example.`)
    const rows = memberRows(schema, { object: data, members: listMembers(type.type) }, { shapes })
    const fields = rows.length === 0 ? 'Any fields.\n' : table(head, rows)
    const example = {
      ...{ session: 'sess_7Hq2', seq: index + 1, at: 1_795_777_200_000 + 1000 * index, type: name },
      data: JSON.parse(type.example),
    }
    return `## ${name}\n\n${type.text}\n\n${fields}\n<!-- generated -->\n\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``
  })
  const first = memberRows(
    schema,
    { object: envelope, members: listDeclared('Envelope') },
    { shapes },
  )
  /** @type {string[]} */
  const shown = []
  // A shape may link to another one, which is then visited, too.
  for (const [name, object] of shapes) {
    const rows = memberRows(schema, { object, members: listDeclared(name) }, { shapes })
    shown.push(`### ${nameShape(name)}\n\n${table(head, rows)}`)
  }
  return page(
    'Event reference',
    'Every event of a session, with the fields of its `data` and an example. Times are epoch milliseconds. [Events](../../specs/events.md) describes their order and their meaning.',
    [
      `## Fields of every event\n\n${table(head, first)}`,
      ...parts,
      '## Shapes\n\nObjects that occur in several events.',
      ...shown.sort(),
    ],
  )
}

/** @param {Code} code */
function expressionsPage({ lint: { EXPRESSION_VARIABLES, EXPRESSION_FUNCTIONS } }) {
  /**
   * @param {readonly import('@signalbox/core/lint').ExpressionField[]} fields
   * @param {string} before
   * @param {string} where
   * @returns {readonly (readonly string[])[]}
   */
  const rowsFor = (fields, before, where) =>
    fields.flatMap(({ name, about, fields: inner = [], each = [] }) => [
      [`\`${before}${name}\``, where, about],
      ...rowsFor(inner, `${before}${name}.`, where),
      ...rowsFor(each, `${before}${name}.TOOL.`, where),
    ])
  const places = { call: 'policies', stop: 'checkers' }
  const variables = EXPRESSION_VARIABLES.flatMap((variable) =>
    rowsFor([variable], '', variable.places.map((place) => places[place]).join(', ')),
  )
  return page(
    'Expression reference',
    'Conditions are [CEL](https://cel.dev). They occur in `expression` policies (`deny_when`, `require`), in `when` of an `approval` policy, and in `expression` checkers. A condition that cannot be evaluated denies. [Expressions](../../specs/expressions.md) has the limits, the errors and the differences from the CEL standard.',
    [
      `## Variables\n\n${table(['Name', 'Available in', 'Value'], variables)}`,
      '## Operators\n\n`== != < <= > >= + - * / % ! && || ?: in [] .`, lists `[1, 2]`, maps `{"a": 1}`, comments `// …`.',
      `## Functions and macros\n\n${table(
        ['Name', 'Result', 'Example'],
        EXPRESSION_FUNCTIONS.map(({ name, about, example }) => [
          `\`${name}\``,
          about,
          `\`${example}\``,
        ]),
      )}`,
    ],
  )
}

/** @param {string} help */
const listCommands = (help) => {
  const [, list = ''] = help.split('\nCommands:\n')
  return [...(list.split('\n\n')[0]?.matchAll(/^ {2}([a-z][a-z-]+)/gm) ?? [])]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
}

/** @param {Code} code */
async function commandsPage({ help }) {
  /** @param {readonly string[]} words @returns {Promise<readonly string[]>} */
  const describe = async (words) => {
    const text = await help(words)
    const inner = await Promise.all(listCommands(text).map((name) => describe([...words, name])))
    const title = ['signalbox', ...words].join(' ')
    return [
      `## ${title}\n\n<!-- generated -->\n\`\`\`text\n${text.trim()}\n\`\`\``,
      ...inner.flat(),
    ]
  }
  return page(
    'Command reference',
    'Every command of `signalbox`, as its `--help` shows it. Unless a command says otherwise, it exits with 0 when it is done or found nothing, 1 when it found something, and 2 when its input cannot be used.',
    await describe([]),
  )
}

/** Variables of runtimes, daemon and command: name, meaning, value when it is not set. @type {readonly (readonly [string, string, string])[]} */
const CLIENT_VARIABLES = [
  ['SIGNALBOX_URL', 'Address of the control plane', 'required, unless a config is given'],
  [
    'SIGNALBOX_API_KEY',
    'API key; it decides the project and the environment',
    'required with an address',
  ],
  ['SIGNALBOX_PROMPT', 'Prompt whose rules apply, as `ns/key`', 'the option `--prompt`'],
  [
    'SIGNALBOX_PUBLIC_KEY',
    'Key that must have signed configs and bundles',
    'the first key that the runtime sees',
  ],
  ['SIGNALBOX_SOCKET', 'Socket of the daemon for hooks', 'a file in the state folder of the user'],
  ['SIGNALBOX_AGENT_SOCKET', 'Socket of the daemon for agents', '`agent.sock` beside it'],
  ['SIGNALBOX_DAEMON_PORT', 'Port of the daemon on 127.0.0.1 for HTTP hooks, or `off`', '`7467`'],
  ['SIGNALBOX_AGENT_URL', 'Address of the daemon for the Python client', 'the socket'],
  ['SIGNALBOX_AGENT_TOKEN_FILE', 'File with the token for that address', 'none'],
]

function environmentPage() {
  const server = variables().map(({ name, about, must, fallback = '', secret }) => [
    `\`${name}\`${secret === true ? ' (secret)' : ''}`,
    cell(about),
    cell(must),
    cell(fallback),
  ])
  return page(
    'Environment variables',
    'A secret may also be in a file that `NAME_FILE` names. [Configure](../operations/configure.md) explains when to set which.',
    [
      `## Server\n\n${table(['Variable', 'Meaning', 'Must be', 'When it is not set'], server)}`,
      `## Runtimes, daemon and command\n\n${table(
        ['Variable', 'Meaning', 'When it is not set'],
        CLIENT_VARIABLES.map(([name, ...rest]) => [`\`${name}\``, ...rest]),
      )}`,
    ],
  )
}

/** Without the parameters, which all methods of an address share. @param {Readonly<Record<string, Operation>>} methods */
const listMethods = (methods) =>
  Object.entries(methods).filter(([method]) => /^(get|put|post|patch|delete)$/.test(method))

/** @param {OpenApi} document @param {(operation: Operation) => boolean} isShown */
function listOperations({ paths }, isShown) {
  return Object.entries(paths).flatMap(([address, methods]) =>
    listMethods(methods)
      .filter(([, operation]) => isShown(operation))
      .map(([method, { summary, description = '', ...operation }]) => [
        `\`${method.toUpperCase()} ${address}\``,
        cell(summary),
        cell(description),
        operation['x-scope'] === undefined ? '' : `\`${operation['x-scope']}\``,
      ]),
  )
}

function apiPage() {
  /** @type {OpenApi} */
  const document = readJson('specs/openapi.json')
  const head = ['Route', 'Does', 'Details', 'Scope of the key']
  return page(
    'API reference',
    'Every route for programs. Send the key as `Authorization: Bearer sbx_…`. Your server has the whole description, with schemas and examples, at `/api/openapi.json`, and shows it under Settings, API.',
    (document.tags ?? []).map(
      ({ name, description }) =>
        `## ${name}\n\n${description}\n\n${table(
          head,
          listOperations(document, ({ tags }) => tags?.includes(name) === true),
        )}`,
    ),
  )
}

/** @param {Code} code */
function agentProtocolPage({ agentApi }) {
  // `agentOpenApi` builds it from operations with these parts.
  const { paths } = /** @type {OpenApi} */ (agentApi)
  const rows = Object.entries(paths).flatMap(([address, methods]) =>
    listMethods(methods).map(([method, { summary, requestBody }]) => {
      const body = requestBody?.content['application/json']?.schema
      const fields = Object.keys(body?.properties ?? {}).map(
        (name) => `\`${name}${body?.required?.includes(name) ? '' : '?'}\``,
      )
      return [`\`${method.toUpperCase()} ${address}\``, summary, fields.join(', ')]
    }),
  )
  return page(
    'Agent protocol reference',
    'Calls that an agent in any language sends to `signalbox daemon`. The daemon has the whole description, with schemas, at `/agent/v1/openapi.json`. [Guard an agent in any language](../agents/protocol.md) shows a session.',
    [table(['Call', 'Does', 'Fields of the body (`?`: optional)'], rows)],
  )
}

async function metricsPage() {
  const known = [metrics.registry, metrics.installation]
  const all = (await Promise.all(known.map((registry) => registry.getMetricsAsJSON()))).flat()
  const rows = all
    .filter(({ name }) => name.startsWith('signalbox_'))
    .map(({ name, type, help }) => [`\`${name}\``, `${type}`, cell(help)])
  return page(
    'Metrics reference',
    'Metrics of the server at `/metrics`, in the format of Prometheus. [Monitor](../operations/monitor.md) has dashboards and alert rules. The process metrics of Node.js (`process_*`, `nodejs_*`) are there, too.',
    [table(['Metric', 'Type', 'Meaning'], rows)],
  )
}

function notRunPage() {
  const blocks = listAllBlocks().filter(({ isShown }) => !isShown)
  const rows = blocks.flatMap(({ file, text, notRun }) => {
    if (notRun === null) return []
    const [first = ''] = text.trim().split('\n')
    return [[`[${file}](../../${file})`, `\`${cell(first)}\``, cell(notRun)]]
  })
  return page(
    'Examples that are not run',
    `The documents contain ${blocks.length} programs, commands, configs and transcripts. The tests run all but ${rows.length} of them. These may be out of date.`,
    [table(['Document', 'Begins with', 'Reason'], rows)],
  )
}

/** Pages by file name in docs/reference. @param {Code} code @returns {Promise<Readonly<Record<string, string>>>} */
export async function renderReference(code) {
  return {
    'config.md': configPage(),
    'events.md': eventsPage(),
    'expressions.md': expressionsPage(code),
    'commands.md': await commandsPage(code),
    'environment.md': environmentPage(),
    'api.md': apiPage(),
    'agent-protocol.md': agentProtocolPage(code),
    'metrics.md': await metricsPage(),
    'not-run.md': notRunPage(),
  }
}

async function readCode() {
  const { run } = await import('../packages/cli/dist/run.js')
  const lint = await import('../packages/core/dist/lint/index.js')
  const { agentOpenApi } = await import('../packages/wire/dist/index.js')
  return {
    help: helpWith(run),
    lint,
    agentApi: agentOpenApi('0'),
  }
}

/** @param {(words: readonly string[], io: any, around: any) => Promise<number>} run @returns {Code['help']} */
export function helpWith(run) {
  const around = { env: {}, cwd: ROOT, home: '/home/user', node: 'node', entry: 'signalbox' }
  return async (words) => {
    /** @type {string[]} */
    const lines = []
    const io = { out: (/** @type {string} */ line) => lines.push(line), err: () => undefined }
    await run([...words, '--help'], io, around)
    return lines.join('\n')
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = path.join(ROOT, 'docs/reference')
  fs.mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(await renderReference(await readCode())))
    fs.writeFileSync(path.join(folder, name), text)
  // Metrics of the process keep timers.
  process.exit(0)
}
