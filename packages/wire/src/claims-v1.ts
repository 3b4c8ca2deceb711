// Questions about every run of a config, with the answers that its authors expect (specs/prove.md).
import * as z from 'zod/v4'
import { RuleId, ToolName } from './names.ts'

const after = z
  .array(ToolName)
  .min(1)
  .max(100)
  .describe('The success counts only if it is newer than the last success of each of these tools.')
  .exactOptional()

const Question = z.discriminatedUnion('ask', [
  z
    .strictObject({
      ask: z.literal('run_without'),
      tool: ToolName,
      needs: ToolName.describe('Tool that must have succeeded.'),
      after,
    })
    .describe('Can the tool run without the other one?'),
  z
    .strictObject({
      ask: z.literal('run_where'),
      tool: ToolName,
      when: z.string().min(1).max(10_000).describe('CEL condition over `args`.'),
    })
    .describe('Can the tool run with arguments for which the condition holds?'),
  z
    .strictObject({
      ask: z.literal('stop_without'),
      needs: ToolName.describe('Tool that must have succeeded.'),
      after,
    })
    .describe('Can a stop pass its checks without the tool?'),
  z
    .strictObject({ ask: z.literal('trapped') })
    .describe('Can the agent get into a state from which no stop can pass?'),
  z
    .strictObject({ ask: z.literal('decisive'), rule: RuleId })
    .describe('Does the policy alone ever refuse a call?'),
])

export const Claim = z.strictObject({
  question: Question,
  expect: z
    .enum(['never', 'possible'])
    .describe('`never`: no run may do it. `possible`: some run must be able to.'),
})
export type Claim = z.output<typeof Claim>

export const ClaimsV1 = z
  .strictObject({
    $schema: z.string().max(1000).exactOptional(),
    claims: z.array(Claim).max(1000),
  })
  .describe('What must hold for every run of a config.')
export type ClaimsV1 = z.output<typeof ClaimsV1>
