import { CUSTOM_TYPES, extendedConfigDocument } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { celExpressions } from '../expression/index.ts'
import {
  type ConfigDocument,
  isJsonObject,
  type JsonValue,
  type Problem,
  type ProblemFix,
} from '../index.ts'
import { lintConfig, nearestName } from './index.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const options = { expressions: celExpressions(), customTypes: CUSTOM_TYPES }

const sections = [{ id: 's', tools: ['lint', 'test', 'deploy'] }]
const order = (dependencies: object, id = 'order') => ({
  id,
  type: 'sequential_dependency',
  dependencies,
})
const hint = (trigger: object, type = 'static') => ({ id: 'hint', type, feedback: 'x', trigger })
const files = (read_tools: readonly string[], write_tools: readonly string[]) => ({
  id: 'files',
  type: 'read_before_write',
  read_tools,
  write_tools,
})
const tree = (...checkers: readonly object[]) => ({
  task_completion_checker: { id: 'tree', type: 'composite', checkers },
})
const truth = { id: 'truth', type: 'expression', require: 'true' }

const set = (pointer: string, value: JsonValue): ProblemFix => ({ kind: 'set', pointer, value })
const remove = (pointer: string): ProblemFix => ({ kind: 'remove', pointer })

const TABLE: readonly (readonly [code: string, fields: object, fix: ProblemFix])[] = [
  [
    'duplicate_section_id',
    { sections: [{ id: 's' }, { id: 's-2' }, { id: 's' }] },
    set('/sections/2/id', 's-3'),
  ],
  [
    'duplicate_rule_id',
    { policies: [order({ a: ['b'] }), order({ c: ['d'] })] },
    set('/policies/1/id', 'order-2'),
  ],
  [
    'duplicate_tool',
    { sections: [...sections, { id: 't', tools: ['ci', 'lint'] }] },
    remove('/sections/1/tools/1'),
  ],
  [
    'unknown_type',
    { policies: [{ ...order({ a: ['b'] }), type: 'sequental_dependency' }] },
    set('/policies/0/type', 'sequential_dependency'),
  ],
  ['self_dependency', { policies: [order({ a: ['a'] })] }, remove('/policies/0/dependencies/a/0')],
  [
    'self_dependency',
    { policies: [{ ...order({ a: ['b'] }), after: ['c', 'b'] }] },
    remove('/policies/0/after/1'),
  ],
  [
    'dependency_cycle',
    { policies: [order({ a: ['b'], b: ['a'] })] },
    remove('/policies/0/dependencies/a/0'),
  ],
  [
    'unmet_prerequisite',
    { sections, policies: [order({ deploy: ['lnt'] })] },
    set('/policies/0/dependencies/deploy/0', 'lint'),
  ],
  [
    'unmet_prerequisite',
    { sections, policies: [order({ deploy: ['security_scan'] })] },
    remove('/policies/0/dependencies/deploy/0'),
  ],
  [
    'undeclared_tool',
    { sections, policies: [order({ deplooy: ['lint'] })] },
    { kind: 'rename', pointer: '/policies/0/dependencies/deplooy', name: 'deploy' },
  ],
  [
    'undeclared_tool',
    { sections, policies: [files(['lint'], ['Test'])] },
    set('/policies/0/write_tools/0', 'test'),
  ],
  [
    'check_never_passes',
    { sections, task_completion_checker: { id: 'c', type: 'tool_succeeded', tool: 'tests' } },
    set('/task_completion_checker/tool', 'test'),
  ],
  ['check_always_passes', tree(truth), remove('/task_completion_checker/checkers/0')],
  [
    'unreachable_check',
    tree({ ...truth, require: 'false' }, { id: 'plan', type: 'plan' }),
    remove('/task_completion_checker/checkers/1'),
  ],
  ['empty_composite', tree(), remove('/task_completion_checker')],
  [
    'empty_trigger',
    { feedback_providers: [hint({})] },
    set('/feedback_providers/0/trigger/every_n_calls', 10),
  ],
  [
    'noisy_trigger',
    { feedback_providers: [hint({ every_n_calls: 1 })] },
    set('/feedback_providers/0/trigger/every_n_calls', 10),
  ],
  [
    'threshold_shorter_than_period',
    { feedback_providers: [hint({ every_n_seconds: 300 }, 'deadline')] },
    set('/feedback_providers/0/trigger/every_n_seconds', 120),
  ],
  [
    'file_outside_workspace',
    { feedback_providers: [hint({ on_file_created: { filename: '../../out/a.txt' } })] },
    set('/feedback_providers/0/trigger/on_file_created/filename', 'out/a.txt'),
  ],
  ['rule_without_effect', { policies: [order({})] }, remove('/policies/0')],
  [
    'provider_never_heard',
    {
      feedback_exclusive: true,
      feedback_providers: [
        { ...hint({ every_n_calls: 1 }), id: 'loud' },
        hint({ every_n_calls: 5 }),
      ],
    },
    remove('/feedback_providers/1'),
  ],
  [
    'only_writers_read',
    { policies: [files(['open'], ['open', 'write'])] },
    set('/policies/0/write_tools', ['write']),
  ],
  [
    'stops_never_blocked',
    { limits: { max_stop_blocks: 0 }, task_completion_checker: { id: 'p', type: 'plan' } },
    remove('/limits/max_stop_blocks'),
  ],
  ['lease_calibration', { lease: { interval: 150 } }, set('/lease/interval', 149)],
  ['lease_calibration', { lease: { extension: 1800 } }, set('/lease/extension', 1799)],
  [
    'lease_calibration',
    { lease: { visibility_timeout: 1320 } },
    set('/lease/visibility_timeout', 1321),
  ],
]

