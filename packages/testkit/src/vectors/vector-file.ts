// Published as specs/schemas/vectors-v1.json (specs/vectors/README.md).
import * as z from 'zod/v4'

const Json = z.json()
const JsonObject = z.record(z.string(), Json)
const Position = z.int().min(1).describe('Position of an event in the list, from 1.')

const head = {
  id: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/),
  why: z.string().min(20).describe('The rule that the vector tests, and what would break it.'),
}

const Config = JsonObject.describe(
  'A config document, version 1. Absent: schema_version 1, ns "v", key "p".',
)

const Event = z.strictObject({
  type: z.string().min(1),
  at: z
    .int()
    .min(0)
    .exactOptional()
    .describe('Epoch ms. Absent: that of the previous event, or 0.'),
  data: JsonObject.describe('Absent in session.started: ns, key, environment, harness.'),
})

const ExpectedEffect = z.strictObject({
  event: Position,
  effect: z.enum([
    'tool.decided',
    'content.decided',
    'approval.requested',
    'feedback.delivered',
    'feedback.failed',
    'stop.decided',
    'anomaly',
  ]),
  data: JsonObject.describe(
    'Every named field must match; a field with {"$absent": true} must be absent.',
  ),
})

const ExpectedNeeds = z.strictObject({
  event: Position,
  files: z.array(z.string()).default([]),
  links: z.array(z.string()).default([]),
  answers: z
    .array(
      z.strictObject({
        rule: z.string(),
        type: z.string(),
        kind: z.enum(['policy', 'feedback', 'check']),
      }),
    )
    .default([]),
})

const ExpectedText = z.strictObject({ event: Position, xml: z.string(), plain: z.string() })

const FoldVector = z.strictObject({
  ...head,
  config: Config,
  custom_types: z
    .array(z.string())
    .default([])
    .describe('Rule types answered by code outside core.'),
  events: z.array(Event).min(1),
  expect: z.array(ExpectedEffect).default([]).describe('All effects in order; see README.'),
  needs: z.array(ExpectedNeeds).default([]).describe('Facts missing just before an event.'),
  text: z.array(ExpectedText).default([]).describe('The text that the agent reads after an event.'),
})

const CompileVector = z.strictObject({
  ...head,
  config: Config,
  custom_types: z.union([z.array(z.string()), z.literal('any')]).default([]),
  expressions: z.boolean().default(true).describe('True: there is an engine for conditions.'),
  refused: z.boolean(),
  problems: z
    .array(
      z.strictObject({
        severity: z.enum(['error', 'warning']),
        code: z.string(),
        pointer: z.string(),
        message: z.string().exactOptional(),
      }),
    )
    .describe('All problems, in order.'),
})

const RenderVector = z.strictObject({
  ...head,
  deliveries: z.array(JsonObject),
  xml: z.string(),
  plain: z.string(),
})

const DurationVector = z.strictObject({
  ...head,
  semantics: z.int().min(1).default(1).describe('Number of the rules. Absent: 1.'),
  seconds: z.number(),
  text: z.string(),
})

const PathVector = z.strictObject({
  ...head,
  path: z.string(),
  workspace_root: z.string().nullable().default(null),
  mount_point: z.string().nullable().default(null),
  normal: z.string().nullable().describe('null: outside the workspace.'),
})

const CohortVector = z.strictObject({
  ...head,
  salt: z.string().min(1).max(64),
  session: z.string().min(1),
  point: z
    .int()
    .min(0)
    .max(999)
    .describe('The session is within every share above this point, per mille.'),
})

const InheritVector = z.strictObject({
  ...head,
  base: JsonObject.describe('Config document that is extended.'),
  own: JsonObject.describe('Config document that extends it, without `extends`.'),
  document: JsonObject.describe('The flat document.'),
  origins: z.record(z.string(), z.enum(['base', 'stricter', 'own'])).describe('By rule id.'),
  looser: z
    .array(z.strictObject({ pointer: z.string(), message: z.string() }))
    .describe('Why it is refused, with pointers into `own`; empty: it is as strict as the base.'),
})

const area = { area: z.string(), $schema: z.string().exactOptional() }

export const VectorFile = z.discriminatedUnion('kind', [
  z.strictObject({ ...area, kind: z.literal('fold'), vectors: z.array(FoldVector) }),
  z.strictObject({ ...area, kind: z.literal('compile'), vectors: z.array(CompileVector) }),
  z.strictObject({ ...area, kind: z.literal('render'), vectors: z.array(RenderVector) }),
  z.strictObject({ ...area, kind: z.literal('duration'), vectors: z.array(DurationVector) }),
  z.strictObject({ ...area, kind: z.literal('path'), vectors: z.array(PathVector) }),
  z.strictObject({ ...area, kind: z.literal('cohort'), vectors: z.array(CohortVector) }),
  z.strictObject({ ...area, kind: z.literal('inherit'), vectors: z.array(InheritVector) }),
])

export type VectorFile = z.output<typeof VectorFile>
export type FoldVector = z.output<typeof FoldVector>
export type CompileVector = z.output<typeof CompileVector>
export type RenderVector = z.output<typeof RenderVector>
export type DurationVector = z.output<typeof DurationVector>
export type InheritVector = z.output<typeof InheritVector>
export type PathVector = z.output<typeof PathVector>

export function vectorsJsonSchema(): object {
  return z.toJSONSchema(VectorFile, { io: 'input' })
}
