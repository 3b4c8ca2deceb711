import type { RuleForm } from '../base/rule-words.ts'
import type { CheckerDocumentOf, CheckerType } from '../checkers.ts'

/** In the order in which the editor offers them. */
export const CHECKER_FORMS = {
  plan: {
    label: 'Plan',
    about: 'Blocks a stop while the plan has open steps.',
    sample: { id: 'plan', type: 'plan' },
    fields: [
      {
        control: 'note',
        text: 'Every step of the plan must be done. Without a plan there is nothing to check.',
      },
    ],
  },
  files_exist: {
    label: 'Files exist',
    about: 'Blocks a stop until files exist.',
    sample: { id: 'files', type: 'files_exist', files: ['RESULT.md'] },
    fields: [
      { control: 'names', field: 'files', label: 'Files', adding: 'add file', isRequired: true },
    ],
  },
  tool_succeeded: {
    label: 'Tool succeeded',
    about:
      'Blocks a stop until a tool has succeeded, and again after a change, if you name the tools that make changes.',
    sample: { id: 'tests', type: 'tool_succeeded', tool: 'run_tests' },
    fields: [
      { control: 'text', field: 'tool', label: 'Tool', isTool: true, isRequired: true },
      {
        control: 'names',
        field: 'after',
        label: 'Newer than the last success of',
        hint: 'Leave empty if any earlier success counts',
      },
    ],
  },
  llm_judge: {
    label: 'Judge',
    about: 'Blocks a stop until a model finds that the task is done.',
    sample: {
      id: 'judge',
      type: 'llm_judge',
      criteria: 'Every requested change is made and tested.',
    },
    fields: [
      { control: 'text', field: 'criteria', label: 'Criteria', isLong: true, isRequired: true },
      {
        control: 'toggle',
        field: 'require_adapter',
        label: 'Block while no model can be asked',
        absent: true,
      },
    ],
  },
  expression: {
    label: 'Expression',
    about: 'Blocks a stop until a condition is true.',
    sample: { id: 'condition', type: 'expression', require: 'session.calls > 0' },
    fields: [
      {
        control: 'expression',
        place: 'stop',
        field: 'require',
        label: 'Must be true',
        isRequired: true,
        hint: 'CEL over calls, session and stop.',
      },
      {
        control: 'text',
        field: 'feedback',
        label: 'Feedback to the agent if false',
        placeholder: 'Tasks are incomplete.',
      },
    ],
  },
  composite: {
    label: 'Composite',
    about: 'Combines checks: all must pass, or any one is enough.',
    sample: { id: 'all', type: 'composite', checkers: [] },
    fields: [{ control: 'checkers', field: 'checkers' }],
  },
} as const satisfies { readonly [Type in CheckerType]: RuleForm<CheckerDocumentOf<Type>> }
