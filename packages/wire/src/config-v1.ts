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
  SectionDocument,
} from '@signalbox/core'
import { z } from 'zod'
import { AnyJsonObject } from './json-value.ts'
import { FilePath, HarnessToolName, PromptKey, PromptNs, RuleId, ToolName } from './names.ts'

const rule = {
  id: RuleId,
  mode: z.enum(['enforce', 'shadow', 'off']).exactOptional(),
  optional: z.boolean().exactOptional(),
}

const toolNames = z.array(ToolName).max(200)

const SequentialDependencyV1 = z.strictObject({
  ...rule,
  type: z.literal('sequential_dependency'),
  dependencies: z.record(ToolName, toolNames),
})

const ReadBeforeWriteV1 = z.strictObject({
  ...rule,
  type: z.literal('read_before_write'),
  read_tools: toolNames,
  write_tools: toolNames,
  path_params: z.array(z.string().min(1).max(100)).min(1).max(20).exactOptional(),
  mount_point: z.string().min(1).max(1000).exactOptional(),
  reads_expire_on_change: z.boolean().exactOptional(),
  writes_count_as_reads: z.boolean().exactOptional(),
})

const Expression = z.string().min(1).max(4000)
const Sentence = z.string().min(1).max(2000)

const ExpressionPolicyV1 = z.strictObject({
  ...rule,
  type: z.literal('expression'),
  tools: toolNames.exactOptional(),
  deny_when: Expression.exactOptional(),
  require: Expression.exactOptional(),
  reason: Sentence.exactOptional(),
})

const RateLimitV1 = z.strictObject({
  ...rule,
  type: z.literal('rate_limit'),
  tools: toolNames,
  max_calls: z.int().min(1).max(100_000),
  per_seconds: z.number().gt(0).max(31_536_000),
})

const ApprovalV1 = z.strictObject({
  ...rule,
  type: z.literal('approval'),
  tools: toolNames,
  timeout_seconds: z.number().gt(0).max(604_800),
})

const KnownPolicyV1: z.ZodType<KnownPolicyDocument> = z.discriminatedUnion('type', [
  SequentialDependencyV1,
  ReadBeforeWriteV1,
  ExpressionPolicyV1,
  RateLimitV1,
  ApprovalV1,
])

const TriggerV1 = z.strictObject({
  every_n_calls: z.int().min(1).max(1_000_000).exactOptional(),
  every_n_seconds: z.number().gt(0).max(31_536_000).exactOptional(),
  on_file_created: z.strictObject({ filename: FilePath }).exactOptional(),
})

const DeadlineProviderV1 = z.strictObject({
  ...rule,
  type: z.literal('deadline'),
  trigger: TriggerV1,
  warning_threshold_seconds: z.number().min(0).max(31_536_000).exactOptional(),
})

const StaticProviderV1 = z.strictObject({
  ...rule,
  type: z.literal('static'),
  trigger: TriggerV1,
  feedback: z.string().min(1).max(20_000),
})

const Times = z.int().min(2).max(1000)

const ToolUsageProviderV1 = z.strictObject({
  ...rule,
  type: z.literal('tool_usage'),
  trigger: TriggerV1,
  max_calls_without_progress: z.int().min(1).max(1_000_000).exactOptional(),
})

const RepeatedFailureProviderV1 = z.strictObject({
  ...rule,
  type: z.literal('repeated_failure'),
  trigger: TriggerV1,
  tool: ToolName.exactOptional(),
  times: Times.exactOptional(),
})

const RepeatedCallProviderV1 = z.strictObject({
  ...rule,
  type: z.literal('repeated_call'),
  trigger: TriggerV1,
  times: Times.exactOptional(),
})

const KnownProviderV1: z.ZodType<KnownProviderDocument> = z.discriminatedUnion('type', [
  DeadlineProviderV1,
  StaticProviderV1,
  ToolUsageProviderV1,
  RepeatedFailureProviderV1,
  RepeatedCallProviderV1,
])

/** As an object, so that forgetting a type does not compile. */
const POLICY_TYPES: Record<KnownPolicyDocument['type'], true> = {
  sequential_dependency: true,
  read_before_write: true,
  expression: true,
  rate_limit: true,
  approval: true,
}
const PROVIDER_TYPES: Record<KnownProviderDocument['type'], true> = {
  deadline: true,
  static: true,
  tool_usage: true,
  repeated_failure: true,
  repeated_call: true,
}
const CHECKER_TYPES: Record<KnownCheckerDocument['type'], true> = {
  plan: true,
  files_exist: true,
  composite: true,
  tool_succeeded: true,
  llm_judge: true,
  expression: true,
}

