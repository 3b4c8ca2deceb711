// The config document, version 1, as a schema. Its type is core's: a field that core does not know does not compile.
import type {
  CheckerDocument,
  ConfigDocument,
  CustomCheckerDocument,
  CustomPolicyDocument,
  CustomProviderDocument,
  FeedbackProviderDocument,
  KnownCheckerDocument,
  KnownPolicyDocument,
  KnownProviderDocument,
  LeaseDocument,
  PolicyDocument,
  RedactionKind,
  SectionDocument,
  TriggerCondition,
} from '@signalbox/core'
import * as z from 'zod/v4'
import { AnyJsonObject } from './json-value.ts'
import { FilePath, HarnessToolName, PromptKey, PromptNs, RuleId, ToolName } from './names.ts'

/** `title: 'tool'` marks the fields where editors offer tool names. */
const Tool = ToolName.meta({ title: 'tool', description: 'Name of a tool, as rules see it.' })
const toolNames = z.array(Tool).max(200)

const Id = RuleId.describe('Unique in the config; decisions and audits name the rule by it.')
const Optional = z
  .boolean()
  .describe('True: a runtime that does not know the type skips the rule instead of refusing.')

const rule = {
  id: Id,
  mode: z
    .enum(['enforce', 'shadow', 'off'])
    .describe('enforce: it decides (also when absent). shadow: it is only recorded. off: skipped.')
    .exactOptional(),
  optional: Optional.exactOptional(),
}

const Expression = z.string().min(1).max(4000)
const Sentence = z.string().min(1).max(2000)

/** The schema of one member of a union of documents. */
type SchemaOf<Document, Type> = z.ZodType<Extract<Document, { readonly type: Type }>>

/** In their order, as a union takes them. */
export function listSchemas<Schema>(
  schemas: Readonly<Record<string, Schema>> | readonly Schema[],
): [Schema, ...Schema[]] {
  const [first, ...others] = Object.values(schemas)
  if (first === undefined) throw new Error('A union needs a schema.')
  return [first, ...others]
}

/** A schema for each type; forgetting one does not compile. */
const POLICIES = {
  sequential_dependency: z
    .strictObject({
      ...rule,
      type: z.literal('sequential_dependency'),
      dependencies: z
        .record(Tool, toolNames)
        .describe('For each tool, the tools that must have succeeded before it.'),
    })
    .describe('A tool may run only after others have succeeded.'),
  read_before_write: z
    .strictObject({
      ...rule,
      type: z.literal('read_before_write'),
      read_tools: toolNames.describe('Tools that read a file.'),
      write_tools: toolNames.describe('Tools that change a file.'),
      path_params: z
        .array(z.string().min(1).max(100))
        .min(1)
        .max(20)
        .describe('Arguments that may hold the path; the first that is text does.')
        .exactOptional(),
      mount_point: z
        .string()
        .min(1)
        .max(1000)
        .describe('Folder that relative paths start from.')
        .exactOptional(),
      reads_expire_on_change: z
        .boolean()
        .describe('True: a file that changed since must be read again.')
        .exactOptional(),
      writes_count_as_reads: z
        .boolean()
        .describe('True: who wrote a file knows it, and need not read it.')
        .exactOptional(),
    })
    .describe('An existing file may be changed only after it was read.'),
  expression: z
    .strictObject({
      ...rule,
      type: z.literal('expression'),
      tools: toolNames.describe('Tools that it governs; absent: all.').exactOptional(),
      deny_when: Expression.describe('CEL. The call is denied when it is true.').exactOptional(),
      require: Expression.describe('CEL. The call is denied unless it is true.').exactOptional(),
      reason: Sentence.describe('What the agent is told when it is denied.').exactOptional(),
    })
    .describe('A condition in CEL over the call and the session.'),
  rate_limit: z
    .strictObject({
      ...rule,
      type: z.literal('rate_limit'),
      tools: toolNames.describe('Tools that are counted together.'),
      max_calls: z.int().min(1).max(100_000).describe('Calls that are allowed in the window.'),
      per_seconds: z.number().gt(0).max(31_536_000).describe('Length of the window in seconds.'),
    })
    .describe('At most so many calls in a window of time.'),
  approval: z
    .strictObject({
      ...rule,
      type: z.literal('approval'),
      tools: toolNames.describe('Tools that need a yes.'),
      timeout_seconds: z
        .number()
        .gt(0)
        .max(604_800)
        .describe('Seconds to wait for an answer; then the call is denied.'),
    })
    .describe('A person must say yes before the call runs.'),
} as const satisfies {
  readonly [Type in KnownPolicyDocument['type']]: SchemaOf<KnownPolicyDocument, Type>
}

const KnownPolicyV1: z.ZodType<KnownPolicyDocument> = z.discriminatedUnion(
  'type',
  listSchemas(POLICIES),
)

