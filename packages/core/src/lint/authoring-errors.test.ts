// The checked entry point refuses these documents. If one is used nevertheless, the engine denies, blocks the agent or stays silent, for
// any log.
import { CUSTOM_TYPES, eventLog } from '@signalbox/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replay } from '../analysis/index.ts'
import { factsNeeded } from '../host/index.ts'
import {
  type CompiledConfig,
  type ConfigDocument,
  compileConfig,
  type Effect,
  initialState,
  type PolicyDocument,
  type SessionEvent,
} from '../index.ts'
import { compileChecked } from './index.ts'

const HEAD = { schema_version: 1, ns: 'a', key: 'b' } as const
const options = { customTypes: CUSTOM_TYPES }
const order = (dependencies: Record<string, readonly string[]>): Partial<ConfigDocument> => ({
  policies: [{ id: 'order', type: 'sequential_dependency', dependencies }],
})
const guidance = (trigger: object): Partial<ConfigDocument> => ({
  feedback_providers: [{ id: 'hint', type: 'static', feedback: 'Look.', trigger }],
})

interface Row {
  readonly code: string
  readonly fields: Partial<ConfigDocument>
  readonly never: (effect: Effect) => boolean
}

const lets = (...tools: readonly string[]) => {
  return (effect: Effect): boolean =>
    effect.kind === 'tool.decided' &&
    effect.data.decision === 'allowed' &&
    tools.includes(effect.data.tool)
}
const speaks = ({ kind }: Effect): boolean => kind === 'feedback.delivered'

const ROWS: readonly Row[] = [
  {
    code: 'dependency_cycle',
    fields: order({ build: ['test'], test: ['build'] }),
    never: lets('build', 'test'),
  },
  { code: 'self_dependency', fields: order({ build: ['build'] }), never: lets('build') },
  {
    code: 'self_dependency',
    fields: {
      policies: [
        {
          id: 'order',
          type: 'sequential_dependency',
          dependencies: { build: ['test'] },
          after: ['test'],
        },
      ],
    },
    never: lets('build'),
  },
  {
    code: 'unmet_prerequisite',
    fields: { ...order({ build: ['absent'] }), sections: [{ id: 's', tools: ['build'] }] },
    never: lets('build'),
  },
  {
    code: 'no_read_tool',
    fields: {
      policies: [
        {
          id: 'f',
          type: 'read_before_write',
          read_tools: [],
          write_tools: ['write_file'],
          writes_count_as_reads: false,
        },
      ],
    },
    never: (effect) =>
      effect.kind === 'tool.decided' &&
      effect.data.rules.some(({ code }) => code === 'file.was_read'),
  },
  { code: 'empty_trigger', fields: guidance({}), never: speaks },
  {
    code: 'file_outside_workspace',
    fields: guidance({ on_file_created: { filename: '../out.txt' } }),
    never: speaks,
  },
  {
    code: 'file_outside_workspace',
    fields: {
      task_completion_checker: { id: 'c', type: 'files_exist', files: ['a.txt', '../out.txt'] },
    },
    never: (effect) => effect.kind === 'stop.decided' && effect.data.verdict === 'allowed',
  },
]

function compileOrThrow(document: ConfigDocument): CompiledConfig {
  const result = compileConfig(document, options)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.config
}

describe.each(ROWS)('a config with the error $code', ({ code, fields, never }) => {
  const document = { ...HEAD, ...fields }

  it('is refused by compileChecked', () => {
    const result = compileChecked(document, options)
    expect(result.ok).toBe(false)
    expect(result.problems.map((problem) => problem.code)).toContain(code)
  })

  it('allows nothing and gives no feedback in the engine, and requests no file outside the workspace', () => {
    const config = compileOrThrow(document)
    fc.assert(
      fc.property(eventLog, (events) => {
        const effects = [...replay(config, events)].map(({ effect }) => effect)
        expect(effects.filter(never)).toEqual([])
        expect(filesAskedFor(config, events)).not.toContain('../out.txt')
      }),
    )
  })
})

function filesAskedFor(config: CompiledConfig, events: readonly SessionEvent[]): readonly string[] {
  const state = initialState(config.promptName)
  return events.flatMap((event) => factsNeeded(config, state, event).files)
}

it('the engine refuses a tool in two sections, which would escape a rule', () => {
  const limit: PolicyDocument = {
    id: 'limit',
    type: 'rate_limit',
    tools: ['build'],
    max_calls: 1,
    per_seconds: 1,
  }
  const sections = [
    { id: 'strict', tools: ['build'], policies: [limit] },
    { id: 'open', tools: ['build'] },
  ]
  const result = compileConfig({ ...HEAD, sections })
  expect(result.problems.map(({ code }) => code)).toEqual(['duplicate_tool'])
})
