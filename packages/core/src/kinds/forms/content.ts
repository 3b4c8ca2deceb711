import type { FormField, RuleForm } from '../base/rule-words.ts'
import type {
  ContentDocumentOf,
  ContentKind,
  ContentRuleDocument,
} from '../content/content-rule.ts'
import { contentKindLabel } from '../content/content-words.ts'

const COMMON: readonly FormField<keyof ContentRuleDocument & string>[] = [
  {
    control: 'choice',
    field: 'on',
    label: 'Inspect',
    options: [
      ['arguments', 'Arguments, before the call'],
      ['result', 'Result, before the model reads it'],
    ],
  },
  {
    control: 'choice',
    field: 'action',
    label: 'When found',
    options: [
      ['deny', 'Deny the call, or withhold the result'],
      ['withhold', 'Withhold the result'],
      ['mask', 'Mask it'],
      ['warn', 'Warn the agent'],
    ],
  },
  { control: 'names', field: 'tools', label: 'Tools', hint: 'Leave empty for all tools' },
  {
    control: 'details',
    label: 'Harnesses that cannot replace values',
    fields: [
      {
        control: 'choice',
        field: 'on_unsupported',
        label: 'There',
        absent: 'refuse',
        options: [
          ['refuse', 'Refuse the config'],
          ['warn', 'Warn the agent; the session shows a gap'],
        ],
      },
    ],
  },
]

export const CONTENT_FORMS = {
  secrets: {
    label: contentKindLabel('secrets'),
    about: 'Masks or denies keys, tokens and passwords in arguments or results.',
    sample: { id: 'no-secrets', kind: 'secrets', on: 'result', action: 'mask' },
    fields: COMMON,
  },
  pii: {
    label: contentKindLabel('pii'),
    about: 'Masks or denies personal data, such as email addresses, in arguments or results.',
    sample: { id: 'no-personal-data', kind: 'pii', on: 'result', action: 'mask' },
    fields: COMMON,
  },
  pattern: {
    label: contentKindLabel('pattern'),
    about: 'Masks or denies text that matches your pattern.',
    // The empty pattern cannot be published.
    sample: { id: 'pattern', kind: 'pattern', on: 'result', action: 'mask', matches: '' },
    fields: [
      {
        control: 'text',
        field: 'matches',
        label: 'Text that matches',
        isRequired: true,
        placeholder: 'PROJ-[0-9]{4}',
        hint: 'RE2 syntax',
      },
      ...COMMON,
    ],
  },
  size: {
    label: contentKindLabel('size'),
    about: 'Cuts or denies what has too many characters.',
    sample: { id: 'size', kind: 'size', on: 'result', action: 'mask', max_chars: 50_000 },
    fields: [{ control: 'number', field: 'max_chars', label: 'Most characters' }, ...COMMON],
  },
} as const satisfies { readonly [Kind in ContentKind]: RuleForm<ContentDocumentOf<Kind>> }
