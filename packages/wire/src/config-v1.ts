// The config document, version 1, as a schema. Its type is core's: a field that core does not know does not compile.
import type {
  CheckerDocument,
  ConfigDocument,
  FeedbackProviderDocument,
  KnownPolicyDocument,
  KnownProviderDocument,
  PolicyDocument,
  SectionDocument,
  UnknownProviderDocument,
  UnknownRuleDocument,
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

const KnownPolicyV1: z.ZodType<KnownPolicyDocument> = z.discriminatedUnion('type', [
  SequentialDependencyV1,
  ReadBeforeWriteV1,
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

const KnownProviderV1: z.ZodType<KnownProviderDocument> = z.discriminatedUnion('type', [
  DeadlineProviderV1,
  StaticProviderV1,
])

const POLICY_TYPES = ['sequential_dependency', 'read_before_write']
const PROVIDER_TYPES = ['deadline', 'static']

/** A type that this build does not know; without the exclusion a mistake in a known, optional rule would pass as one. */
function unknownType(known: readonly string[]): z.ZodType<string> {
  return z
    .string()
    .min(1)
    .max(100)
    .refine((type) => !known.includes(type), { abort: true })
}

/** Fields of an unknown type are kept, whatever they are. */
const UnknownPolicyV1: z.ZodType<UnknownRuleDocument> = z.looseObject({
  ...rule,
  type: unknownType(POLICY_TYPES),
  optional: z.literal(true),
})

const UnknownProviderV1: z.ZodType<UnknownProviderDocument> = z.looseObject({
  ...rule,
  type: unknownType(PROVIDER_TYPES),
  optional: z.literal(true),
  trigger: TriggerV1,
})

const PolicyV1: z.ZodType<PolicyDocument> = z.union([KnownPolicyV1, UnknownPolicyV1])
const FeedbackProviderV1: z.ZodType<FeedbackProviderDocument> = z.union([
  KnownProviderV1,
  UnknownProviderV1,
])

const CheckerV1: z.ZodType<CheckerDocument> = z.lazy(() =>
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
  ]),
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
  limits: z
    .strictObject({ max_stop_blocks: z.int().min(0).max(1000).exactOptional() })
    .exactOptional(),
  redaction: z.array(RedactionRuleV1).max(200).exactOptional(),
  metadata: AnyJsonObject.exactOptional(),
})
