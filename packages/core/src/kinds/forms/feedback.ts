import { pointerTo } from '../../model/json.ts'
import type { Problem } from '../../model/problem.ts'
import type { ProviderBase } from '../../model/trigger.ts'
import { type Placed, warning } from '../base/place.ts'
import type { RuleForm } from '../base/rule-words.ts'
import {
  DEFAULT_WARNING_THRESHOLD_SECONDS,
  type DeadlineProviderDocument,
} from '../feedback/deadline.ts'
import { DEFAULT_TIMES } from '../feedback/provider.ts'
import { DEFAULT_MAX_CALLS } from '../feedback/tool-usage.ts'
import {
  type FeedbackProviderDocument,
  isKnownProvider,
  type ProviderDocumentOf,
  type ProviderType,
} from '../feedback.ts'

export interface ProviderForm<Document extends ProviderBase> extends RuleForm<Document> {
  readonly isTalkative: boolean
  readonly isNoisy: boolean
  toolsNamed(document: Document, pointer: string): readonly Placed<string>[]
  advice(document: Document, pointer: string): readonly Problem[]
}

/** In the order in which the editor offers them. */
export const PROVIDER_FORMS = {
  deadline: {
    label: 'Deadline',
    about: 'Reports the time that is left, and warns near the end.',
    sample: { id: 'deadline', type: 'deadline', trigger: { every_n_calls: 10 } },
    fields: [
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
  },
  static: {
    label: 'Static',
    about: 'Sends your text at regular calls or times, or once a file exists.',
    sample: {
      id: 'static',
      type: 'static',
      trigger: { every_n_calls: 10 },
      feedback: 'Enter what the agent should remember.',
    },
    fields: [
      { control: 'text', field: 'feedback', label: 'Feedback', isLong: true, isRequired: true },
    ],
    isTalkative: true,
    isNoisy: true,
    toolsNamed: () => [],
    advice: () => [],
  },
  tool_usage: {
    label: 'Tool usage',
    about: 'Reports how many calls were made, with a caution above a limit.',
    sample: { id: 'tool-usage', type: 'tool_usage', trigger: { every_n_calls: 20 } },
    fields: [
      {
        control: 'number',
        field: 'max_calls_without_progress',
        label: 'Caution above (calls)',
        placeholder: DEFAULT_MAX_CALLS,
      },
    ],
    isTalkative: true,
    isNoisy: true,
    toolsNamed: () => [],
    advice: () => [],
  },
  repeated_failure: {
    label: 'Repeated failure',
    about: 'Warns when a tool fails several times in a row.',
    sample: { id: 'failing', type: 'repeated_failure', trigger: { every_n_calls: 3 } },
    fields: [
      {
        control: 'row',
        fields: [
          {
            control: 'number',
            field: 'times',
            label: 'Failures in a row',
            placeholder: DEFAULT_TIMES,
          },
          { control: 'text', field: 'tool', label: 'Tool', isTool: true, placeholder: 'any' },
        ],
      },
    ],
    isTalkative: false,
    isNoisy: false,
    toolsNamed: ({ tool }, pointer) =>
      tool === undefined ? [] : [{ item: tool, pointer: pointerTo(pointer, 'tool') }],
    advice: () => [],
  },
  repeated_call: {
    label: 'Repeated call',
    about: 'Warns when the same call is made several times in a row.',
    sample: { id: 'circling', type: 'repeated_call', trigger: { every_n_calls: 3 } },
    fields: [
      {
        control: 'number',
        field: 'times',
        label: 'Equal calls in a row',
        placeholder: DEFAULT_TIMES,
      },
    ],
    isTalkative: false,
    isNoisy: false,
    toolsNamed: () => [],
    advice: () => [],
  },
} as const satisfies { readonly [Type in ProviderType]: ProviderForm<ProviderDocumentOf<Type>> }

/** Form of the document's type; null: code outside core gives the feedback, so nothing is known about it. */
export function providerForm(
  document: FeedbackProviderDocument,
): Omit<ProviderForm<FeedbackProviderDocument>, 'fields'> | null {
  return isKnownProvider(document) ? PROVIDER_FORMS[document.type] : null
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
