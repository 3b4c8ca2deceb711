import { omitUndefined } from '@signalbox/core'
import { durationText } from '@signalbox/core/host'
import {
  Budget,
  CompositeChecker,
  Deadline,
  FilesExistChecker,
  PlanBasedChecker,
  type TaskCompletionChecker,
} from '../../index.ts'
import type { AgentWorld } from './agent-world.ts'
import type { Answer, CheckerGiven, StepOf } from './reference-line.ts'

type Heard = NonNullable<Answer['checker_log']>

export async function askChecker(
  { checker }: StepOf<'checker'>,
  { run, workspace }: AgentWorld,
): Promise<Answer> {
  const heard: Heard = []
  const { session } = run
  const context = { session, ...omitUndefined({ filesystem: workspace ?? undefined }) }
  const { complete, feedback = null } = await buildChecker(checker, heard).check(context)
  return { result: { complete, feedback }, checker_log: heard }
}

function buildChecker(given: CheckerGiven, heard: Heard): TaskCompletionChecker {
  switch (given.type) {
    case 'file_output':
      return new FilesExistChecker(given.files)
    case 'plan':
      return new PlanBasedChecker()
    case 'composite':
      return new CompositeChecker({
        checkers: given.checkers.map((child) => buildChecker(child, heard)),
        allMustPass: given.all_must_pass,
      })
    case 'fixed':
      return {
        name: given.name,
        check: ({ filesystem, adapter, stopReason }) => {
          heard.push({
            checker: given.name,
            stop_reason: stopReason ?? null,
            tentative_output: null,
            has_filesystem: filesystem !== undefined,
            has_adapter: adapter !== undefined,
          })
          return { complete: given.complete, feedback: given.feedback }
        },
      }
    default:
      return given satisfies never
  }
}

export function formatDuration({ seconds }: StepOf<'format_duration'>): string {
  return durationText(seconds)
}

/** Throws GuardrailError `bad_options`. */
export function makeBudget(step: StepOf<'make_budget'>): string {
  const { max_total_tokens: total, max_input_tokens: input, max_output_tokens: output } = step
  new Budget({
    ...omitUndefined({ maxTotalTokens: total, maxInputTokens: input, maxOutputTokens: output }),
  })
  return 'ok'
}

/** Throws GuardrailError `bad_options`. */
export function makeDeadline(
  { in_seconds }: StepOf<'make_deadline'>,
  { clock: { now } }: AgentWorld,
): string {
  Deadline.inSeconds(in_seconds, { now })
  return 'ok'
}

export function deadlineInfo({ deadline }: AgentWorld): Answer['result'] {
  if (deadline === null) return null
  return { remaining: deadline.remaining() / 1000, elapsed: deadline.elapsed() / 1000 }
}
