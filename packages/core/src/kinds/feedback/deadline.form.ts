import { pointerTo } from '../../model/json.ts'
import type { Problem } from '../../model/problem.ts'
import { warning } from '../place.ts'
import { DEFAULT_WARNING_THRESHOLD_SECONDS, type DeadlineProviderDocument } from './deadline.ts'
import type { ProviderForm } from './provider-rule.ts'

export const deadlineForm: ProviderForm<DeadlineProviderDocument> = {
  label: 'Deadline',
  sample: { id: 'deadline', type: 'deadline', trigger: { every_n_calls: 10 } },
  form: [
    {
      control: 'number',
      field: 'warning_threshold_seconds',
      label: 'Warning from (seconds left)',
      placeholder: DEFAULT_WARNING_THRESHOLD_SECONDS,
    },
  ],
  isTalkative: false,
  isNoisy: true,
  toolsNamed: () => [],
  advice: lateWarning,
}

function lateWarning(
  {
    trigger: { every_n_calls: calls, every_n_seconds: seconds },
    warning_threshold_seconds: threshold = DEFAULT_WARNING_THRESHOLD_SECONDS,
  }: DeadlineProviderDocument,
  pointer: string,
): readonly Problem[] {
  if (calls !== undefined || seconds === undefined || seconds <= threshold) return []
  const message = `The warning begins ${threshold} s before the deadline but feedback comes every ${seconds} s, so the warning may never come. Shorten every_n_seconds or raise warning_threshold_seconds.`
  return [warning(pointerTo(pointer, 'trigger'), 'threshold_shorter_than_period', message)]
}
