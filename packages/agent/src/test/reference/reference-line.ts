import fs from 'node:fs'
import * as z from 'zod/v4'

const Behavior = z.strictObject({
  /** `Type:message` of the error that the handler raises. */
  raise: z.string().optional(),
  success: z.boolean().optional(),
  message: z.string().optional(),
  writes: z.record(z.string(), z.string()).optional(),
})

const PolicyGiven = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('sequential_dependency'),
    dependencies: z.record(z.string(), z.array(z.string())),
  }),
  z.strictObject({ type: z.literal('read_before_write') }),
  z.strictObject({
    type: z.literal('custom'),
    name: z.string(),
    deny: z.strictObject({ tools: z.array(z.string()), reason: z.string().nullable() }).optional(),
    raise_on_check: z.string().optional(),
  }),
])

const ProviderGiven = z.strictObject({
  provider: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('static'), feedback: z.string() }),
    z.strictObject({ type: z.literal('deadline') }),
    z.strictObject({
      type: z.literal('custom'),
      name: z.string(),
      summary: z.string(),
      raise_in: z.literal('should_run'),
      error: z.string(),
    }),
  ]),
  trigger: z.strictObject({
    every_n_calls: z.number().optional(),
    every_n_seconds: z.number().optional(),
    on_file_created: z.string().optional(),
  }),
})

const Given = z.strictObject({
  prompt: z.strictObject({
    ns: z.string(),
    key: z.string(),
    tools: z.array(z.string()).default([]),
    sections: z.array(z.strictObject({ key: z.string(), tools: z.array(z.string()) })).default([]),
    policies: z.array(PolicyGiven).default([]),
    feedback_providers: z.array(ProviderGiven).default([]),
  }),
  filesystem: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('memory'), files: z.record(z.string(), z.string()) }),
      z.strictObject({ kind: z.literal('none') }),
    ])
    .default({ kind: 'memory', files: {} }),
  deadline: z.strictObject({ in_seconds: z.number(), started_seconds_ago: z.number() }).optional(),
  adapter: z.string().optional(),
})

const CheckerGiven: z.ZodType<CheckerGiven> = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('file_output'), files: z.array(z.string()) }),
    z.strictObject({ type: z.literal('plan'), plan_type: z.boolean().optional() }),
    z.strictObject({
      type: z.literal('fixed'),
      complete: z.boolean(),
      feedback: z.string().nullable(),
      name: z.string().default('fixed'),
    }),
    z.strictObject({
      type: z.literal('composite'),
      checkers: z.array(CheckerGiven),
      all_must_pass: z.boolean(),
    }),
  ]),
)

export type CheckerGiven =
  | { readonly type: 'file_output'; readonly files: string[] }
  | { readonly type: 'plan'; readonly plan_type?: boolean | undefined }
  | {
      readonly type: 'fixed'
      readonly complete: boolean
      readonly feedback: string | null
      readonly name: string
    }
  | {
      readonly type: 'composite'
      readonly checkers: CheckerGiven[]
      readonly all_must_pass: boolean
    }

const step = <Op extends string, Shape extends z.ZodRawShape>(op: Op, shape: Shape) =>
  z.strictObject({ op: z.literal(op), ...shape })
const seconds = z.number()

const Step = z.discriminatedUnion('op', [
  step('tool', {
    name: z.string(),
    params: z.record(z.string(), z.json()),
    behavior: Behavior.default({}),
  }),
  step('tool_invoked', { count: z.number().default(1) }),
  step('feedback', {}),
  step('provide', {}),
  step('advance', { seconds }),
  step('plan', { steps: z.array(z.strictObject({ title: z.string(), status: z.string() })) }),
  step('snapshot', { as: z.string() }),
  step('restore', { from: z.string() }),
  step('reset', {}),
  step('checker', { checker: CheckerGiven }),
  step('format_duration', { seconds }),
  step('make_budget', {
    max_total_tokens: z.number().optional(),
    max_input_tokens: z.number().optional(),
    max_output_tokens: z.number().optional(),
  }),
  step('make_deadline', { in_seconds: seconds }),
  step('deadline_info', {}),
  step('mailbox_create', { max_size: z.number().optional() }),
  step('send', { body: z.string().default('b') }),
  step('receive', {
    visibility_timeout: seconds.optional(),
    max_messages: z.number().default(1),
    as: z.string().default('m'),
  }),
  step('ack', { msg: z.string() }),
  step('nack', { msg: z.string() }),
  step('extend', { msg: z.string(), timeout: seconds }),
  step('count', {}),
  step('lease_attach', {
    record: z.boolean().optional(),
    interval: seconds.optional(),
    extension: seconds.optional(),
  }),
  step('lease_detach', {}),
  step('beat', {}),
  step('extends', {}),
])

export const AnswerValue = z.json()
const Json = AnswerValue
const Raised = z.strictObject({ type: z.string(), message: z.string() })
const Result = z.strictObject({
  result: Json.optional(),
  raised: Raised.optional(),
  policy_log: z.array(z.array(z.string())).optional(),
  checker_log: z.array(z.record(z.string(), Json)).optional(),
})

const Answers = z.strictObject({
  setup_raised: Raised.optional(),
  results: z.array(Result).optional(),
  final_state: z
    .strictObject({
      policy_state: z
        .strictObject({
          policy_name: z.string(),
          invoked_tools: z.array(z.string()),
          invoked_keys: z.array(z.array(z.string())),
        })
        .nullable(),
      policy_state_count: z.number(),
      fired_filenames: z.array(z.string()),
      feedback: z.array(z.record(z.string(), Json)),
      tool_invoked: z.array(
        z.strictObject({
          name: z.string(),
          prompt_name: z.string(),
          success: z.boolean().nullable(),
          rendered_output: z.string(),
        }),
      ),
      notes: z.array(Json),
      plan: Json,
      files: z.array(z.string()),
    })
    .optional(),
})

const ReferenceLine = z.strictObject({
  id: z.string(),
  area: z.string(),
  description: z.string(),
  given: Given,
  when: z.array(Step),
  /** Called `then` in the file. */
  answers: Answers,
  oracle: z.string(),
})

export type ReferenceLine = z.output<typeof ReferenceLine>
export type ReferenceStep = ReferenceLine['when'][number]
export type StepOf<Op extends ReferenceStep['op']> = Extract<ReferenceStep, { op: Op }>
export type Answer = z.output<typeof Result>
export type Answers = z.output<typeof Answers>

/** Throws on an operation or a field that the translator does not know. */
export function readReference(file: string): readonly ReferenceLine[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n')
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const { then: answers, ...rest } = JSON.parse(line)
      return ReferenceLine.parse({ ...rest, answers })
    })
}