const TRIGGER = {
  every_n_calls: z
    .int()
    .min(1)
    .max(1_000_000)
    .describe('After so many tool calls.')
    .exactOptional(),
  every_n_seconds: z
    .number()
    .gt(0)
    .max(31_536_000)
    .describe('After so many seconds.')
    .exactOptional(),
  on_file_created: z
    .strictObject({ filename: FilePath.describe('Path of the file in the workspace.') })
    .describe('Once, when the file exists.')
    .exactOptional(),
} as const satisfies { readonly [Condition in TriggerCondition]: z.ZodType }

/** Names of the conditions. TypeScript types the keys of every object as string. */
export const TRIGGER_CONDITIONS = Object.keys(TRIGGER) as [TriggerCondition, ...TriggerCondition[]]

const TriggerV1 = z
  .strictObject(TRIGGER)
  .describe('When the provider is asked; any of the conditions is enough.')

const Times = z.int().min(2).max(1000)

const PROVIDERS = {
  deadline: z
    .strictObject({
      ...rule,
      type: z.literal('deadline'),
      trigger: TriggerV1,
      warning_threshold_seconds: z
        .number()
        .min(0)
        .max(31_536_000)
        .describe('Seconds left from which on it warns.')
        .exactOptional(),
    })
    .describe('Tells how much time is left.'),
  static: z
    .strictObject({
      ...rule,
      type: z.literal('static'),
      trigger: TriggerV1,
      feedback: z.string().min(1).max(20_000).describe('What the agent is told.'),
    })
    .describe('Says the same sentence each time.'),
  tool_usage: z
    .strictObject({
      ...rule,
      type: z.literal('tool_usage'),
      trigger: TriggerV1,
      max_calls_without_progress: z
        .int()
        .min(1)
        .max(1_000_000)
        .describe('Calls above which it cautions; absent: 20.')
        .exactOptional(),
    })
    .describe('Tells how many calls were made, and cautions when they are many.'),
  repeated_failure: z
    .strictObject({
      ...rule,
      type: z.literal('repeated_failure'),
      trigger: TriggerV1,
      tool: Tool.exactOptional(),
      times: Times.describe('Failures in a row.').exactOptional(),
    })
    .describe('Speaks when a tool fails again and again.'),
  repeated_call: z
    .strictObject({
      ...rule,
      type: z.literal('repeated_call'),
      trigger: TriggerV1,
      times: Times.describe('Equal calls in a row.').exactOptional(),
    })
    .describe('Speaks when the same call is made again and again.'),
} as const satisfies {
  readonly [Type in KnownProviderDocument['type']]: SchemaOf<KnownProviderDocument, Type>
}

const KnownProviderV1: z.ZodType<KnownProviderDocument> = z.discriminatedUnion(
  'type',
  listSchemas(PROVIDERS),
)

/** A custom type; without the exclusion a mistake in a known rule would pass as one. */
function customType(known: object): z.ZodType<string> {
  return z
    .string()
    .min(1)
    .max(100)
    .refine((type) => !Object.hasOwn(known, type), { abort: true })
}

/** All fields of an unknown type are kept. */
const CustomPolicyV1: z.ZodType<CustomPolicyDocument> = z.looseObject({
  ...rule,
  type: customType(POLICIES),
  tools: toolNames.describe('Tools that it governs; absent: all.').exactOptional(),
  params: AnyJsonObject.describe('Handed to the code of the runtime.').exactOptional(),
})

const CustomProviderV1: z.ZodType<CustomProviderDocument> = z.looseObject({
  ...rule,
  type: customType(PROVIDERS),
  trigger: TriggerV1,
  params: AnyJsonObject.describe('Handed to the code of the runtime.').exactOptional(),
})

const PolicyV1: z.ZodType<PolicyDocument> = z.union([KnownPolicyV1, CustomPolicyV1])
const FeedbackProviderV1: z.ZodType<FeedbackProviderDocument> = z.union([
  KnownProviderV1,
  CustomProviderV1,
])

const CHECKERS = {
  plan: z
    .strictObject({ id: Id, type: z.literal('plan') })
    .describe('Every step of the plan is done.'),
  files_exist: z
    .strictObject({
      id: Id,
      type: z.literal('files_exist'),
      files: z.array(FilePath).min(1).max(200).describe('Paths in the workspace.'),
    })
    .describe('The files exist.'),
  composite: z
    .strictObject({
      id: Id,
      type: z.literal('composite'),
      checkers: z
        .array(z.lazy(() => CheckerV1))
        .max(100)
        .describe('Asked in this order.'),
      all_must_pass: z
        .boolean()
        .describe('True, or absent: all must pass. False: one is enough.')
        .exactOptional(),
    })
    .describe('Several checks as one.'),
  tool_succeeded: z
    .strictObject({
      id: Id,
      type: z.literal('tool_succeeded'),
      tool: Tool,
      after: toolNames
        .describe('It must have succeeded again after the last call of these.')
        .exactOptional(),
    })
    .describe('A tool has succeeded.'),
  llm_judge: z
    .strictObject({
      id: Id,
      type: z.literal('llm_judge'),
      criteria: z.string().min(1).max(20_000).describe('What must be so, in words for the model.'),
      require_adapter: z
        .boolean()
        .describe('True: without a judge in the runtime the stop is blocked.')
        .exactOptional(),
    })
    .describe('A model judges the result.'),
  expression: z
    .strictObject({
      id: Id,
      type: z.literal('expression'),
      require: Expression.describe('CEL. It passes when it is true.'),
      feedback: Sentence.describe('What the agent is told while it is not.').exactOptional(),
    })
    .describe('A condition in CEL over the session.'),
} as const satisfies {
  readonly [Type in KnownCheckerDocument['type']]: SchemaOf<KnownCheckerDocument, Type>
}