/** A custom type; without the exclusion a mistake in a known rule would pass as one. */
function customType(known: Readonly<Record<string, true>>): z.ZodType<string> {
  return z
    .string()
    .min(1)
    .max(100)
    .refine((type) => !Object.hasOwn(known, type), { abort: true })
}

/** Fields of a type that is not known here are kept, whatever they are. */
const CustomPolicyV1: z.ZodType<CustomPolicyDocument> = z.looseObject({
  ...rule,
  type: customType(POLICY_TYPES),
  tools: toolNames.exactOptional(),
  params: AnyJsonObject.exactOptional(),
})

const CustomProviderV1: z.ZodType<CustomProviderDocument> = z.looseObject({
  ...rule,
  type: customType(PROVIDER_TYPES),
  trigger: TriggerV1,
  params: AnyJsonObject.exactOptional(),
})

const PolicyV1: z.ZodType<PolicyDocument> = z.union([KnownPolicyV1, CustomPolicyV1])
const FeedbackProviderV1: z.ZodType<FeedbackProviderDocument> = z.union([
  KnownProviderV1,
  CustomProviderV1,
])

const KnownCheckerV1: z.ZodType<KnownCheckerDocument> = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ id: RuleId, type: z.literal('plan') }),
    z.strictObject({
      id: RuleId,
      type: z.literal('files_exist'),
      files: z.array(FilePath).min(1).max(200),
    }),
    z.strictObject({
      id: RuleId,
      type: z.literal('composite'),
      checkers: z.array(CheckerV1).max(100),
      all_must_pass: z.boolean().exactOptional(),
    }),
    z.strictObject({
      id: RuleId,
      type: z.literal('tool_succeeded'),
      tool: ToolName,
      after: toolNames.exactOptional(),
    }),
    z.strictObject({
      id: RuleId,
      type: z.literal('llm_judge'),
      criteria: z.string().min(1).max(20_000),
      require_adapter: z.boolean().exactOptional(),
    }),
    z.strictObject({
      id: RuleId,
      type: z.literal('expression'),
      require: Expression,
      feedback: Sentence.exactOptional(),
    }),
  ]),
)

const CustomCheckerV1: z.ZodType<CustomCheckerDocument> = z.looseObject({
  id: RuleId,
  type: customType(CHECKER_TYPES),
  optional: z.boolean().exactOptional(),
  params: AnyJsonObject.exactOptional(),
})

const CheckerV1: z.ZodType<CheckerDocument> = z.lazy(() =>
  z.union([KnownCheckerV1, CustomCheckerV1]),
)

const SectionV1: z.ZodType<SectionDocument> = z.lazy(() =>
  z.strictObject({
    id: RuleId,
    title: z.string().max(200).exactOptional(),
    tools: toolNames.exactOptional(),
    policies: z.array(PolicyV1).max(200).exactOptional(),
    sections: z.array(SectionV1).max(100).exactOptional(),
  }),
)

const Seconds = z.number().gt(0).max(31_536_000)

const LeaseV1: z.ZodType<LeaseDocument> = z.strictObject({
  visibility_timeout: Seconds.exactOptional(),
  watchdog_threshold: Seconds.exactOptional(),
  max_processing_time: Seconds.exactOptional(),
  extension: Seconds.exactOptional(),
  interval: Seconds.exactOptional(),
})

const RedactionRuleV1 = z.strictObject({
  id: RuleId,
  keys: z.array(z.string().min(1).max(200)).min(1).max(200).exactOptional(),
  literals: z.array(z.string().min(4).max(1000)).min(1).max(200).exactOptional(),
})

export const ConfigV1: z.ZodType<ConfigDocument> = z.strictObject({
  schema_version: z.literal(1),
  ns: PromptNs,
  key: PromptKey,
  name: z.string().min(1).max(200).exactOptional(),
  description: z.string().max(10_000).exactOptional(),
  aliases: z.record(HarnessToolName, ToolName).exactOptional(),
  sections: z.array(SectionV1).max(100).exactOptional(),
  policies: z.array(PolicyV1).max(500).exactOptional(),
  feedback_providers: z.array(FeedbackProviderV1).max(200).exactOptional(),
  feedback_exclusive: z.boolean().exactOptional(),
  task_completion_checker: CheckerV1.exactOptional(),
  final_verification: z.enum(['warning', 'error']).exactOptional(),
  lease: LeaseV1.exactOptional(),
  limits: z
    .strictObject({ max_stop_blocks: z.int().min(0).max(1000).exactOptional() })
    .exactOptional(),
  redaction: z.array(RedactionRuleV1).max(200).exactOptional(),
  metadata: AnyJsonObject.exactOptional(),
})
