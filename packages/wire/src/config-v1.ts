// Schema of the config document, version 1. Its type is core's, so a field that core does not know does not compile.
import type {
  CheckerDocument,
  ConfigDocument,
  ConfigSource,
  ContentRuleDocument,
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

/** `title: 'tool'` marks the fields in which editors suggest tool names. */
const Tool = ToolName.meta({
  title: 'tool',
  description: 'Canonical name of a tool, as used in rules.',
})
const toolNames = z.array(Tool).max(200)

const Id = RuleId.describe(
  'Unique in the config; decisions and the audit log refer to the rule by it.',
)
const Optional = z
  .boolean()
  .describe(
    'True: a runtime that does not know the type skips the rule instead of rejecting the config.',
  )

const rule = {
  id: Id,
  mode: z
    .enum(['enforce', 'shadow', 'off'])
    .describe(
      'enforce (default): the rule decides. shadow: its result is only recorded. off: the rule is skipped.',
    )
    .exactOptional(),
  optional: Optional.exactOptional(),
}

const Expression = z.string().min(1).max(4000)
/** One of two fields. */
const Condition = z.string().min(1, 'Enter a condition in “Deny when” or “Require”.').max(4000)
const Sentence = z.string().min(1).max(2000)

type SchemaOf<Document, Type> = z.ZodType<Extract<Document, { readonly type: Type }>>

export function listSchemas<Schema>(
  schemas: Readonly<Record<string, Schema>> | readonly Schema[],
): [Schema, ...Schema[]] {
  const [first, ...others] = Object.values(schemas)
  if (first === undefined) throw new Error('A union needs a schema.')
  return [first, ...others]
}

/** A schema for each type; a missing one does not compile. */
const POLICIES = {
  sequential_dependency: z
    .strictObject({
      ...rule,
      type: z.literal('sequential_dependency'),
      dependencies: z
        .record(Tool, toolNames)
        .describe('For each tool, the tools that must have succeeded before it.'),
      after: toolNames
        .describe(
          'The tools before must have succeeded after the last success of each of these. Absent: a success stays valid.',
        )
        .exactOptional(),
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
        .describe('Names of arguments that may contain a path or a list of paths.')
        .exactOptional(),
      mount_point: z
        .string()
        .min(1)
        .max(1000)
        .describe('Prefix under which tools see the workspace.')
        .exactOptional(),
      reads_expire_on_change: z
        .boolean()
        .describe('True: a file that changed since the read must be read again.')
        .exactOptional(),
      writes_count_as_reads: z
        .boolean()
        .describe('True: a file that the agent wrote counts as read.')
        .exactOptional(),
    })
    .describe('An existing file may be changed only after it has been read.'),
  expression: z
    .strictObject({
      ...rule,
      type: z.literal('expression'),
      tools: toolNames.describe('Tools that the rule governs. Absent: all tools.').exactOptional(),
      deny_when: Condition.describe('CEL. The call is denied when it is true.').exactOptional(),
      require: Condition.describe('CEL. The call is denied unless it is true.').exactOptional(),
      reason: Sentence.describe('Message for the agent when the call is denied.').exactOptional(),
    })
    .describe('A condition in CEL over the call and the session.'),
  rate_limit: z
    .strictObject({
      ...rule,
      type: z.literal('rate_limit'),
      tools: toolNames.describe('Tools that are counted together.'),
      max_calls: z.int().min(1).max(100_000).describe('Number of calls allowed in the window.'),
      per_seconds: z.number().gt(0).max(31_536_000).describe('Length of the window in seconds.'),
    })
    .describe('Limits the number of calls in a time window.'),
  approval: z
    .strictObject({
      ...rule,
      type: z.literal('approval'),
      tools: toolNames.describe('Tools that need approval.'),
      when: Expression.describe(
        'CEL. No one is asked when it is false. Absent: every call needs approval.',
      ).exactOptional(),
      timeout_seconds: z
        .number()
        .gt(0)
        .max(604_800)
        .describe('Seconds to wait for an answer; then the call is denied.'),
    })
    .describe('A reviewer must approve the call before it runs.'),
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
    .describe('After this many tool calls.')
    .exactOptional(),
  every_n_seconds: z
    .number()
    .gt(0)
    .max(31_536_000)
    .describe('After this many seconds.')
    .exactOptional(),
  on_file_created: z
    .strictObject({ filename: FilePath.describe('Path of the file in the workspace.') })
    .describe('Once, as soon as the file exists.')
    .exactOptional(),
} as const satisfies { readonly [Condition in TriggerCondition]: z.ZodType }

/** Object.keys is typed as a list of strings. */
export const TRIGGER_CONDITIONS = Object.keys(TRIGGER) as [TriggerCondition, ...TriggerCondition[]]

const TriggerV1 = z
  .strictObject(TRIGGER)
  .describe('When the provider runs; any one of the conditions is enough.')

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
        .describe('Remaining seconds below which the message is a warning.')
        .exactOptional(),
    })
    .describe('Reports the remaining time.'),
  static: z
    .strictObject({
      ...rule,
      type: z.literal('static'),
      trigger: TriggerV1,
      feedback: z.string().min(1).max(20_000).describe('Message for the agent.'),
    })
    .describe('Gives the same message each time.'),
  tool_usage: z
    .strictObject({
      ...rule,
      type: z.literal('tool_usage'),
      trigger: TriggerV1,
      max_calls_without_progress: z
        .int()
        .min(1)
        .max(1_000_000)
        .describe('Number of calls above which the message is a caution. Default: 20.')
        .exactOptional(),
    })
    .describe('Reports the number of calls, with a caution above a limit.'),
  repeated_failure: z
    .strictObject({
      ...rule,
      type: z.literal('repeated_failure'),
      trigger: TriggerV1,
      tool: Tool.exactOptional(),
      times: Times.describe('Number of consecutive failures.').exactOptional(),
    })
    .describe('Gives feedback when a tool fails repeatedly.'),
  repeated_call: z
    .strictObject({
      ...rule,
      type: z.literal('repeated_call'),
      trigger: TriggerV1,
      times: Times.describe('Number of consecutive identical calls.').exactOptional(),
    })
    .describe('Gives feedback when the same call is repeated.'),
} as const satisfies {
  readonly [Type in KnownProviderDocument['type']]: SchemaOf<KnownProviderDocument, Type>
}