const KnownCheckerV1: z.ZodType<KnownCheckerDocument> = z.discriminatedUnion(
  'type',
  listSchemas(CHECKERS),
)

const CustomCheckerV1: z.ZodType<CustomCheckerDocument> = z.looseObject({
  id: Id,
  type: customType(CHECKERS),
  optional: Optional.exactOptional(),
  params: AnyJsonObject.describe('Handed to the code of the runtime.').exactOptional(),
})

const CheckerV1: z.ZodType<CheckerDocument> = z.lazy(() =>
  z.union([KnownCheckerV1, CustomCheckerV1]),
)

const SectionV1: z.ZodType<SectionDocument> = z.lazy(() =>
  z
    .strictObject({
      id: Id,
      title: z.string().max(200).describe('Heading of the section.').exactOptional(),
      tools: toolNames.describe('Tools that the section brings.').exactOptional(),
      policies: z
        .array(PolicyV1)
        .max(200)
        .describe('Policies for the tools of this section.')
        .exactOptional(),
      sections: z.array(SectionV1).max(100).describe('Sections within this one.').exactOptional(),
    })
    .describe('A part of the prompt with its tools.'),
)

const Seconds = z.number().gt(0).max(31_536_000)

const LeaseV1: z.ZodType<LeaseDocument> = z.strictObject({
  visibility_timeout: Seconds.describe(
    'Seconds that a message stays hidden from other workers.',
  ).exactOptional(),
  watchdog_threshold: Seconds.describe(
    'Seconds without a beat after which a worker counts as hung.',
  ).exactOptional(),
  max_processing_time: Seconds.describe(
    'Seconds after which a message is given up.',
  ).exactOptional(),
  extension: Seconds.describe('Seconds from now that an extension asks for.').exactOptional(),
  interval: Seconds.describe('Seconds between two extensions at least.').exactOptional(),
})

const REDACTION = {
  keys: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(200)
    .describe('Names of fields whose values are removed.')
    .exactOptional(),
  literals: z
    .array(z.string().min(4).max(1000))
    .min(1)
    .max(200)
    .describe('Texts that are removed wherever they stand.')
    .exactOptional(),
} as const satisfies { readonly [Kind in RedactionKind]: z.ZodType }

const RedactionRuleV1 = z.strictObject({ id: Id, ...REDACTION })

export const ConfigV1: z.ZodType<ConfigDocument> = z.strictObject({
  schema_version: z.literal(1).describe('Always 1.'),
  ns: PromptNs.describe('Namespace of the prompt.'),
  key: PromptKey.describe('Name of the prompt in its namespace.'),
  name: z.string().min(1).max(200).describe('What people read instead of ns/key.').exactOptional(),
  description: z.string().max(10_000).describe('What the prompt is for.').exactOptional(),
  aliases: z
    .record(HarnessToolName, Tool)
    .describe('Names of tools in the harness, each with its name in rules.')
    .exactOptional(),
  sections: z
    .array(SectionV1)
    .max(100)
    .describe('Parts of the prompt and the tools that they bring.')
    .exactOptional(),
  policies: z
    .array(PolicyV1)
    .max(500)
    .describe('Rules that decide on tool calls. One denial is enough.')
    .exactOptional(),
  feedback_providers: z
    .array(FeedbackProviderV1)
    .max(200)
    .describe('Rules that advise the agent after tool calls.')
    .exactOptional(),
  feedback_exclusive: z
    .boolean()
    .describe('True: only the first matching provider speaks.')
    .exactOptional(),
  task_completion_checker: CheckerV1.describe(
    'What must be so before the agent may stop. Absent: stops are not checked.',
  ).exactOptional(),
  final_verification: z
    .enum(['warning', 'error'])
    .describe(
      'error: an output given with an incomplete task fails the run. warning: it is reported.',
    )
    .exactOptional(),
  lease: LeaseV1.describe('How a worker keeps a message while the agent works.').exactOptional(),
  limits: z
    .strictObject({
      max_stop_blocks: z
        .int()
        .min(0)
        .max(1000)
        .describe('Blocked stops in a session, after which a stop is let go; absent: 10.')
        .exactOptional(),
    })
    .describe('Bounds of a session.')
    .exactOptional(),
  redaction: z
    .array(RedactionRuleV1)
    .max(200)
    .describe('What is removed from events before they leave the process.')
    .exactOptional(),
  metadata: AnyJsonObject.describe('Anything of yours; nothing reads it.').exactOptional(),
})
