// Random policies. Each is valid on its own; the caller assigns the id.
import type { PolicyDocument, RuleMode } from '@signalbox/core'
import fc from 'fast-check'
import { CUSTOM_TYPES, TOOLS, tool } from './alphabet.ts'

/** Prerequisites point backwards only, so no random config has a cycle. */
const EARLIER = new Map(TOOLS.map((name, i) => [name, TOOLS.slice(0, i)]))

const mode = fc.constantFrom<RuleMode>('enforce', 'enforce', 'shadow', 'off')
const tools = fc.uniqueArray(tool, { minLength: 1, maxLength: 3 })

const dependencies = fc
  .uniqueArray(tool, { maxLength: 4 })
  .chain((names) =>
    fc.record(
      Object.fromEntries(
        names.map((name) => [name, fc.subarray([...(EARLIER.get(name) ?? [])])] as const),
      ),
    ),
  )

/** Tools that are no prerequisite, because a success that makes itself outdated is an error. Empty: the rule has none. */
const orders = dependencies.chain((names) => {
  const needed = new Set(Object.values(names).flat())
  const after = fc.subarray(TOOLS.filter((name) => !needed.has(name)))
  return after.map((list) => ({
    dependencies: names,
    ...(list.length === 0 ? {} : { after: list }),
  }))
})

type WithoutId<Document> = fc.Arbitrary<(id: string) => Document>

export const policyWithoutId: WithoutId<PolicyDocument> = fc.oneof(
  fc.record({ mode, order: orders }).map(
    ({ order, ...fields }) =>
      (id: string) =>
        ({ id, type: 'sequential_dependency', ...fields, ...order }) as const,
  ),
  fc
    .record({ mode, reads_expire_on_change: fc.boolean(), writes_count_as_reads: fc.boolean() })
    .map(
      (fields) => (id: string) =>
        ({
          id,
          type: 'read_before_write',
          read_tools: ['read_file'],
          write_tools: ['write_file'],
          ...fields,
        }) as const,
    ),
  fc
    .record({
      mode,
      tools,
      max_calls: fc.integer({ min: 1, max: 3 }),
      per_seconds: fc.integer({ min: 1, max: 120 }),
    })
    .map((fields) => (id: string) => ({ id, type: 'rate_limit', ...fields }) as const),
  fc
    .record({ mode, tools, timeout_seconds: fc.integer({ min: 1, max: 60 }) })
    .map((fields) => (id: string) => ({ id, type: 'approval', ...fields }) as const),
)

const condition = fc.constantFrom(
  'args.path == "a.txt"',
  'args.force',
  'tool == "deploy" && calls.test.succeeded == 0',
  'session.calls > 3',
  'session.remaining_seconds < 60',
)

export const extendedPolicyWithoutId: WithoutId<PolicyDocument> = fc.oneof(
  { arbitrary: policyWithoutId, weight: 2 },
  {
    arbitrary: fc
      .record({ mode, tools, reason: fc.constant('Not now.') }, { requiredKeys: [] })
      .chain((fields) =>
        fc
          .record({ require: fc.boolean(), condition })
          .map(({ require, condition: source }) => (id: string) => {
            const head = { id, type: 'expression', ...fields } as const
            return require ? { ...head, require: source } : { ...head, deny_when: source }
          }),
      ),
    weight: 1,
  },
  {
    arbitrary: fc
      .record({ mode, tools, when: condition, timeout_seconds: fc.integer({ min: 1, max: 60 }) })
      .map((fields) => (id: string) => ({ id, type: 'approval', ...fields }) as const),
    weight: 1,
  },
  {
    arbitrary: fc
      .record({ mode, tools }, { requiredKeys: [] })
      .map((fields) => (id: string) => ({ id, type: CUSTOM_TYPES[1], ...fields })),
    weight: 1,
  },
)