const KnownProviderV1: z.ZodType<KnownProviderDocument> = z.discriminatedUnion(
  'type',
  listSchemas(PROVIDERS),
)

/** Accepts custom types only. If known types were accepted, a mistake in a known rule would pass as a custom rule. */
function customType(known: object): z.ZodType<string> {
  return z
    .string()
    .min(1)
    .max(100)
    .refine((type) => !Object.hasOwn(known, type), { abort: true })
}

const CustomPolicyV1: z.ZodType<CustomPolicyDocument> = z.looseObject({
  ...rule,
  type: customType(POLICIES),
  tools: toolNames.describe('Tools that the rule governs. Absent: all tools.').exactOptional(),
  params: AnyJsonObject.describe("Settings passed to the runtime's code.").exactOptional(),
})

const CustomProviderV1: z.ZodType<CustomProviderDocument> = z.looseObject({
  ...rule,
  type: customType(PROVIDERS),
  trigger: TriggerV1,
  params: AnyJsonObject.describe("Settings passed to the runtime's code.").exactOptional(),
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
        .describe('Evaluated in this order.'),
      all_must_pass: z
        .boolean()
        .describe('True (default): all checks must pass. False: one is enough.')
        .exactOptional(),
    })
    .describe('Combines several checks.'),
  tool_succeeded: z
    .strictObject({
      id: Id,
      type: z.literal('tool_succeeded'),
      tool: Tool,
      after: toolNames
        .describe('The tool must have succeeded after the last success of each of these tools.')
        .exactOptional(),
    })
    .describe('A tool has succeeded.'),
  llm_judge: z
    .strictObject({
      id: Id,
      type: z.literal('llm_judge'),
      criteria: z
        .string()
        .min(1)
        .max(20_000)
        .describe('Condition for completion, in words for the model.'),
      require_adapter: z
        .boolean()
        .describe('True: the stop is blocked if the runtime has no judge.')
        .exactOptional(),
    })
    .describe('A model judges the result.'),
  expression: z
    .strictObject({
      id: Id,
      type: z.literal('expression'),
      require: Expression.describe('CEL. The check passes when it is true.'),
      feedback: Sentence.describe(
        'Message for the agent while the condition is false.',
      ).exactOptional(),
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
  params: AnyJsonObject.describe("Settings passed to the runtime's code.").exactOptional(),
})

const CheckerV1: z.ZodType<CheckerDocument> = z.lazy(() =>
  z.union([KnownCheckerV1, CustomCheckerV1]),
)

const content = {
  id: Id,
  mode: rule.mode,
  on: z
    .enum(['arguments', 'result'])
    .describe('arguments: before the call. result: before the model reads it.'),
  tools: toolNames.describe('Tools that the rule governs. Absent: all tools.').exactOptional(),
  action: z
    .enum(['deny', 'withhold', 'mask', 'warn'])
    .describe('Effect of a finding. withhold: results only, where deny means the same.'),
  on_unsupported: z
    .enum(['refuse', 'warn'])
    .describe(
      'Effect in a harness that cannot replace the value. refuse (default): the config is not used there. warn: the agent is warned, and the session shows a gap.',
    )
    .exactOptional(),
}

