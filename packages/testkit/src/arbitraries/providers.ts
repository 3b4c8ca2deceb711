import type { FeedbackProviderDocument, RuleMode, TriggerDocument } from '@signalbox/core'
import fc from 'fast-check'
import { CUSTOM_TYPES, tool } from './alphabet.ts'

const mode = fc.constantFrom<RuleMode>('enforce', 'shadow', 'off')
const times = fc.integer({ min: 2, max: 4 })

const trigger: fc.Arbitrary<TriggerDocument> = fc
  .record(
    {
      every_n_calls: fc.integer({ min: 1, max: 5 }),
      every_n_seconds: fc.integer({ min: 1, max: 90 }),
      on_file_created: fc.constant({ filename: 'AGENTS.md' }),
    },
    { requiredKeys: [] },
  )
  .filter((fields) => Object.keys(fields).length > 0)

const base = { mode, trigger }

type WithoutId = fc.Arbitrary<(id: string) => FeedbackProviderDocument>

export const providerWithoutId: WithoutId = fc.oneof(
  fc
    .record({ ...base, warning_threshold_seconds: fc.integer({ min: 1, max: 200 }) })
    .map((fields) => (id: string) => ({ id, type: 'deadline', ...fields }) as const),
  fc
    .record({ ...base, feedback: fc.string({ minLength: 1, maxLength: 20 }) })
    .map((fields) => (id: string) => ({ id, type: 'static', ...fields }) as const),
  fc
    .record({ ...base, max_calls_without_progress: fc.integer({ min: 1, max: 6 }) })
    .map((fields) => (id: string) => ({ id, type: 'tool_usage', ...fields }) as const),
  fc
    .record({ ...base, times, tool }, { requiredKeys: ['mode', 'trigger', 'times'] })
    .map((fields) => (id: string) => ({ id, type: 'repeated_failure', ...fields }) as const),
  fc
    .record({ ...base, times })
    .map((fields) => (id: string) => ({ id, type: 'repeated_call', ...fields }) as const),
)

export const extendedProviderWithoutId: WithoutId = fc.oneof(
  { arbitrary: providerWithoutId, weight: 3 },
  {
    arbitrary: fc
      .record(base)
      .map((fields) => (id: string) => ({ id, type: CUSTOM_TYPES[2], ...fields })),
    weight: 1,
  },
)
