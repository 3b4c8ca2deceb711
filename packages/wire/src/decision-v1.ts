import type {
  CheckResult,
  ContentDecision,
  FeedbackDelivered,
  RuleAnswer,
  StopDecision,
  ToolDecision,
} from '@signalbox/core'
import * as z from 'zod/v4'
import { TRIGGER_CONDITIONS } from './config-v1.ts'
import { AnyJsonObject } from './json-value.ts'
import { Count } from './names.ts'

const Text = z.string().max(100_000)
const Name = z.string().min(1).max(300)
const Mode = z.enum(['enforce', 'shadow', 'off'])
const Because = z.array(Count).max(10_000)

const RuleResultV1 = z.strictObject({
  rule: Name,
  pointer: Text,
  type: Name,
  mode: Mode,
  result: z.enum(['allow', 'deny', 'error']),
  code: Name,
  params: AnyJsonObject,
  because: Because,
  reason_class: z
    .enum(['rule_said_no', 'prerequisite_missing', 'could_not_evaluate'])
    .exactOptional(),
  reason: Text.exactOptional(),
})

export const ToolDecisionV1: z.ZodType<ToolDecision> = z.strictObject({
  call_id: Name,
  tool: Name,
  decision: z.enum(['allowed', 'denied', 'error']),
  reason: Text.nullable(),
  rules: z.array(RuleResultV1).max(2000),
})

export const ContentDecisionV1: z.ZodType<ContentDecision> = z.strictObject({
  call_id: Name,
  tool: Name,
  verdict: z.enum(['passed', 'masked', 'withheld']),
  text: Text.nullable(),
  rules: z.array(RuleResultV1).max(1000),
})

const advice = {
  severity: z.enum(['info', 'caution', 'warning']),
  summary: Text,
  observations: z
    .array(z.strictObject({ category: Text, description: Text, evidence: Text.exactOptional() }))
    .max(100),
  suggestions: z.array(Text).max(100),
}

export const RuleAnswerV1: z.ZodType<RuleAnswer> = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('policy'),
    allow: z.boolean(),
    reason: Text.exactOptional(),
  }),
  z.strictObject({
    kind: z.literal('feedback'),
    advice: z.strictObject({ ...advice, name: Name.exactOptional() }).nullable(),
  }),
  z.strictObject({
    kind: z.literal('check'),
    complete: z.boolean(),
    feedback: Text.exactOptional(),
    by: Name.exactOptional(),
  }),
  z.strictObject({ kind: z.literal('error'), error: Text }),
  z.strictObject({ kind: z.literal('unavailable') }),
])

export const FeedbackDeliveredV1: z.ZodType<FeedbackDelivered> = z.strictObject({
  provider: Name,
  type: Name.exactOptional(),
  name: Name,
  pointer: Text,
  mode: Mode,
  conditions: z.array(z.enum(TRIGGER_CONDITIONS)).max(TRIGGER_CONDITIONS.length),
  ...advice,
  call_index: Count,
  prompt: Name,
  call_id: Name,
  delivery: z.enum(['message', 'in_result', 'none']),
})

const CheckResultV1: z.ZodType<CheckResult> = z.lazy(() =>
  z.strictObject({
    checker: Name,
    pointer: Text,
    type: Name,
    status: z.enum([
      'passed',
      'nothing_to_check',
      'incomplete',
      'not_evaluated',
      'bypassed',
      'error',
    ]),
    code: Name,
    params: AnyJsonObject,
    feedback: Text.nullable(),
    because: Because,
    children: z.array(CheckResultV1).max(100).exactOptional(),
  }),
)

export const StopDecisionV1: z.ZodType<StopDecision> = z.strictObject({
  attempt: Count,
  verdict: z.enum(['allowed', 'blocked', 'bypassed', 'no_checker', 'error']),
  bypass: z.enum(['deadline', 'budget', 'max_blocks', 'ended']).exactOptional(),
  prior_blocks: Count,
  code: Name,
  params: AnyJsonObject,
  message: Text.nullable(),
  check: CheckResultV1.nullable(),
})