const CONTENT = {
  secrets: z
    .strictObject({ ...content, kind: z.literal('secrets') })
    .describe('Credentials and keys of known services.'),
  pii: z
    .strictObject({ ...content, kind: z.literal('pii') })
    .describe('Email addresses, payment cards, bank accounts and the like.'),
  pattern: z
    .strictObject({
      ...content,
      kind: z.literal('pattern'),
      matches: z.string().min(1).max(1000).describe('Regular expression in RE2 syntax.'),
    })
    .describe('Text that matches a regular expression.'),
  size: z
    .strictObject({
      ...content,
      kind: z.literal('size'),
      max_chars: z.int().min(1).max(100_000_000).describe('Longest text, in characters.'),
    })
    .describe('More text than a limit.'),
} as const satisfies {
  readonly [Kind in ContentRuleDocument['kind']]: z.ZodType<
    Extract<ContentRuleDocument, { readonly kind: Kind }>
  >
}

const ContentV1: z.ZodType<ContentRuleDocument> = z.discriminatedUnion('kind', listSchemas(CONTENT))

const SectionV1: z.ZodType<SectionDocument> = z.lazy(() =>
  z
    .strictObject({
      id: Id,
      title: z.string().max(200).describe('Heading of the section.').exactOptional(),
      tools: toolNames.describe('Tools that the section declares.').exactOptional(),
      policies: z
        .array(PolicyV1)
        .max(200)
        .describe('Policies for the tools of this section.')
        .exactOptional(),
      content: z
        .array(ContentV1)
        .max(200)
        .describe('Content rules for the tools of this section.')
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
    'Seconds without a heartbeat after which a worker counts as stuck.',
  ).exactOptional(),
  max_processing_time: Seconds.describe(
    'Longest time in seconds that processing one message is expected to take.',
  ).exactOptional(),
  extension: Seconds.describe(
    'Seconds by which an extension prolongs the lease from now.',
  ).exactOptional(),
  interval: Seconds.describe('Minimum number of seconds between two extensions.').exactOptional(),
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
    .describe('Texts that are removed from every string.')
    .exactOptional(),
} as const satisfies { readonly [Kind in RedactionKind]: z.ZodType }

const RedactionRuleV1 = z.strictObject({ id: Id, ...REDACTION })

const FIELDS = {
  schema_version: z.literal(1).describe('Always 1.'),
  ns: PromptNs.describe('Namespace of the prompt.'),
  key: PromptKey.describe('Name of the prompt in its namespace.'),
  name: z
    .string()
    .min(1)
    .max(200)
    .describe('Display name, shown instead of ns/key.')
    .exactOptional(),
  description: z.string().max(10_000).describe('Purpose of the prompt.').exactOptional(),
  aliases: z
    .record(HarnessToolName, Tool)
    .describe('Native names of tools in the harness, each with its canonical name in rules.')
    .exactOptional(),
  sections: z
    .array(SectionV1)
    .max(100)
    .describe('Parts of the prompt and the tools that they declare.')
    .exactOptional(),
  policies: z
    .array(PolicyV1)
    .max(500)
    .describe('Rules that decide on tool calls. One denial is enough.')
    .exactOptional(),
  content: z
    .array(ContentV1)
    .max(200)
    .describe('Rules on what arguments and results contain.')
    .exactOptional(),
  feedback_providers: z
    .array(FeedbackProviderV1)
    .max(200)
    .describe('Rules that advise the agent after tool calls.')
    .exactOptional(),
  feedback_exclusive: z
    .boolean()
    .describe('True: only the first provider with feedback delivers it.')
    .exactOptional(),
  task_completion_checker: CheckerV1.describe(
    'Conditions that must hold before the agent may stop. Absent: stops are not checked.',
  ).exactOptional(),
  final_verification: z
    .enum(['warning', 'error'])
    .describe('error: an output of an incomplete task fails the run. warning: it is only reported.')
    .exactOptional(),
  lease: LeaseV1.describe("Lease of the worker's message while the agent works.").exactOptional(),
  limits: z
    .strictObject({
      max_stop_blocks: z
        .int()
        .min(0)
        .max(1000)
        .describe('Number of blocked stops after which the next stop is allowed. Default: 10.')
        .exactOptional(),
    })
    .describe('Limits of a session.')
    .exactOptional(),
  redaction: z
    .array(RedactionRuleV1)
    .max(200)
    .describe('Data that is removed from events before they leave the process.')
    .exactOptional(),
  metadata: AnyJsonObject.describe('Your own data; Signalbox does not read it.').exactOptional(),
}

export const ConfigV1: z.ZodType<ConfigDocument> = z.strictObject(FIELDS)

export const Extends = z
  .string()
  .max(240)
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._/-]*\/[A-Za-z0-9][A-Za-z0-9._-]*@[1-9][0-9]{0,8}$/,
    'Use "ns/key@version", for example "acme/base@3".',
  )
  .describe('Version of another config whose rules this one adds to, as "ns/key@version".')

/** The form that people write. A publish resolves `extends` into a flat document. */
export const ConfigSourceV1: z.ZodType<ConfigSource> = z.strictObject({
  ...FIELDS,
  extends: Extends.exactOptional(),
})