function lintDocument(document: ConfigDocument): readonly Problem[] {
  return lintConfig(document, options)
}

/** Rows are written as stored JSON; lint itself checks their types. */
function createDocument(fields: object): ConfigDocument {
  return { ...HEAD, ...fields } as ConfigDocument
}

function repaired(value: JsonValue, steps: readonly string[], fix: ProblemFix): JsonValue {
  const [step = '', ...rest] = steps
  if (Array.isArray(value)) {
    const items: readonly JsonValue[] = value
    const at = Number(step)
    if (rest.length > 0) {
      return items.map((item, n) => (n === at ? repaired(item, rest, fix) : item))
    }
    return fix.kind === 'set' ? items.with(at, fix.value) : items.toSpliced(at, 1)
  }
  const fields = isJsonObject(value) ? value : {}
  if (rest.length > 0) return { ...fields, [step]: repaired(fields[step] ?? {}, rest, fix) }
  const { [step]: old = null, ...others } = fields
  if (fix.kind === 'set') return { ...fields, [step]: fix.value }
  return fix.kind === 'remove' ? others : { ...others, [fix.name]: old }
}

function applied(document: ConfigDocument, fix: ProblemFix): ConfigDocument {
  const steps = fix.pointer.split('/').slice(1)
  // A document is JSON, and lint reports below what changed.
  return repaired(document as unknown as JsonValue, steps, fix) as unknown as ConfigDocument
}

describe.each(TABLE)('%s', (code, fields, fix) => {
  const document = createDocument(fields)

  it('has a fix that removes the problem', () => {
    const problem = lintDocument(document).find((one) => one.code === code)
    expect(problem?.fix).toEqual(fix)
    const left = lintDocument(applied(document, fix))
    expect(left.filter((one) => one.code === code && one.pointer === problem?.pointer)).toEqual([])
  })
})

test('a lint fix leaves fewer problems of its code, or none at its position', () => {
  fc.assert(
    fc.property(extendedConfigDocument, (document) => {
      const before = lintDocument(document)
      for (const { code, pointer, fix } of before) {
        if (fix === undefined) continue
        const after = lintDocument(applied(document, fix)).filter((one) => one.code === code)
        const isGone = after.every((one) => one.pointer !== pointer)
        const isLess = after.length < before.filter((one) => one.code === code).length
        expect([code, isGone || isLess]).toEqual([code, true])
      }
    }),
    { numRuns: 500 },
  )
})

test.each([
  ['lnt', ['list', 'lint', 'links'], 'lint'],
  ['Read-File', ['write_file', 'read_file'], 'read_file'],
  ['ab', ['xy', 'abcdef'], null],
  ['lint', ['lint'], null],
  ['deploy', [], null],
  ['run_test', ['run_tasks', 'run-tests', 'run_texts'], 'run-tests'],
  ['tests', ['test', 'texts', 'tests_'], 'test'],
  ['writefile', ['write_file', 'writefiles'], 'write_file'],
  ['lint', ['Lint', 'LINT'], 'Lint'],
  ['kitten', ['sitting', 'mitten'], 'mitten'],
] as const)('the name nearest to %s among %j is %s', (name, known, meant) => {
  expect(nearestName(name, known)).toBe(meant)
})
