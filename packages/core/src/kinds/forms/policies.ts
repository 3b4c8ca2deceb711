import type { RuleForm } from '../base/rule-words.ts'
import type { PolicyDocumentOf, PolicyType } from '../policies.ts'

/** In the order in which the editor offers them. */
export const POLICY_FORMS = {
  sequential_dependency: {
    label: 'Sequential dependency',
    about:
      'Denies a call until the tools that must come first have succeeded, and again after a change, if you name the tools that make changes.',
    sample: { id: 'order', type: 'sequential_dependency', dependencies: {} },
    fields: [
      { control: 'prerequisites', field: 'dependencies' },
      {
        control: 'names',
        field: 'after',
        label: 'Newer than the last success of',
        hint: 'Leave empty if any earlier success counts',
      },
    ],
  },
  read_before_write: {
    label: 'Read before write',
    about: 'Denies overwriting a file that was not read, or that changed since.',
    sample: {
      id: 'read-before-write',
      type: 'read_before_write',
      read_tools: ['read_file'],
      write_tools: ['write_file'],
    },
    fields: [
      { control: 'names', field: 'read_tools', label: 'Tools that read', isRequired: true },
      { control: 'names', field: 'write_tools', label: 'Tools that write', isRequired: true },
      {
        control: 'toggle',
        field: 'reads_expire_on_change',
        label: 'Files changed since they were read must be read again',
        absent: true,
      },
      {
        control: 'toggle',
        field: 'writes_count_as_reads',
        label: 'Files that the agent wrote count as read',
        absent: true,
      },
      {
        control: 'details',
        label: 'Paths',
        fields: [
          {
            control: 'names',
            field: 'path_params',
            label: 'Arguments that hold the path',
            hint: 'Default: path, file_path',
            adding: 'add argument',
          },
          {
            control: 'text',
            field: 'mount_point',
            label: 'Mount point',
            placeholder: '/workspace',
            hint: 'Prefix under which the tools see the workspace',
          },
        ],
      },
    ],
  },
  expression: {
    label: 'Expression',
    about: 'Denies calls for which a condition holds.',
    // The empty condition cannot be published. Any example would deny calls that no one chose to deny.
    sample: { id: 'condition', type: 'expression', deny_when: '' },
    fields: [
      {
        control: 'expression',
        place: 'call',
        field: 'deny_when',
        label: 'Deny when',
        placeholder: "args.command.startsWith('rm ')",
        hint: 'A condition in CEL over tool, args, calls and session. Fill in this or Require.',
      },
      {
        control: 'expression',
        place: 'call',
        field: 'require',
        label: 'Require',
        placeholder: 'calls.run_tests.succeeded > 0',
      },
      { control: 'names', field: 'tools', label: 'Tools', hint: 'Leave empty for all tools' },
      {
        control: 'text',
        field: 'reason',
        label: 'Message to the agent',
        placeholder: 'Denied by policy.',
      },
    ],
  },
  rate_limit: {
    label: 'Rate limit',
    about: 'Denies calls over a limit in a time window.',
    sample: { id: 'rate', type: 'rate_limit', tools: [], max_calls: 10, per_seconds: 60 },
    fields: [
      { control: 'names', field: 'tools', label: 'Tools, counted together', isRequired: true },
      {
        control: 'row',
        fields: [
          { control: 'number', field: 'max_calls', label: 'Calls' },
          { control: 'number', field: 'per_seconds', label: 'in seconds' },
        ],
      },
    ],
  },
  approval: {
    label: 'Approval',
    about: 'Holds a call until a reviewer approves it.',
    sample: { id: 'approval', type: 'approval', tools: [], timeout_seconds: 300 },
    fields: [
      { control: 'names', field: 'tools', label: 'Tools', isRequired: true },
      {
        control: 'expression',
        place: 'call',
        field: 'when',
        label: 'Only when',
        placeholder: "args.command.startsWith('npm publish')",
        hint: 'CEL over tool, args, calls and session. Leave empty to ask about every call.',
      },
      {
        control: 'number',
        field: 'timeout_seconds',
        label: 'Timeout in seconds',
        hint: 'A reviewer decides each call that every other rule allows.',
      },
    ],
  },
} as const satisfies { readonly [Type in PolicyType]: RuleForm<PolicyDocumentOf<Type>> }
